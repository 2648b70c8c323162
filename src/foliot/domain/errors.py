"""The family of errors a person can meet. Each class owns its code, sentence and next step.

    FoliotError
    ├── InvalidInput          FOL-1xxx   what was written cannot be understood or is not allowed
    │   ├── PayloadTooLarge   FOL-1051   more bytes than are kept
    │   ├── NotJson           FOL-1052   parameters or a result that JSON cannot say
    │   │   ├── BadText       FOL-1053   text that cannot be stored: not UTF-8, half a character, NUL
    │   │   ├── BadNumber     FOL-1054   NaN, infinity, an integer beyond 64 bits
    │   │   └── TooDeep       FOL-1055   too many levels of nesting
    │   ├── BadDuration       FOL-1010   a duration that cannot be read
    │   ├── BadName           FOL-1056   a name with characters or a length that is not allowed
    │   ├── UnknownField      FOL-1057   a field that no definition has
    │   └── BadField          FOL-1058   a field whose value is not allowed
    ├── NotFound              FOL-2xxx   what was named does not exist
    │   ├── JobNotFound       FOL-2001
    │   └── RunNotFound       FOL-2003
    ├── Conflict              FOL-3xxx   somebody else was first, or two things claim one name
    │   ├── VersionConflict   FOL-3001   the job changed meanwhile
    │   └── NameClaimedTwice  FOL-3003   two functions claim one name
    ├── Denied                FOL-4xxx   login or permission
    ├── ClusterTrouble        FOL-5xxx   servers, workers, the store: not there, not ready, not fitting
    │   └── Unanswered        FOL-5001   a server, or the store behind it
    ├── ExecutionFailed       FOL-6xxx   a run went wrong
    └── StorageTrouble        FOL-7xxx   schema, import, backup

Drawn is what this file holds; a room may add its own under one of the branches.

A sentence says what happened in the user's own words, then why; the hint is the next step. `data` keeps the values
the sentence was made of, so that another language can say the same by code. Titles, other languages and next steps
that name a command are in the room `words`. Bugs are not errors: they are asserts.
"""

from typing import Any, ClassVar


class FoliotError(Exception):
    """Anything Foliot refuses or fails to do, said so that a person knows the next step."""

    code: ClassVar[str] = "FOL-0000"

    def __init__(self, sentence: str, *, hint: str | None = None, **data: Any) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint
        self.data = data

    def __str__(self) -> str:
        return f"{self.sentence} ({self.hint})" if self.hint else self.sentence


class InvalidInput(FoliotError):
    """What was written cannot be understood or is not allowed."""

    code = "FOL-1000"


class NotFound(FoliotError):
    """What was named does not exist."""

    code = "FOL-2000"


class Conflict(FoliotError):
    """Somebody else was first, or two things claim one name."""

    code = "FOL-3000"


class Denied(FoliotError):
    """Login or permission is missing."""

    code = "FOL-4000"


class ClusterTrouble(FoliotError):
    """Servers, workers or the store are not there, not ready or not fitting."""

    code = "FOL-5000"


class Unanswered(ClusterTrouble):
    """A server does not answer, or the store behind it does not."""

    code = "FOL-5001"


class ExecutionFailed(FoliotError):
    """A run went wrong."""

    code = "FOL-6000"


class StorageTrouble(FoliotError):
    """Schema, import, backup."""

    code = "FOL-7000"


class BadDuration(InvalidInput):
    """A duration that cannot be read."""

    code = "FOL-1010"

    def __init__(self, written: str) -> None:
        super().__init__(f'"{written}" is not a duration.', hint="write 90s, 15m, 1h30m or 2d", written=written)


class PayloadTooLarge(InvalidInput):
    """More bytes than are kept."""

    code = "FOL-1051"

    def __init__(self, what: str, *, size: int, bytes_max: int) -> None:
        super().__init__(
            f"{what} is {beyond(size, bytes_max)}.",
            hint="keep the data elsewhere and pass where it lies",
            what=what,
            size=size,
            bytes_max=bytes_max,
        )


class NotJson(InvalidInput):
    """Parameters or a result that JSON cannot say."""

    code = "FOL-1052"

    def __init__(self, what: str, trouble: str, *, path: str = "", hint: str | None = None) -> None:
        where = f" at {path}" if path else ""
        super().__init__(f"{what} is not JSON{where}: {trouble}.", hint=hint, what=what, trouble=trouble, path=path)
        self.path = path


