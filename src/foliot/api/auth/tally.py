"""How often something happened lately, by address or token. Bounded: the one that was quiet longest is forgotten."""

from collections import OrderedDict, deque
from typing import Final

from foliot.ports.clock import Clock

KNOWN_MAX: Final = 10_000
COUNTED_MAX: Final = 100  # of each: more is not told apart


class Tally:
    """Counts within a window of time."""

    def __init__(self, clock: Clock, *, window_s: float) -> None:
        self._clock = clock
        self._window_s = window_s
        self._at: OrderedDict[str, deque[float]] = OrderedDict()

    def add(self, who: str) -> None:
        """It happened now."""
        times = self._at.setdefault(who, deque(maxlen=COUNTED_MAX))
        times.append(self._clock.monotonic())
        self._at.move_to_end(who)
        if len(self._at) > KNOWN_MAX:
            self._at.popitem(last=False)

    def count(self, who: str) -> int:
        """How often it happened within the window."""
        times = self._at.get(who)
        if times is None:
            return 0
        since = self._clock.monotonic() - self._window_s
        while times and times[0] <= since:
            times.popleft()
        if not times:
            del self._at[who]
        return len(times)

    def oldest_ago_s(self, who: str) -> float:
        """How long ago the first within the window was; 0 without one."""
        if not self.count(who):
            return 0.0
        return self._clock.monotonic() - self._at[who][0]
