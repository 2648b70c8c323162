"""The order in which waiting runs go when several owners have some: by turns, each owner's by rank, late work in part.

The owners are namespaces when runs for anyone and assigned runs get slots, and lanes when routes are asked. The index
of assigned runs knows no namespaces. So what was found of both is put in order here.
"""

from collections import Counter, deque
from collections.abc import Hashable, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Generic, Protocol, TypeVar

from foliot.domain.instants import Instant
from foliot.domain.late_work import ON_TIME, gives_way_to
from foliot.store.sql.leasing.run_kinds import STEP_US


class RankedRun(Protocol):
    """A run that waits."""

    @property
    def id(self) -> int: ...
    @property
    def lane(self) -> int: ...
    @property
    def class_(self) -> int: ...
    @property
    def priority(self) -> int: ...
    @property
    def not_before(self) -> Instant: ...


_Waiting = TypeVar("_Waiting", bound=RankedRun)
_Owner = TypeVar("_Owner", bound=Hashable)


def by_rank(run: RankedRun) -> tuple[Instant, int]:
    """The order of leasing."""
    return run.not_before - run.priority * STEP_US, run.id


class _Line(Generic[_Waiting]):
    """What waits of one owner, by rank; lines are compared by whose turn it is."""

    def __init__(self, runs: Sequence[_Waiting], got: int) -> None:
        self.got = got  # how many runs the owner got
        self.left = deque(sorted(runs, key=by_rank))

    def __lt__(self, other: "_Line[_Waiting]") -> bool:
        return (self.got, by_rank(self.left[0])) < (other.got, by_rank(other.left[0]))


def in_turns(
    runs: Sequence[_Waiting],
    owners: Mapping[int, _Owner],
    got: Mapping[_Owner, int],
    *,
    n: int,
    late_max: int,
) -> list[_Waiting]:
    """The runs, best first. Late work beyond its part comes last: `late_max` of `n`, or what other work leaves over.

    `owners`: of each lane. `got`: how many runs each owner got; the least goes first.
    """
    waiting: dict[_Owner, list[_Waiting]] = {}
    for run in runs:
        waiting.setdefault(owners[run.lane], []).append(run)
    lines = [_Line(some, got[owner]) for owner, some in waiting.items()]
    heapify(lines)
    on_time = Counter(run.priority for run in runs if run.class_ == ON_TIME)
    ordered: list[_Waiting] = []
    last: list[_Waiting] = []
    late = 0
    while lines:
        line = lines[0]
        run = line.left.popleft()
        is_late = run.class_ != ON_TIME
        if is_late and late >= max(late_max, n - gives_way_to(run.class_, run.priority, on_time)):
            last.append(run)
        else:
            late += is_late
            ordered.append(run)
            line.got += 1
        if line.left:
            heapreplace(lines, line)
        else:
            heappop(lines)
    return ordered + last
