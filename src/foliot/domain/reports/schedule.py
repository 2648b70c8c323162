"""Schedules of reports: which report is sent when, and to which channels.

morning:
kind: daily                # or weekly
at: "08:00"                # by the clock of the zone; five minutes after midnight at the earliest
weekday: mon               # of a weekly one
timezone: Europe/Berlin
to: [mail, oncall]
language: zh               # left out: that of each channel
on: true

NotFound
└── ReportScheduleNotFound   FOL-2059   no schedule of reports has this name
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.alerts.channel import LANGUAGES
from foliot.domain.alerts.hours import DAYS
from foliot.domain.document_values import mapping, part, shown, text, truth, word
from foliot.domain.errors import BadField, NotFound
from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.domain.names import check_name
from foliot.domain.reports.period import (
    Period,
    ReportKind,
    check_timezone,
    clock_on_day,
    day_at,
    last_period,
    start_of_day,
    weekday,
)

AT: Final = 8 * 60
EARLIEST_US: Final[Micros] = 5 * MINUTE
"""Behind midnight: runs of the last minute are counted by then."""
TO_MAX: Final = 20
NAME_BYTES_MAX: Final = 100
_FIELDS: Final = ("kind", "at", "weekday", "timezone", "to", "language", "on")
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_DAYS_LOOKED_AT: Final = 15


class ReportScheduleNotFound(NotFound):
    """No schedule of reports of the namespace, or of the cluster, has this name."""

    code = "FOL-2059"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        super().__init__(
            f'No schedule of reports "{name[:100]}".',
            hint=f"did you mean {nearest}?" if nearest else "look at the list of schedules",
            name=name[:100],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSchedule:
    """Which report is sent, when and to whom. `namespace` None: a report of the whole cluster."""

    name: str
    namespace: str | None
    kind: ReportKind
    at_minute: int = AT
    weekday: int = 0  # of a weekly one; 0: Monday
    timezone: str = "UTC"
    to: tuple[str, ...]
    language: str = ""  # empty: that of each channel
    is_on: bool = True
    version: int = 0


def schedule_from(name: str, written: Any, *, namespace: str | None, version: int = 0) -> ReportSchedule:
    """Read a schedule as people write it; `BadField` says what is wrong with it."""
    name = check_name("report", name)
    if len(name.encode()) > NAME_BYTES_MAX:
        raise BadField("name", f"it is longer than {NAME_BYTES_MAX} bytes")
    fields = mapping(written, "report", _FIELDS)
    return ReportSchedule(
        name=name,
        namespace=namespace,
        kind=word(ReportKind, fields.get("kind", "daily"), "kind"),
        at_minute=_minute(fields.get("at", "08:00")),
        weekday=_weekday(fields.get("weekday", DAYS[0])),
        timezone=check_timezone(text(fields.get("timezone", "UTC"), "timezone"), "timezone"),
        to=_channels(fields.get("to")),
        language=_language(fields.get("language")),
        is_on=part(fields, "report", "on", truth, True),
        version=version,
    )


def written_schedule(schedule: ReportSchedule) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    written: dict[str, Any] = {
        "kind": str(schedule.kind),
        "at": _clock(schedule.at_minute),
        "timezone": schedule.timezone,
        "to": list(schedule.to),
    }
    if schedule.kind is ReportKind.WEEKLY:
        written["weekday"] = DAYS[schedule.weekday]
    if schedule.language:
        written["language"] = schedule.language
    if not schedule.is_on:
        written["on"] = False
    return written


def next_due(schedule: ReportSchedule, after: Instant) -> Instant | None:
    """When the next report is to be sent; None: it is off."""
    if not schedule.is_on:
        return None
    today = day_at(schedule.timezone, after)
    for day in range(today - 1, today + _DAYS_LOOKED_AT):
        due_at = _due_on(schedule, day)
        if due_at is not None and due_at > after:
            return due_at
    return None


def last_due(schedule: ReportSchedule, now: Instant) -> Instant:
    """When the latest report was to be sent: of those that were missed, it is the one that is."""
    today = day_at(schedule.timezone, now)
    for day in range(today + 1, today - _DAYS_LOOKED_AT, -1):
        due_at = _due_on(schedule, day)
        if due_at is not None and due_at <= now:
            return due_at
    return now


def period_due(schedule: ReportSchedule, due_at: Instant) -> Period:
    """What a report that is due at an instant is about: the last day or week that is over by then."""
    return last_period(schedule.kind, schedule.timezone, due_at)


def _due_on(schedule: ReportSchedule, day: int) -> Instant | None:
    if schedule.kind is ReportKind.WEEKLY and weekday(day) != schedule.weekday:
        return None
    earliest = start_of_day(schedule.timezone, day) + EARLIEST_US
    return max(clock_on_day(schedule.timezone, day, schedule.at_minute), earliest)


def _minute(written: Any) -> int:
    found = _CLOCK.fullmatch(text(written, "at").strip())
    if found is None:
        raise BadField("at", f"{shown(written)} is no time of day", hint='write "08:00"')
    return int(found[1]) * 60 + int(found[2])


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _weekday(written: Any) -> int:
    name = text(written, "weekday").strip().lower()[:3]
    if name not in DAYS:
        raise BadField("weekday", f"{shown(written)} is no day of the week", hint=f"one of {', '.join(DAYS)}")
    return DAYS.index(name)


def _channels(written: Any) -> tuple[str, ...]:
    given = [written] if isinstance(written, str) else list(written or ()) if isinstance(written, list | tuple) else []
    if not given:
        raise BadField("to", "it names no channel", hint="write to: [mail]")
    if len(given) > TO_MAX:
        raise BadField("to", f"it has {len(given)} channels; the limit is {TO_MAX}")
    return tuple(dict.fromkeys(check_name("channel", text(one, "to")) for one in given))


def _language(written: Any) -> str:
    if written is None or written == "":
        return ""
    if written not in LANGUAGES:
        raise BadField("language", f"{shown(written)} is not one of {', '.join(LANGUAGES)}")
    return str(written)
