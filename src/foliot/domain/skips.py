"""Why an instant got no run, as data: a kind and what belongs to it. The ledger keeps it as JSON."""

import json
from enum import StrEnum
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant, Micros


class SkipKind(StrEnum):
    """Every cause of a skip."""

    STANDS_FOR = "stands_for"  # missed; the fire of `at` runs instead
    WAS_DUE = "was_due"  # missed; the fire of `at` was due instead, and something was in its way
    BEYOND_WINDOW = "beyond_window"  # missed by more than `within_us`
    NEWEST_ONLY = "newest_only"  # missed; only the newest `most` are caught up
    POLICY = "policy"  # missed, and the job leaves missed fires out
    BEFORE_PAUSE = "before_pause"  # missed; not yet decided when the job was paused
    OPEN_RUN = "open_run"  # an earlier run was open
    ANOTHER_WAITS = "another_waits"  # another run was waiting already
    QUEUE_FULL = "queue_full"  # `most` runs were waiting already
    CLOSED = "closed"  # the calendar rules it out; `text` is what the calendar says
    PAUSED = "paused"  # the job was paused
    BEFORE_EDIT = "before_edit"  # not yet decided when the job was edited
    BEFORE_DELETE = "before_delete"  # not yet decided when the job was deleted
    UNREADABLE = "unreadable"  # the version before an edit could not be read, so its instants are not known
    OTHER = "other"  # `text` says it: written by an older Foliot in words this one does not know


class SkipCause(NamedTuple):
    """One cause."""

    kind: SkipKind
    at: Instant | None = None
    within_us: Micros | None = None
    most: int | None = None
    text: str = ""
    partly_closed: bool = False  # the calendar rules out some of the instants anyway
    trouble: str = ""  # the schedule could not be counted

    def to_json(self) -> str:
        """What the ledger keeps: the kind, and what differs from the usual."""
        kept = {name: value for name, value in self._asdict().items() if value != _USUAL.get(name, "")}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


_USUAL: Final[dict[str, Any]] = SkipCause._field_defaults

PAUSED: Final = SkipCause(SkipKind.PAUSED)
POLICY: Final = SkipCause(SkipKind.POLICY)


def read_cause(written: str) -> SkipCause | None:
    """A cause from the ledger. None: a newer Foliot wrote one this one does not know."""
    document = json.loads(written)
    try:
        kind = SkipKind(document.pop("kind"))
    except ValueError:
        return None
    return SkipCause(kind, **{name: document[name] for name in _USUAL if name in document})
