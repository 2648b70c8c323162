"""Times as people type and read them on a command line."""

import os
import re
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any, Final

from foliot.cli.time_options import Tense, TypedTime
from foliot.domain.errors import BadDuration
from foliot.domain.instants import SECOND, isoformat, parse_duration, to_instant
from foliot.domain.schedule.errors import BadTime
from foliot.domain.schedule.zones import zone
from foliot.words.humane import clock_time, human_duration
from foliot.words.language import Language

_STAMP: Final = re.compile(r"((?:#\d+ )?)(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?=  )")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_A_DAY: Final = timedelta(days=1)
_HINT: Final = "write 14:02, 2026-03-02 14:02, 2026-03-02T06:02:00Z, now, 2h or +2h"


class Times:
    """One reader's zone and language, and what time it is."""

    def __init__(self, tz: str | None, *, chinese: bool, now: datetime) -> None:
        self.name = local_zone_name()
        if tz:
            self.name = str(zone(tz).name)
        self._zone: tzinfo | None = _zone_info(self.name)
        self._language = Language.CHINESE if chinese else Language.ENGLISH
        self.now = now.astimezone(self._zone)

    # --------------------------------------------------------------------------------------------------------- reading

    def read(self, typed: TypedTime | None) -> str | None:
        """The instant of what somebody typed; nothing where nothing was typed."""
        if typed is None:
            return None
        return self.instant_of(typed)

    def instant_of(self, typed: TypedTime) -> str:
        """RFC 3339 of what somebody typed: `now`, a clock face, a date, an instant, or a duration from now."""
        moment = self._moment(typed.text.strip(), typed.tense)
        return isoformat(to_instant(moment))

    def _moment(self, text: str, tense: Tense) -> datetime:
        if text == "now":
            return self.now
        clock = _CLOCK.fullmatch(text)
        if clock:
            return self._at_clock(clock, tense)
        try:
            written = datetime.fromisoformat(text)
        except ValueError:
            return self._at_distance(text, tense)
        return written if written.tzinfo else written.replace(tzinfo=self._zone)

    def _at_clock(self, clock: "re.Match[str]", tense: Tense) -> datetime:
        """Today's; where the option looks ahead, the next one."""
        hour, minute, second = (int(part or 0) for part in clock.groups())
        try:
            at = time(hour, minute, second)
        except ValueError:
            raise BadTime(clock[0], what="a time of day", hint=_HINT) from None
        moment = datetime.combine(self.now.date(), at, self.now.tzinfo)
        is_over = moment <= self.now
        if tense is Tense.FUTURE and is_over:
            return moment + _A_DAY
        return moment

    def _at_distance(self, text: str, tense: Tense) -> datetime:
        """A duration from now: `+` is ahead, `-` is ago, and a bare one goes the way the option looks."""
        sign = text[:1] if text[:1] in ("+", "-") else ""
        try:
            micros = parse_duration(text.removeprefix(sign))
            distance = timedelta(microseconds=micros)
            is_ahead = sign == "+" or (sign == "" and tense is Tense.FUTURE)
            return self.now + distance if is_ahead else self.now - distance
        except (BadDuration, OverflowError):
            raise BadTime(text, what="a time", hint=_HINT) from None

    # --------------------------------------------------------------------------------------------------------- telling

    def in_line(self, line: str) -> str:
        """A line of a log with the time at its head in the reader's zone; other lines as they are."""
        found = _STAMP.match(line)
        if found is None:
            return line
        moment = self._local(found[2])
        thousandths = moment.microsecond // 1000
        rest = line[found.end() :]
        return f"{found[1]}{self._short(moment)}.{thousandths:03d}{rest}"

    def show(self, written: str | None) -> str:
        """An instant of the API in the reader's zone: `14:02:20`, with its date on another day. For tables, whose
        heads say the zone.
        """
        if not written:
            return ""
        return self._short(self._local(written))

    def told(self, written: str | None, tz: str | None = None) -> str:
        """The same with its zone, in a sentence: `14:02:20 CST`; in a zone of its own when one is given."""
        if not written:
            return ""
        own = _zone_info(tz) if tz else None
        moment = self._local(written).astimezone(own or self._zone)
        return f"{self._short(moment)} {moment.tzname()}"

    def full(self, written: str | None) -> str:
        """The same with its date and zone."""
        if not written:
            return ""
        moment = self._local(written)
        return f"{moment:%Y-%m-%d %H:%M:%S} {moment.tzname()}"

    def _local(self, written: str) -> datetime:
        return datetime.fromisoformat(written).astimezone(self._zone)

    def _short(self, moment: datetime) -> str:
        today = self.now.astimezone(moment.tzinfo)
        return clock_time(moment, today=today)

    def title(self, word: str) -> str:
        """The heading of a column of instants: `DUE (CST)`."""
        return f"{word} ({self.now.tzname()})"

    def instant(self, field: str) -> Callable[[Mapping[str, Any]], str]:
        """How a column shows the instant in a field of its items."""

        def shown(item: Mapping[str, Any]) -> str:
            return self.show(item[field])

        return shown

    def duration(self, field: str) -> Callable[[Mapping[str, Any]], str]:
        """How a column shows the duration in a field of its items."""

        def shown(item: Mapping[str, Any]) -> str:
            return self.lasting(item[field])

        return shown

    def lasting(self, seconds: float | None) -> str:
        """A duration of the API, humanised."""
        if seconds is None:
            return ""
        micros = round(seconds * SECOND)
        return human_duration(micros, self._language)

    def ahead(self, written: str | None, *, since: str | None = None) -> str:
        """How far ahead an instant lies: `in 42 s`, or `now` when it has come; of now, or of another instant."""
        if not written:
            return ""
        begin = self._local(since) if since else self.now
        left = to_instant(self._local(written)) - to_instant(begin)
        is_chinese = self._language is Language.CHINESE
        if left <= 0:
            return "现在" if is_chinese else "now"
        said = human_duration(left, self._language)
        return f"{said}后" if is_chinese else f"in {said}"


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
