"""Cron expressions."""

from dataclasses import dataclass
from datetime import UTC, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant, to_datetime, to_instant
from foliot.domain.schedule.trigger import HORIZON

_RANGES = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


@lru_cache(maxsize=10_000)
def _fields(text: str) -> tuple[frozenset[int], ...]:
    parts = text.split()
    if len(parts) == 5:
        parts.insert(0, "0")
    if len(parts) != 6:
        raise InvalidInput(f'"{text}" is not a cron expression.', hint="write 0 2 * * *")
    return tuple(_values(part, low, high) for part, (low, high) in zip(parts, _RANGES, strict=True))


def _values(part: str, low: int, high: int) -> frozenset[int]:
    values: set[int] = set()
    for item in part.split(","):
        span, _, step = item.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            first, last = str(low), str(high)
        values.update(range(int(first), int(last or (high if step else first)) + 1, int(step or 1)))
    return frozenset(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """A cron expression in a zone."""

    text: str
    tz: str = "UTC"

    @classmethod
    def parse(cls, text: str, *, tz: str = "UTC", job: str = "") -> "Cron":
        """Read an expression; `job` seeds H."""
        _fields(text)
        return cls(text=text, tz=tz)

    def next_after(self, instant: Instant) -> Instant | None:
        seconds, minutes, hours, days, months, weekdays = _fields(self.text)
        zone = ZoneInfo(self.tz)
        moment = (to_datetime(instant) + timedelta(seconds=1)).replace(microsecond=0).astimezone(zone)
        midnight = moment.replace(hour=0, minute=0, second=0, tzinfo=None)
        for ahead in range(366 * 9):
            day = midnight + timedelta(days=ahead)
            if day.month not in months or day.day not in days or (day.isoweekday() % 7 not in weekdays):
                continue
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    for second in sorted(seconds):
                        due = to_instant(
                            day.replace(hour=hour, minute=minute, second=second, tzinfo=zone).astimezone(UTC)
                        )
                        if due > instant:
                            return due if due < HORIZON else None
        return None

    def previous_before(self, instant: Instant) -> Instant | None:
        at, found = instant - 400 * 86_400_000_000, None
        while (due := self.next_after(at)) is not None and due < instant:
            at = found = due
        return found

    def count_between(self, after: Instant, until: Instant) -> int:
        n = 0
        while (due := self.next_after(after)) is not None and due <= until:
            n, after = n + 1, due
        return n
