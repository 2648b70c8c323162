"""Instants and durations as integers of microseconds, and the words people write for them.

Inside Foliot an instant is microseconds since 1970-01-01T00:00:00Z and a duration is microseconds; `datetime` and
`timedelta` appear only at the edges. Due instants are whole seconds.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from foliot.domain.errors import BadDuration

Instant: TypeAlias = int
Micros: TypeAlias = int

MILLISECOND: Final[Micros] = 1_000
SECOND: Final[Micros] = 1_000_000
MINUTE: Final[Micros] = 60 * SECOND
HOUR: Final[Micros] = 60 * MINUTE
DAY: Final[Micros] = 24 * HOUR

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_UNITS: Final = {"us": 1, "ms": MILLISECOND, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|m|h|d|w)\s*", re.ASCII)
WRITTEN_MAX: Final = 100  # letters of a duration
_DURATION_MAX: Final[Micros] = 100 * 366 * DAY


def to_instant(moment: datetime) -> Instant:
    """The instant of an aware datetime."""
    assert moment.tzinfo is not None, "an instant needs a zone"
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(instant: Instant) -> datetime:
    """The instant as an aware datetime in UTC."""
    return _EPOCH + timedelta(microseconds=instant)


def isoformat(instant: Instant) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one: `2026-01-31T17:00:00Z`."""
    return to_datetime(instant).isoformat().replace("+00:00", "Z")


def ceil_to_second(instant: Instant) -> Instant:
    """The first whole second that is not before the instant."""
    return -(-instant // SECOND) * SECOND


def parse_duration(text: str | timedelta | float) -> Micros:
    """Read a duration as people write it: `90s`, `1h30m`, `1.5h`, `250 ms`; a bare number is seconds."""
    if isinstance(text, timedelta):
        return _in_bounds(text // _MICROSECOND, text)
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _seconds(float(text), text)
    if not isinstance(text, str):
        raise BadDuration(str(text)[:WRITTEN_MAX])
    if len(text) > WRITTEN_MAX:
        raise BadDuration(f"{text[:WRITTEN_MAX]}…")
    written = text.strip().lower().replace("µs", "us")
    if re.fullmatch(r"\d+(\.\d+)?", written, re.ASCII):
        return _seconds(float(written), text)
    total, at = 0, 0
    while at < len(written):
        part = _PART.match(written, at)
        if part is None:
            raise BadDuration(text)
        total += _rounded(float(part[1]) * _UNITS[part[2]], text)
        at = part.end()
    if not written:
        raise BadDuration(text)
    return _in_bounds(total, text)


def format_duration(micros: Micros) -> str:
    """The shortest exact way to write a duration: `1h30m`, `90s` becomes `1m30s`, `0s`."""
    if micros == 0:
        return "0s"
    sign, rest = ("-", -micros) if micros < 0 else ("", micros)
    parts: list[str] = []
    for unit in ("d", "h", "m", "s", "ms", "us"):
        n, rest = divmod(rest, _UNITS[unit])
        if n:
            parts.append(f"{n}{unit}")
    return sign + "".join(parts)


def _seconds(value: float, written: object) -> Micros:
    return _in_bounds(_rounded(value * SECOND, written), written)


def _rounded(micros: float, written: object) -> Micros:
    if micros != micros or micros in (float("inf"), float("-inf")):  # also a number so large that its product is
        raise BadDuration(str(written)[:100])
    return round(micros)


def _in_bounds(micros: Micros, written: object) -> Micros:
    if not 0 <= micros <= _DURATION_MAX:
        raise BadDuration(str(written))
    return micros
