"""The form a schedule has in job files: reading it and writing it.

    {cron: "0 2 * * *", tz: Asia/Shanghai, calendar: cn-workdays, jitter: 30s}        a bare string is a cron expression
    {every: 15m}   {every: 15m, phase: 5m}   {every: 15m, from_end: true}              from_end: a fixed delay
    {at: 2026-01-31T17:00:00Z}   {at: [..]}
    {daily: "09:00"}   {daily: ["09:00", "17:30"], every_days: 2, since: 2026-01-01}
    {weekly: MON-FRI, time: "09:00"}   {weekly: [MON], time: "09:00", every_weeks: 2, since: 2026-01-05}

with any of `start end count jitter calendar shift`. A list means all of them together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from foliot.domain.instants import SECOND, format_duration, isoformat, parse_duration
from foliot.domain.schedule.at import At
from foliot.domain.schedule.builtin import builtin_calendar
from foliot.domain.schedule.calendars import Calendar, Shift
from foliot.domain.schedule.cron import Cron, CronDialect, parse
from foliot.domain.schedule.cron.fields import WEEKDAYS
from foliot.domain.schedule.cron.parser import other_weekdays
from foliot.domain.schedule.days import date_of
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron, BadSchedule
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.known_words import check_keys, choice
from foliot.domain.schedule.moments import read_day, read_instant, read_time, read_weekdays, write_time
from foliot.domain.schedule.schedule import Schedule
from foliot.domain.schedule.structured import EVERY_DAYS_MAX, EVERY_WEEKS_MAX, Daily, Weekly
from foliot.domain.schedule.trigger import Trigger
from foliot.domain.schedule.zones import Gap, RepeatedTime, zone

LIST_MAX: Final = 50
INSTANTS_MAX: Final = 1000
TIMES_MAX: Final = 1440
_KINDS: Final = ("cron", "every", "at", "daily", "weekly")
_WALL: Final = ("tz", "dst_gap", "dst_overlap")
_OWN: Final[dict[str, tuple[str, ...]]] = {
    "cron": ("dialect", *_WALL),
    "every": ("phase", "anchor", "from_end", "tz"),
    "at": ("tz",),
    "daily": ("every_days", "since", *_WALL),
    "weekly": ("time", "every_weeks", "since", *_WALL),
}
_COMMON: Final = ("start", "end", "count", "jitter", "calendar", "shift")


def schedule_from_document(
    document: Any, *, calendars: Mapping[str, Calendar] = {}, job: str = "", tz: str = "UTC"
) -> Schedule:
    """Read a schedule. `job` places H, `tz` is the zone where none is given.

    A calendar is looked up in `calendars`, then among the built-in ones; else it stays a name (`missing_calendar`).
    """
    if isinstance(document, str):
        document = {"cron": document}
    if isinstance(document, Mapping):
        return _entry(document, calendars, job, tz)
    if not isinstance(document, Sequence) or not 0 < len(document) <= LIST_MAX:
        raise BadSchedule(f"A schedule is a mapping or a list of up to {LIST_MAX}.", hint='write cron: "0 2 * * *"')
    entries = [_entry({"cron": one} if isinstance(one, str) else one, calendars, job, tz) for one in document]
    return entries[0] if len(entries) == 1 else _together(entries)


def to_document(schedule: Schedule) -> Any:
    """Write a schedule in its shortest form: a mapping, or a list of them."""
    entries = [_written(schedule, one) for one in schedule.triggers]
    return entries[0] if len(entries) == 1 else entries


def _entry(document: Any, calendars: Mapping[str, Calendar], job: str, tz: str) -> Schedule:
    if not isinstance(document, Mapping):
        raise BadSchedule(f'"{document}" is not a schedule.', hint='write cron: "0 2 * * *" or every: 15m')
    kind = _kind(document)
    document = {**document, "tz": document.get("tz") or document.get("timezone")}
    document.pop("timezone", None)
    check_keys(document, (kind, *_OWN[kind], *_COMMON), f"The {kind} schedule", BadSchedule)
    tz = zone(str(document.get("tz") or tz)).name
    calendar_name = str(document["calendar"]) if document.get("calendar") else None
    calendar = None
    if calendar_name is not None:
        calendar = calendars.get(calendar_name) or builtin_calendar(calendar_name)
    schedule = Schedule(
        triggers=(_READ[kind](document, tz, job),),
        start_at=read_instant(document["start"], tz=tz) if document.get("start") is not None else None,
        end_at=read_instant(document["end"], tz=tz) if document.get("end") is not None else None,
        count=_whole(document, "count", 1, 1_000_000_000) if document.get("count") is not None else None,
        jitter_us=parse_duration(document.get("jitter") or 0),
        calendar=calendar,
        calendar_name=calendar_name,
        shift=choice(Shift, document["shift"], "shift", BadSchedule) if document.get("shift") else None,
    )
    return _checked(schedule)


def _kind(document: Mapping[str, Any]) -> str:
    kinds = [kind for kind in _KINDS if kind in document]
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise BadSchedule(f"A schedule is one of {' and '.join(kinds)}, not both.", hint="write a list to have several")
    check_keys(document, (*_KINDS, *_COMMON, "tz", "timezone"), "The schedule", BadSchedule)
    raise BadSchedule(
        "A schedule needs cron, every, at, daily or weekly.", hint='write cron: "0 2 * * *" or every: 15m'
    )


def _checked(schedule: Schedule) -> Schedule:
    if schedule.start_at is not None and schedule.end_at is not None and schedule.end_at <= schedule.start_at:
        raise BadSchedule("The schedule ends before it starts.", hint="exchange start and end")
    if schedule.shift is not None and schedule.calendar_name is None:
        raise BadSchedule("shift needs a calendar.", hint="add calendar: weekdays, or cn-workdays")
    movable = Cron | Daily | Weekly | At
    if schedule.shift is not None and not all(isinstance(one, movable) for one in schedule.triggers):
        raise BadSchedule("An interval has no days to shift.", hint="leave shift out, or use cron, daily or weekly")
    if schedule.fixed_delay_us is not None and schedule.jitter_us:
        raise BadSchedule("An interval from the end of the last run takes no jitter.", hint="leave jitter out")
    return schedule


def _together(entries: list[Schedule]) -> Schedule:
    """A list as one schedule: triggers side by side where all else is equal, else each with its own settings."""
    first = entries[0]
    if any(one.fixed_delay_us is not None for one in entries):
        raise BadSchedule(
            "An interval from the end of the last run stands alone.", hint="leave from_end out of the list"
        )
    if any(one.count != first.count for one in entries):
        raise BadSchedule("count holds for the whole list.", hint="give every entry the same count, or none")
    if all(_has_settings_of(first, one) for one in entries):
        return replace(first, triggers=tuple(one.triggers[0] for one in entries))
    return Schedule(triggers=tuple(replace(one, count=None) for one in entries), count=first.count)


def _has_settings_of(first: Schedule, one: Schedule) -> bool:
    """Whether two entries share all settings; a calendar counts days in the zone of its entry."""
    if first.calendar_name is not None and one.tz != first.tz:
        return False
    return replace(one, triggers=first.triggers) == first


def _read_cron(document: Mapping[str, Any], tz: str, job: str) -> Trigger:
    written = document["cron"]
    if not isinstance(written, str):
        raise BadCron(
            str(written), "an expression is text", field="expression", value=str(written), suggestion="0 2 * * *"
        )
    dialect = choice(CronDialect, document["dialect"], "dialect", BadSchedule) if document.get("dialect") else None
    gap, overlap = _dst(document)
    return Cron(text=written, tz=tz, dialect=dialect, dst_gap=gap, dst_overlap=overlap, job=job)


def _read_every(document: Mapping[str, Any], tz: str, job: str) -> Trigger:
    interval_us = parse_duration(document["every"])
    if interval_us < SECOND or interval_us % SECOND:
        raise BadSchedule(
            f'"{document["every"]}" is not a whole number of seconds.', hint="the shortest interval is 1s"
        )
    if document.get("from_end"):
        if document.get("phase") or document.get("anchor"):
            raise BadSchedule("phase and anchor do not go with from_end.", hint="leave them out")
        return FixedDelay(delay_us=interval_us, tz=tz)
    phase_us = parse_duration(document.get("phase") or 0)
    if document.get("anchor") is not None:
        phase_us += read_instant(document["anchor"], tz=tz)
    return Every(interval_us=interval_us, phase_us=phase_us // SECOND * SECOND % interval_us, tz=tz)


def _read_at(document: Mapping[str, Any], tz: str, job: str) -> Trigger:
    written = document["at"]
    if not isinstance(written, list | tuple):
        written = [written]
    if not 0 < len(written) <= INSTANTS_MAX:
        raise BadSchedule(f"at names 1 to {INSTANTS_MAX} instants.", hint="write at: 2026-01-31T17:00:00Z")
    instants = {read_instant(one, tz=tz) for one in written}
    return At(instants=tuple(sorted(instants)), tz=tz)


def _read_daily(document: Mapping[str, Any], tz: str, job: str) -> Trigger:
    gap, overlap = _dst(document)
    every = _whole(document, "every_days", 1, EVERY_DAYS_MAX)
    said = _since(document)
    return Daily(
        times=_times(document["daily"]),
        tz=tz,
        every=every,
        since=(said or 0) % every,
        dst_gap=gap,
        dst_overlap=overlap,
        since_said=said,
    )


def _read_weekly(document: Mapping[str, Any], tz: str, job: str) -> Trigger:
    gap, overlap = _dst(document)
    if document.get("time") is None:
        raise BadSchedule("weekly needs a time.", hint='write weekly: MON-FRI, time: "09:00"')
    every = _whole(document, "every_weeks", 1, EVERY_WEEKS_MAX)
    said = _since(document)
    return Weekly(
        weekdays=read_weekdays(document["weekly"]),
        times=_times(document["time"]),
        tz=tz,
        every=every,
        since=((said or 0) + 3)
        // 7
        % every
        * 7,  # the Thursday of the first such week since the epoch: one form for all
        dst_gap=gap,
        dst_overlap=overlap,
        since_said=said,
    )


def _since(document: Mapping[str, Any]) -> int | None:
    return read_day(document["since"]) if document.get("since") is not None else None


_READ: Final = {
    "cron": _read_cron,
    "every": _read_every,
    "at": _read_at,
    "daily": _read_daily,
    "weekly": _read_weekly,
}


def _times(written: Any) -> tuple[int, ...]:
    times = written if isinstance(written, list | tuple) else [written]
    if not 0 < len(times) <= TIMES_MAX:
        raise BadSchedule(f"A day has 1 to {TIMES_MAX} times.", hint='write daily: "09:00"')
    return tuple(sorted({read_time(one) for one in times}))


def _dst(document: Mapping[str, Any]) -> tuple[Gap, RepeatedTime]:
    gap = choice(Gap, document.get("dst_gap") or Gap.AFTER, "dst_gap", BadSchedule)
    return gap, choice(RepeatedTime, document.get("dst_overlap") or RepeatedTime.FIRST, "dst_overlap", BadSchedule)


def _whole(document: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = document.get(key, low)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadSchedule(f'{key} "{value}" is not a whole number from {low} to {high}.', hint=f"write {key}: {low}")
    return value


def _written(schedule: Schedule, trigger: Trigger) -> dict[str, Any]:
    if isinstance(trigger, Schedule):
        return {**_written(trigger, trigger.triggers[0]), **({"count": schedule.count} if schedule.count else {})}
    document = _written_trigger(trigger)
    settings = {
        "start": None if schedule.start_at is None else isoformat(schedule.start_at),
        "end": None if schedule.end_at is None else isoformat(schedule.end_at),
        "count": schedule.count,
        "jitter": format_duration(schedule.jitter_us) if schedule.jitter_us else None,
        "calendar": schedule.calendar_name,
        "shift": schedule.shift.value if schedule.shift else None,
    }
    return document | {key: value for key, value in settings.items() if value is not None}


def _written_trigger(trigger: Trigger) -> dict[str, Any]:
    match trigger:
        case Cron():
            dialect = {} if trigger.dialect is None or _is_evident(trigger) else {"dialect": trigger.dialect.value}
            return {"cron": trigger.text} | dialect | _written_wall(trigger)
        case Every():
            phase = {"phase": format_duration(trigger.phase_us)} if trigger.phase_us else {}
            return {"every": format_duration(trigger.interval_us)} | phase | _written_tz(trigger.tz)
        case FixedDelay():
            return {"every": format_duration(trigger.delay_us), "from_end": True} | _written_tz(trigger.tz)
        case At():
            instants = [isoformat(instant) for instant in trigger.instants]
            return {"at": instants if len(instants) > 1 else instants[0]} | _written_tz(trigger.tz)
        case Daily():
            return {"daily": _written_times(trigger.times)} | _written_nth("days", trigger) | _written_wall(trigger)
        case Weekly():
            days = [WEEKDAYS[n % 7] for n in range(1, 8) if trigger.weekdays >> n % 7 & 1]
            document = {"weekly": days, "time": _written_times(trigger.times)}
            return document | _written_nth("weeks", trigger) | _written_wall(trigger)
    raise AssertionError(trigger)


def _is_evident(trigger: Cron) -> bool:
    """Whether the expression tells its dialect by itself, and no other one reads other days."""
    try:
        return parse(trigger.text).dialect is trigger.dialect and other_weekdays(trigger.expression) is None
    except (BadCron, AmbiguousWeekday):
        return False


def _written_times(times: tuple[int, ...]) -> Any:
    written = [write_time(time) for time in times]
    return written if len(written) > 1 else written[0]


def _written_nth(unit: str, trigger: Daily | Weekly) -> dict[str, Any]:
    if trigger.every == 1:
        return {}
    return {f"every_{unit}": trigger.every, "since": date_of(trigger.since).isoformat()}


def _written_tz(tz: str) -> dict[str, str]:
    return {} if tz == "UTC" else {"tz": tz}


def _written_wall(trigger: Cron | Daily | Weekly) -> dict[str, str]:
    gap = {} if trigger.dst_gap is Gap.AFTER else {"dst_gap": trigger.dst_gap.value}
    overlap = {} if trigger.dst_overlap is RepeatedTime.FIRST else {"dst_overlap": trigger.dst_overlap.value}
    return _written_tz(trigger.tz) | gap | overlap