class BadText(NotJson):
    """Text that cannot be stored: not UTF-8, half a character, NUL."""

    code = "FOL-1053"


class BadNumber(NotJson):
    """A number that does not survive the journey: NaN, infinity, an integer beyond 64 bits."""

    code = "FOL-1054"


class TooDeep(NotJson):
    """JSON with too many levels of nesting."""

    code = "FOL-1055"


class BadName(InvalidInput):
    """A name with characters or a length that is not allowed."""

    code = "FOL-1056"

    def __init__(self, kind: str, written: str, trouble: str) -> None:
        super().__init__(
            f'"{_shown(written)}" cannot be the name of a {kind}: {trouble}.',
            hint="letters of any language, digits, _ - and . are fine",
            kind=kind,
            written=written,
            trouble=trouble,
        )


class UnknownField(InvalidInput):
    """A field that no definition has."""

    code = "FOL-1057"

    def __init__(self, path: str, *, nearest: str | None = None, known: tuple[str, ...] = ()) -> None:
        hint = f"did you mean {nearest}?" if nearest else f"known here: {', '.join(known)}"
        super().__init__(
            f'"{_shown(path)}" is not a field of a job.', hint=hint, path=path, nearest=nearest, known=known
        )
        self.path = path
        self.nearest = nearest


class BadField(InvalidInput):
    """A field whose value is not allowed."""

    code = "FOL-1058"

    def __init__(self, path: str, trouble: str, *, hint: str | None = None) -> None:
        super().__init__(f"{path}: {trouble}.", hint=hint, path=path, trouble=trouble)
        self.path = path


class JobNotFound(NotFound):
    """No job has this name."""

    code = "FOL-2001"

    def __init__(
        self, name: str, *, namespace: str = "default", nearest: str | None = None, left_runs: bool = False
    ) -> None:
        """`left_runs`: a job of this name was deleted, and the store still has runs of it."""
        super().__init__(
            f'No job "{_shown(name)}" in namespace "{_shown(namespace)}".',
            hint=f"did you mean {nearest}?" if nearest else None,
            name=name,
            namespace=namespace,
            nearest=nearest,
            deleted=_shown(name) if left_runs else None,
        )
        self.name = name
        self.nearest = nearest


class RunNotFound(NotFound):
    """No run has this id, or its history was forgotten."""

    code = "FOL-2003"

    def __init__(self, shown_id: str) -> None:
        super().__init__(f'No run "{_shown(shown_id)}".', id=shown_id)


class VersionConflict(Conflict):
    """The job changed meanwhile."""

    code = "FOL-3001"

    def __init__(self, name: str, *, expected: int, found: int, by: str = "", ago: str = "") -> None:
        """`by`, `ago`: who made it what it is, and how long ago, where that is known."""
        since = ", ".join(part for part in (by, f"{ago} ago" if ago else "") if part)
        now = f"is v{found} now{f' ({since})' if since else ''}" if found else "does not exist any more"
        was = f"your change was against v{expected}" if expected else "your change was to create it"
        super().__init__(
            f"{_shown(name)} {now}; {was}. Nothing was applied.",
            name=name,
            expected=expected,
            found=found,
            by=by,
            ago=ago,
        )
        self.expected = expected
        self.found = found


class NameClaimedTwice(Conflict):
    """Two functions claim one job name."""

    code = "FOL-3003"

    def __init__(self, name: str, *, first: str, second: str) -> None:
        super().__init__(
            f'Two functions claim "{_shown(name)}": {first} and {second}. Neither was changed.',
            hint='give one name="..."',
            name=name,
            first=first,
            second=second,
        )


def _shown(written: str) -> str:
    """What a user wrote, for one line of text: nothing unprintable, and not too long."""
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in written[:100])
    return text if len(written) <= 100 else text + "…"


def beyond(size: int, bytes_max: int) -> str:
    """A size and the limit it passes; in bytes where both would read the same."""
    shown, limit = _bytes(size), _bytes(bytes_max)
    if shown == limit:
        return f"{size} bytes; the limit is {bytes_max} bytes ({limit})"
    return f"{shown}; the limit is {limit}"


def _bytes(size: int) -> str:
    if size >= 1024 * 1024:
        return f"{size / (1024 * 1024):.1f} MiB"
    return f"{size / 1024:.1f} KiB".replace(".0 ", " ") if size >= 1024 else f"{size} B"
