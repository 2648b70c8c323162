"""Intervals: on a fixed grid, or counted from the end of the last run."""

from dataclasses import dataclass
from functools import lru_cache

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.trigger import HORIZON

_WHOLE_DAY = (1 << DAY_S) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """Every `interval_us` on a grid from the epoch plus `phase_us`, which no restart, edit or outage shifts.

    The zone does not touch the instants; it says whose days a calendar counts.
    """

    interval_us: Micros
    phase_us: Micros = 0
    tz: str = "UTC"

    def __post_init__(self) -> None:
        assert self.interval_us >= SECOND, self.interval_us
        assert self.interval_us % SECOND == 0, self.interval_us
        assert self.phase_us % SECOND == 0, self.phase_us

    def next_after(self, instant: Instant) -> Instant | None:
        if instant < 0:
            instant = -1
        due_at = instant + self.interval_us - (instant - self.phase_us) % self.interval_us
        return due_at if due_at < HORIZON else None

    def previous_before(self, instant: Instant) -> Instant | None:
        last = min(instant, HORIZON) - 1
        due_at = last - (last - self.phase_us) % self.interval_us
        return due_at if due_at >= 0 else None

    def count_between(self, after: Instant, until: Instant) -> int:
        after, until = max(after, -1), min(until, HORIZON - 1)
        if until <= after:
            return 0
        return (until - self.phase_us) // self.interval_us - (after - self.phase_us) // self.interval_us

    def due_mask(self, day: int) -> int:
        interval_s = self.interval_us // SECOND
        first = (self.phase_us // SECOND - day * DAY_S) % interval_s
        return (_grid(interval_s) << first) & _WHOLE_DAY if first < DAY_S else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedDelay:
    """So long after the end of the last scheduled run. It has no instants of its own: each end sets the next one."""

    delay_us: Micros
    tz: str = "UTC"

    def __post_init__(self) -> None:
        assert self.delay_us >= SECOND, self.delay_us

    def next_after(self, instant: Instant) -> Instant | None:
        return None

    def previous_before(self, instant: Instant) -> Instant | None:
        return None

    def count_between(self, after: Instant, until: Instant) -> int:
        return 0

    def due_mask(self, day: int) -> int:
        return 0


@lru_cache(maxsize=64)
def _grid(interval_s: int) -> int:
    """Bits 0, n, 2n … of a day, by doubling."""
    mask, length = 1, interval_s
    while length < DAY_S:
        mask |= mask << length
        length *= 2
    return mask & _WHOLE_DAY
