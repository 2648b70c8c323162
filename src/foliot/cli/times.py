"""Times as people type and read them on a command line."""

import os
import re
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any, Final

import click

from foliot.domain.errors import BadDuration
from foliot.domain.instants import SECOND, isoformat, parse_duration, to_instant
from foliot.domain.schedule.zones import zone
from foliot.words.humane import human_duration
from foliot.words.language import Language

_STAMP: Final = re.compile(r"((?:#\d+ )?)(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?=  )")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


class Times:
    """One reader's zone and language, and what time it is."""

    def __init__(self, tz: str | None, *, chinese: bool, now: datetime) -> None:
        self.name = str(zone(tz).name) if tz else local_zone_name()
        self._zone: tzinfo | None = _zone_info(self.name)
        self._language = Language.CHINESE if chinese else Language.ENGLISH
        self.now = now.astimezone(self._zone)

    def read(self, written: str | None, *, forward: bool = False) -> str | None:
        """RFC 3339 of what somebody typed: an instant, a date, `14:02`, or a duration ago (ahead when `forward`)."""
        return None if written is None else self.moment(written, forward=forward)

    def moment(self, written: str, *, forward: bool = False) -> str:
        """The same of something that was typed."""
        text = written.strip()
        if text == "now":
            return _utc(self.now)
        clock = _CLOCK.fullmatch(text)
        if clock:
            return _utc(self._at_clock(clock, forward=forward))
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return _utc(self._relative(text, forward=forward))
        return _utc(moment if moment.tzinfo else moment.replace(tzinfo=self._zone))

    def _at_clock(self, clock: "re.Match[str]", *, forward: bool) -> datetime:
        try:
            at = time(int(clock[1]), int(clock[2]), int(clock[3] or 0))
        except ValueError:
            raise click.BadParameter(f'"{clock[0]}" is not a time of day.') from None
        moment = datetime.combine(self.now.date(), at, self.now.tzinfo)
        return moment + timedelta(days=1) if forward and moment <= self.now else moment

    def _relative(self, text: str, *, forward: bool) -> datetime:
        try:
            span = timedelta(microseconds=parse_duration(text.lstrip("+-")))
        except BadDuration:
            raise click.BadParameter(
                f'"{text}" is not a time. Write 14:02, 2026-03-02 14:02, 2026-03-02T06:02:00Z or 2h.'
            ) from None
        return self.now + span if forward or text.startswith("+") else self.now - span

    def in_line(self, line: str) -> str:
        """A line of a log with the time at its head in the reader's zone; other lines as they are."""
        found = _STAMP.match(line)
        if found is None:
            return line
        moment = datetime.fromisoformat(found[2]).astimezone(self._zone)
        day = "" if moment.date() == self.now.date() else f"{moment:%Y-%m-%d} "
        return f"{found[1]}{day}{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}{line[found.end() :]}"

    def show(self, written: str | None) -> str:
        """An instant of the API in the reader's zone: `14:02:20`, with its date on another day. For tables, whose
        heads say the zone.
        """
        return self._short(datetime.fromisoformat(written).astimezone(self._zone)) if written else ""

    def told(self, written: str | None, tz: str | None = None) -> str:
        """The same with its zone, in a sentence: `14:02:20 CST`; in a zone of its own when one is given."""
        if not written:
            return ""
        moment = datetime.fromisoformat(written).astimezone((_zone_info(tz) if tz else None) or self._zone)
        return f"{self._short(moment)} {moment.tzname()}"

    def _short(self, moment: datetime) -> str:
        today = self.now.astimezone(moment.tzinfo)
        if moment.date() == today.date():
            return f"{moment:%H:%M:%S}"
        return f"{moment:%m-%d %H:%M:%S}" if moment.year == today.year else f"{moment:%Y-%m-%d %H:%M:%S}"

    def full(self, written: str | None) -> str:
        """The same with its date and zone."""
        if not written:
            return ""
        moment = datetime.fromisoformat(written).astimezone(self._zone)
        return f"{moment:%Y-%m-%d %H:%M:%S} {moment.tzname()}"

    def title(self, word: str) -> str:
        """The heading of a column of instants: `DUE (CST)`."""
        return f"{word} ({self.now.tzname()})"

    def instant(self, field: str) -> Callable[[Mapping[str, Any]], str]:
        """How a column shows the instant in a field of its items."""
        return lambda item: self.show(item[field])

    def duration(self, field: str) -> Callable[[Mapping[str, Any]], str]:
        """How a column shows the duration in a field of its items."""
        return lambda item: self.lasting(item[field])

    def lasting(self, seconds: float | None) -> str:
        """A duration of the API, humanised."""
        return "" if seconds is None else human_duration(round(seconds * SECOND), self._language)

    def ahead(self, written: str | None) -> str:
        """How far ahead an instant lies: `in 42 s`."""
        if not written:
            return ""
        left = to_instant(datetime.fromisoformat(written)) - to_instant(self.now)
        said = human_duration(max(0, left), self._language)
        return f"{said}后" if self._language is Language.CHINESE else f"in {said}"


def local_zone_name() -> str:
    """The IANA name of this machine's zone, as far as it can be told; UTC otherwise."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and _zone_info(named) is not None:
        return named
    try:
        target = str(Path("/etc/localtime").resolve())
    except OSError:
        return "UTC"
    _, found, name = target.partition("/zoneinfo/")
    name = name.removeprefix("posix/").removeprefix("right/")
    return name if found and _zone_info(name) is not None else "UTC"


def _zone_info(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _utc(moment: datetime) -> str:
    return isoformat(to_instant(moment))
