"""Late work: catch-up runs and what a job has waiting beyond a hundred give way to other work, and never stand still.

While other work waits they get half of what starts, and an eighth once some of it has waited for longer than it should.
So on-time work that needs most of the slots keeps them. What is left over always goes to them.
"""

from collections.abc import Mapping
from typing import Final

from foliot.domain.instants import SECOND, Micros

ON_TIME: Final = 0
CATCH_UP: Final = 1  # fires that were missed, and backfills
SURPLUS: Final = 2  # what a job has waiting beyond `SURPLUS_AFTER`: it gives way to work of its priority and above
"""Classes of run."""

SURPLUS_AFTER: Final = 100
PATIENCE_US: Final[Micros] = 2 * SECOND
"""On-time work that waits for longer gets more."""

_WHOLE: Final = 8
_HALF: Final = 4
_LEAST: Final = 1


class LateShare:
    """How many of those that start now may be late work. What one answer rounds down, a later one rounds up."""

    def __init__(self) -> None:
        self._owed = 0  # in eighths of a run

    def of(self, n: int, *, waited_us: Micros) -> int:
        """Of n runs, while other work waits, the oldest of it for so long. One slot gets to late work in turn, too."""
        share = _HALF if waited_us <= PATIENCE_US else _LEAST
        most, self._owed = divmod(self._owed + n * share, _WHOLE)
        return most


def gives_way_to(class_: int, priority: int, on_time: Mapping[int, int]) -> int:
    """How much on-time work late work gives way to. What a job has too much of keeps its priority.

    `on_time`: how much of it waits, by priority.
    """
    if class_ == CATCH_UP:
        return sum(on_time.values())
    return sum(count for its, count in on_time.items() if its >= priority)
