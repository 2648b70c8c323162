"""Drills as the store keeps them: one row a drill. The order reaches its node with the answer to a beat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from foliot.domain.drills import DrillState, DrillType
from foliot.domain.instants import Instant, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillAsk:
    """A drill as it is asked for."""

    type: DrillType
    node: str
    session: str  # of the node
    for_us: Micros
    by: str
    reason: str = ""
    size_us: Micros | None = None  # how much is broken; None: its type has no size


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """One drill, from its beginning to its report."""

    id: int
    type: DrillType
    node: str
    session: str
    for_us: Micros
    by: str
    reason: str
    state: DrillState
    asked_at: Instant
    began_at: Instant | None = None
    over_at: Instant | None = None  # the node said that nothing is broken any more
    noticed_us: Micros | None = None  # how long after its beginning the node itself noticed it
    ended_at: Instant | None = None  # it was judged, stopped or lost
    report: Mapping[str, Any] = field(default_factory=dict)
    size_us: Micros | None = None  # how much is broken; None: its type has no size

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    @property
    def broken_until(self) -> Instant | None:
        """When the node is whole again, at the latest; None: it has not begun."""
        if self.began_at is None:
            return None
        if self.type is DrillType.CRASH:
            return self.began_at
        return self.began_at + self.for_us


class FireSeen(NamedTuple):
    """A run that a due instant created."""

    job_id: int
    due_at: Instant
    created_at: Instant


class SkipSeen(NamedTuple):
    """A range of instants that were skipped."""

    job_id: int
    from_at: Instant
    to_at: Instant


class DrillStore(Protocol):
    """Keeps drills. At most one is open."""

    async def ask(self, wanted: DrillAsk) -> Drill:
        """Write a drill down, and the order beside its node; `DrillUnderWay` while another is open.

        A node that is gone by now never takes it up.
        """
        ...

    async def stop(self, drill_id: int) -> Drill | None:
        """End one that has not begun; tell the node of one that has. None: there is no such drill."""
        ...

    async def settle(self, drill_id: int, state: DrillState, report: Mapping[str, Any]) -> bool:
        """Close an open drill; False: it was closed already, or it began before it was called lost."""
        ...

    async def find(self, drill_id: int) -> Drill | None: ...

    async def open(self) -> Sequence[Drill]: ...

    async def list(
        self, *, type_: DrillType | None = None, limit: int, before_id: int | None = None
    ) -> Sequence[Drill]:
        """The newest first."""
        ...

    async def fires(self, job_ids: Sequence[int], *, from_at: Instant, to_at: Instant) -> "LedgerSeen":
        """What became of the due instants of these jobs in [from, to)."""
        ...


class LedgerSeen(NamedTuple):
    """What the ledger has."""

    runs: Sequence[FireSeen]
    skips: Sequence[SkipSeen]
    is_cut: bool = False  # there is more than one look takes
