"""Durations and instants as people say them, in English and Chinese. Exact values are for JSON."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from foliot.domain.instants import DAY, HOUR, MILLISECOND, MINUTE, SECOND, Instant, Micros, to_datetime
from foliot.domain.schedule.zones import zone
from foliot.words.language import Language

_UNITS: Final[Mapping[Language, Mapping[str, str]]] = {
    Language.ENGLISH: {"us": "µs", "ms": "ms", "s": "s", "m": "m", "h": "h", "d": "d"},
    Language.CHINESE: {"us": "微秒", "ms": "毫秒", "s": "秒", "m": "分", "h": "小时", "d": "天"},
}


def human_duration(micros: Micros, language: Language = Language.ENGLISH) -> str:
    """Two units at most: `4 ms`, `3.0 s`, `30 s`, `1 m 30 s`, `11 h 57 m`, `3 d 4 h`."""
    unit = _UNITS[language]
    us = abs(micros)
    sign = "-" if micros < 0 else ""
    if us < MILLISECOND:
        text = f"{us} {unit['us']}"
    elif us < SECOND:
        text = f"{us // MILLISECOND} {unit['ms']}"
    elif us < 10 * SECOND:
        text = f"{us / SECOND:.1f} {unit['s']}"
    else:
        text = _larger(us, unit)
    return sign + text


def _larger(us: Micros, unit: Mapping[str, str]) -> str:
    seconds = (us + SECOND // 2) // SECOND
    if seconds < 60:
        return f"{seconds} {unit['s']}"
    if seconds < HOUR // SECOND:
        return _two(*divmod(seconds, 60), unit["m"], unit["s"])
    if us < DAY:
        return _two(us // HOUR, us % HOUR // MINUTE, unit["h"], unit["m"])
    return _two(us // DAY, us % DAY // HOUR, unit["d"], unit["h"])


def _two(large: int, small: int, large_unit: str, small_unit: str) -> str:
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def clock_time(moment: datetime, *, today: datetime, beside: datetime | None = None) -> str:
    """The one way to write an instant for people: `14:02:10`, on another day `03-07 15:00:00`, with a year in others.

    `beside` is an instant that was shown before: its day need not be said again.
    """
    known = today if beside is None else beside
    if moment.date() == known.date():
        return f"{moment:%H:%M:%S}"
    if moment.year == today.year:
        return f"{moment:%m-%d %H:%M:%S}"
    return f"{moment:%Y-%m-%d %H:%M:%S}"


class Clockface:
    """Writes instants of one zone, with a date only where the day is not clear from the context."""

    def __init__(self, tz: str, *, now: Instant) -> None:
        self._zone = ZoneInfo(zone(tz).name)
        self._today = self._local(now)

    def full(self, instant: Instant, *, beside: Instant | None = None) -> str:
        """With its zone: `14:02:10 CST`, on another day `03-07 15:00:00 CST`."""
        return f"{self.short(instant, beside=beside)} {self._local(instant).tzname()}"

    def short(self, instant: Instant, *, beside: Instant | None = None) -> str:
        """Without the zone; `beside` is an instant already shown, whose day need not be said again."""
        shown_before = None if beside is None else self._local(beside)
        return clock_time(self._local(instant), today=self._today, beside=shown_before)

    def _local(self, instant: Instant) -> datetime:
        return to_datetime(instant).astimezone(self._zone)
