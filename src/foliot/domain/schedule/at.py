"""One or several given instants."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.times import DAY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """These instants and no others, sorted and distinct; `tz` is where their days are."""

    instants: tuple[Instant, ...]
    tz: str = "UTC"

    def __post_init__(self) -> None:
        assert list(self.instants) == sorted(set(self.instants)), self.instants
        assert all(instant % SECOND == 0 for instant in self.instants), self.instants

    def next_after(self, instant: Instant) -> Instant | None:
        i = bisect_right(self.instants, instant)
        return self.instants[i] if i < len(self.instants) else None

    def previous_before(self, instant: Instant) -> Instant | None:
        i = bisect_left(self.instants, instant)
        return self.instants[i - 1] if i else None

    def count_between(self, after: Instant, until: Instant) -> int:
        return max(0, bisect_right(self.instants, until) - bisect_right(self.instants, after))

    def due_mask(self, day: int) -> int:
        begin, mask = day * DAY_S * SECOND, 0
        low = bisect_left(self.instants, begin)
        for instant in self.instants[low : bisect_left(self.instants, begin + DAY_S * SECOND)]:
            mask |= 1 << (instant - begin) // SECOND
        return mask
