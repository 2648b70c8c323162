"""Intervals: every so often on a fixed grid, or so long after the end of the last run."""

from dataclasses import dataclass

from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.schedule.trigger import HORIZON


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """Every `interval_us`, on a grid anchored to the epoch (plus `phase_us`), so that restarts and edits do not shift it."""

    interval_us: Micros
    phase_us: Micros = 0

    def __post_init__(self) -> None:
        assert self.interval_us >= SECOND, self.interval_us
        assert self.interval_us % SECOND == 0, self.interval_us
        assert self.phase_us % SECOND == 0, self.phase_us

    def next_after(self, instant: Instant) -> Instant | None:
        instant = max(instant, -1)
        due_at = instant + self.interval_us - (instant - self.phase_us) % self.interval_us
        return due_at if due_at < HORIZON else None

    def previous_before(self, instant: Instant) -> Instant | None:
        instant = min(instant, HORIZON)
        due_at = instant - 1 - (instant - 1 - self.phase_us) % self.interval_us
        return due_at if due_at >= 0 else None

    def count_between(self, after: Instant, until: Instant) -> int:
        after, until = max(after, -1), min(until, HORIZON - 1)
        if until <= after:
            return 0
        return (until - self.phase_us) // self.interval_us - (after - self.phase_us) // self.interval_us


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedDelay:
    """So long after the end of the last scheduled run. It has no instants of its own: each end sets the next one."""

    delay_us: Micros

    def next_after(self, instant: Instant) -> Instant | None:
        return None

    def previous_before(self, instant: Instant) -> Instant | None:
        return None

    def count_between(self, after: Instant, until: Instant) -> int:
        return 0
