"""Rates: how many runs may start in a time, as a bucket of tokens that one number describes.

A bucket holds `burst` tokens and gains one each `pace_us`. A start takes one, and nothing gives it back. Instead of a
count, the store keeps `spent_until`: the instant at which the bucket will be full again. So a refill writes nothing.
Within any stretch of time at most `burst` + time / `pace_us` runs start. docs/decisions/rates.md.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.document_values import duration, shown
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import DAY, SECOND, Instant, Micros, format_duration

PACE_MIN_US: Final[Micros] = 100
"""10 000 starts a second. A pace is rounded up to a microsecond: here that is 1 %, and it is never faster than said."""
PER_MIN_US: Final[Micros] = SECOND
PER_MAX_US: Final[Micros] = DAY
BURST_MAX: Final = 10_000
STEPPED_BACK_US: Final[Micros] = 10 * SECOND
"""Servers read store time some milliseconds apart. A bucket that is spent for longer than it can be shows that the
store's clock stepped back: it begins anew, or its runs would wait for as long as the step."""

_RATE: Final = re.compile(r"([0-9]{1,6})/([0-9]*[a-z]+)")
_HINT: Final = "write 100/m, 5/s, or 1/10s"


@dataclass(frozen=True, slots=True)
class Rate:
    """So many starts in a time."""

    starts: int
    per_us: Micros

    @property
    def pace_us(self) -> Micros:
        """From one token to the next."""
        return -(-self.per_us // self.starts)

    @property
    def usual_burst(self) -> int:
        """The tokens of a second: servers lease about so often, and what is not taken in time would be lost."""
        return max(1, SECOND // self.pace_us)

    def __str__(self) -> str:
        per = format_duration(self.per_us)
        return f"{self.starts}/{per[1:] if per in _ONE else per}"


_ONE: Final = frozenset({"1s", "1m", "1h", "1d"})


@dataclass(frozen=True, slots=True)
class Bucket:
    """A rate and how many runs may start at once after a quiet time."""

    rate: Rate
    burst: int

    @classmethod
    def of(cls, rate: Rate, burst: int | None = None) -> "Bucket":
        return cls(rate, burst or rate.usual_burst)

    @property
    def pace_us(self) -> Micros:
        return self.rate.pace_us


def tokens_left(pace_us: Micros, burst: int, spent_until: Instant | None, now: Instant) -> int:
    """How many runs may start now."""
    full_at = _spent(pace_us, burst, spent_until, now)
    return max(0, (now + burst * pace_us - full_at) // pace_us)


def refill_at(pace_us: Micros, burst: int, spent_until: Instant | None, now: Instant) -> Instant:
    """When the next run may start; `now`, or before, if one may start now."""
    return _spent(pace_us, burst, spent_until, now) - (burst - 1) * pace_us


def _spent(pace_us: Micros, burst: int, spent_until: Instant | None, now: Instant) -> Instant:
    if spent_until is None or not now < spent_until <= now + burst * pace_us + STEPPED_BACK_US:
        return now
    return spent_until


def rate_from(written: Any, path: str = "place.rate") -> Rate:
    """Read `100/m`, `5/s` or `1/10s`."""
    if isinstance(written, Rate):
        return written
    found = _RATE.fullmatch(written.replace(" ", "")) if isinstance(written, str) else None
    if found is None:
        raise BadField(path, f"{shown(written)} is not a rate", hint=_HINT)
    per = found[2] if found[2][0].isdigit() else f"1{found[2]}"
    try:
        per_us = duration(per, path)
    except InvalidInput:
        raise BadField(path, f"{shown(written)} is not a rate", hint=_HINT) from None
    return Rate(int(found[1]), per_us)


def check_rate(path: str, rate: Rate) -> None:
    """Refuse a rate that no bucket can keep."""
    if rate.starts < 1:
        raise BadField(path, f"{rate} lets no run start", hint="write 1 or more; pause the job to stop it")
    if not PER_MIN_US <= rate.per_us <= PER_MAX_US:
        least, most = format_duration(PER_MIN_US), format_duration(PER_MAX_US)
        raise BadField(path, f"{format_duration(rate.per_us)} is out of bounds", hint=f"from {least} to {most}")
    if rate.pace_us < PACE_MIN_US:
        raise BadField(path, f"{rate} is too fast", hint=f"{SECOND // PACE_MIN_US}/s at most")
