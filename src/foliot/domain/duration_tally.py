"""Duration tally: how many durations fell into which step of time. Cheap enough for every transaction and every run."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

QUICK_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600)
"""Steps for what should take milliseconds: a decision, a transaction, a wait for a slot."""
LONG_S: Final = (0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400)
"""Steps for the work of jobs: from milliseconds to a day."""


class Mark(NamedTuple):
    """A run that is an example of a step."""

    run_id: int
    took_s: float
    trace_id: str = ""  # empty: not known


class DurationTally:
    """Durations counted by steps. One thread adds; others may read at any moment."""

    __slots__ = ("bounds", "counts", "marks", "sum_s")

    def __init__(self, bounds: Sequence[float] = QUICK_S) -> None:
        """`bounds`: the upper ends of the steps in seconds, rising. A last step takes what is longer."""
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum_s = 0.0
        self.marks: dict[int, Mark] = {}  # by step: the latest run that is known to be in it

    def add(self, took_s: float) -> None:
        """Count one. A clock that stepped back makes no negative duration."""
        took_s = max(0.0, took_s)
        self.counts[bisect_left(self.bounds, took_s)] += 1
        self.sum_s += took_s

    def add_all(self, took_s: Iterable[float]) -> None:
        """Count each of them."""
        for one in took_s:
            self.add(one)

    def mark(self, run_id: int, took_s: float, trace_id: str = "") -> None:
        """Remember a run that was counted as an example of its step."""
        self.marks[bisect_left(self.bounds, took_s)] = Mark(run_id, took_s, trace_id)

    @property
    def count(self) -> int:
        return sum(self.counts)
