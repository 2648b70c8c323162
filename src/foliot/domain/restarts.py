"""Restarts by a supervisor: a node's beats say how many there were, and how the process before ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WEDGED: Final = -1
"""In place of an exit code: the loop of the process stood still, and the supervisor ended it."""
COUNT: Final = "restarts"
AFTER: Final = "restarted_after"


@dataclass(frozen=True, slots=True)
class Restarts:
    """What a supervisor told its child."""

    count: int = 0
    after: int = 0  # exit code as the shell says it, 128 + n for a signal; `WEDGED`

    @classmethod
    def of(cls, load: Mapping[str, float]) -> "Restarts":
        """As the load of a beat says it."""
        return cls(int(load.get(COUNT, 0)), int(load.get(AFTER, 0)))

    def as_load(self) -> dict[str, float]:
        return {COUNT: float(self.count), AFTER: float(self.after)} if self.count else {}


NO_RESTARTS: Final = Restarts()
