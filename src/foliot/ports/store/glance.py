"""The glance: what somebody looks at first, read at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from foliot.domain.instants import Instant
from foliot.ports.store.lookups import JobRow, RunRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What somebody looks at first. Each list is short."""

    now: Instant
    failing: Sequence[JobRow]  # whose newest run failed, those that failed most of late first
    late: Sequence[JobRow]  # due for a minute and not decided
    next: Sequence[JobRow]  # the soonest first
    running: Sequence[RunRow]  # the newest first
    namespaces: Sequence[str]  # that have or had jobs, by name, whichever is looked at
    held: Sequence[RunRow]  # something has kept them from starting for a minute; the newest first
