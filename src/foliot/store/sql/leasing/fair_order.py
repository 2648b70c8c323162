"""The order in which runs for anyone and assigned runs get slots when both wait: by turns, as among runs for anyone.

The index of assigned runs knows neither namespaces nor late work. So what was found of both is put in order here.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace

from foliot.domain.job import Lane
from foliot.domain.late_work import ON_TIME
from foliot.domain.turns import Namespace, Turns
from foliot.store.sql.leasing.candidates import Candidate, by_rank


class _Line:
    """The candidates of one namespace, by rank; lines are compared by whose turn it is."""

    def __init__(self, candidates: Sequence[Candidate], got: int) -> None:
        self.got = got  # how many runs the namespace got
        self.left = deque(sorted(candidates, key=by_rank))

    def __lt__(self, other: "_Line") -> bool:
        return (self.got, by_rank(self.left[0])) < (other.got, by_rank(other.left[0]))


def in_turns(
    candidates: Sequence[Candidate], lanes: Mapping[int, Lane], turns: Turns, *, late_max: int
) -> list[Candidate]:
    """The candidates, best first: the namespaces by turns, each by rank. Late work beyond a number comes last."""
    waiting: dict[Namespace, list[Candidate]] = {}
    for run in candidates:
        waiting.setdefault(lanes[run.lane].namespace, []).append(run)
    got = turns.waiting(waiting)
    lines = [_Line(some, got[namespace]) for namespace, some in waiting.items()]
    heapify(lines)
    ordered: list[Candidate] = []
    last: list[Candidate] = []
    while lines:
        line = lines[0]
        run = line.left.popleft()
        is_late = run.class_ != ON_TIME
        if is_late and late_max <= 0:
            last.append(run)
        else:
            late_max -= is_late
            ordered.append(run)
            line.got += 1
        if line.left:
            heapreplace(lines, line)
        else:
            heappop(lines)
    return ordered + last
