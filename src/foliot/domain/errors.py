"""The family of errors a person can meet. Each class owns its code, sentence and next step.

    FoliotError
    ├── InvalidInput       FOL-1xxx   what was written cannot be understood or is not allowed
    ├── NotFound           FOL-2xxx   what was named does not exist
    ├── Conflict           FOL-3xxx   somebody else was first, or two things claim one name
    ├── Denied             FOL-4xxx   login or permission
    ├── ClusterTrouble     FOL-5xxx   servers, workers, the store: not there, not ready, not fitting
    ├── ExecutionFailed    FOL-6xxx   a run went wrong
    └── StorageTrouble     FOL-7xxx   schema, import, backup

A sentence says what happened in the user's own words, then why; the hint is the next step. `data` keeps the values
the sentence was made of, so that another language can say the same by code. Bugs are not errors: they are asserts.
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
