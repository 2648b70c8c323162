"""The journal: what happened to jobs, nodes and the cluster, for people to read. Nothing is decided from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from foliot.domain.instants import Instant


class Topic(StrEnum):
    """What an event is about."""

    JOBS = "jobs"
    RUNS = "runs"
    NODES = "nodes"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something to note. The key says what it was, so that two who saw it write it once."""

    key: str
    topic: Topic
    kind: str  # job.paused
    subject: str  # the name of the job, run or node
    by: str = ""
    namespace: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


def election_key(epoch: int, term: int) -> str:
    """What the election of a term is noted under: its instant is found by it."""
    return f"leader:{epoch}:{term}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that was noted."""

    id: int
    at: Instant
    topic: Topic
    kind: str
    subject: str
    by: str
    namespace: str | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events to list. `namespace`: those of it alone; `with_cluster`: and those that belong to no namespace."""

    topics: frozenset[Topic] = frozenset()
    subject: str | None = None
    namespace: str | None = None
    with_cluster: bool = False
    since: Instant | None = None
    until: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """Some events, and where to go on; None: there are no more."""

    items: Sequence[Event]
    next_before_id: int | None = None


class Journal(Protocol):
    """Keeps events in the order of their ids, which is nearly but not surely the order of commits (R14)."""

    async def note(self, happenings: Sequence[Happening], *, term: int | None = None) -> None:
        """Write down what is not yet written."""
        ...

    async def newest(self, wanted: EventFilter, *, limit: int, before_id: int | None = None) -> EventPage:
        """The newest events, newest first; looks at a bounded number of rows, so fewer may come than there are."""
        ...

    async def after(self, wanted: EventFilter, event_id: int, *, limit: int) -> Sequence[Event]:
        """Events with an id above this one, oldest first."""
        ...

    async def newest_id(self) -> int: ...

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        """Delete events noted before an instant; how many."""
        ...
