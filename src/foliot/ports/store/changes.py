"""Changes: a look at what moves among runs, for those who watch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foliot.domain.instants import Instant
from foliot.ports.store.lookups import RunRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A look at what moves."""

    now: Instant
    created: Sequence[RunRow]  # with an id above the one asked for, oldest first
    live: Mapping[int, RunRow]  # RUNNING, by id; at most 2000
    newest_id: int
