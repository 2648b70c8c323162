"""The form a calendar has in job files: reading it and writing it."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.instants import isoformat
from foliot.domain.schedule.calendars import ALL_WEEKDAYS, Blackout, Calendar, ClosedHours, DayKind, Shift
from foliot.domain.schedule.cron.fields import WEEKDAYS
from foliot.domain.schedule.days import date_of
from foliot.domain.schedule.errors import BadCalendar
from foliot.domain.schedule.ics import days_of_ics
from foliot.domain.schedule.known_words import check_keys, choice
from foliot.domain.schedule.moments import (
    has_offset,
    read_day,
    read_hours,
    read_instant,
    read_weekdays,
    read_yearly_day,
    write_time,
)
from foliot.domain.schedule.times import DAY_S
from foliot.domain.schedule.workdays import Place, check_place
from foliot.domain.schedule.zones import zone

LIST_MAX: Final = 1000
_KEYS: Final = (
    "tz", "country", "subdivision", "market", "days", "weekdays", "only", "include", "exclude", "blackouts", "shift",
    "ics", "mode",
)  # fmt: skip


def calendar_from_document(name: str, document: Any) -> Calendar:
    """Read a calendar. `ics` is the text of an iCalendar file, whose days `mode` takes as `only` or `except`."""
    if not isinstance(document, Mapping):
        raise BadCalendar(
            f'Calendar "{name}" is not a mapping.',
            hint="write {country: CN}, or exclude: [2026-12-31]",
            problem="not_mapping",
            name=name,
        )
    check_keys(document, _KEYS, f'Calendar "{name}"', BadCalendar)
    tz = document.get("tz")
    if tz is not None:
        tz = zone(str(tz)).name
    only, exclude = _read_ics(name, document)
    yearly = [found for one in _listed(document, "exclude") if (found := read_yearly_day(one)) is not None]
    exclude |= {read_day(one) for one in _listed(document, "exclude") if read_yearly_day(one) is None}
    if "only" in document:
        only = (only or frozenset()) | {read_day(one) for one in _listed(document, "only")}
    place = _place(document)
    blackouts, closed_hours = _read_blackouts(name, document, tz)
    return Calendar(
        name=name,
        tz=tz,
        place=place,
        days=choice(DayKind, document.get("days", "workdays" if place else "all"), "days", BadCalendar),
        weekdays=read_weekdays(document["weekdays"]) if "weekdays" in document else ALL_WEEKDAYS,
        only=only,
        include=frozenset(read_day(one) for one in _listed(document, "include")),
        exclude=exclude,
        exclude_yearly=frozenset(yearly),
        blackouts=blackouts,
        closed_hours=closed_hours,
        shift=choice(Shift, document["shift"], "shift", BadCalendar) if document.get("shift") else None,
    )


def calendar_to_document(calendar: Calendar) -> dict[str, Any]:
    """Write a calendar, leaving out what is as usual; days of an iCalendar file are written out."""
    place = calendar.place
    usual = DayKind.WORKDAYS if place else DayKind.ALL
    document: dict[str, Any] = {
        "tz": calendar.tz,
        "country": place and place.country,
        "subdivision": place and place.subdivision,
        "market": place and place.market,
        "days": calendar.days.value if calendar.days is not usual else None,
        "weekdays": _write_weekdays(calendar.weekdays) if calendar.weekdays != ALL_WEEKDAYS else None,
        "only": None if calendar.only is None else _write_days(calendar.only),
        "include": _write_days(calendar.include),
        "exclude": _write_days(calendar.exclude) + [f"{m:02}-{d:02}" for m, d in sorted(calendar.exclude_yearly)],
        "blackouts": [*map(_write_blackout, calendar.blackouts), *map(_write_hours, calendar.closed_hours)],
        "shift": calendar.shift and calendar.shift.value,
    }
    return {key: value for key, value in document.items() if value or (key == "only" and value is not None)}


def _read_ics(name: str, document: Mapping[str, Any]) -> tuple[frozenset[int] | None, frozenset[int]]:
    if "ics" not in document:
        if "mode" in document:
            raise BadCalendar(
                f'Calendar "{name}": mode belongs to ics.',
                hint="write only: or exclude: for listed days",
                problem="mode_alone",
                name=name,
            )
        return None, frozenset()
    days = days_of_ics(str(document["ics"]), name=name)
    mode = document.get("mode", "except")
    if mode not in ("only", "except"):
        raise BadCalendar(
            f'Calendar "{name}": mode "{mode}" is not known.',
            hint="mode is only or except",
            problem="mode",
            name=name,
            value=str(mode),
        )
    return (days, frozenset()) if mode == "only" else (None, days)


def _listed(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key, [])
    found = list(value) if isinstance(value, list | tuple) else [value]
    if len(found) > LIST_MAX:
        raise BadCalendar(
            f"{key} has {len(found)} entries; {LIST_MAX} are kept.",
            hint="use country:, weekdays: or ics:",
            problem="entries",
            key=key,
            count=len(found),
            most=LIST_MAX,
        )
    return found


def _place(document: Mapping[str, Any]) -> Place | None:
    market, country = document.get("market"), document.get("country")
    if market:
        return check_place(Place(market=str(market).upper()))
    if country:
        return check_place(Place(str(country).upper(), str(document.get("subdivision") or "").upper()))
    return None


def _read_blackouts(
    name: str, document: Mapping[str, Any], tz: str | None
) -> tuple[tuple[Blackout, ...], tuple[ClosedHours, ...]]:
    blackouts: list[Blackout] = []
    hours: list[ClosedHours] = []
    for one in _listed(document, "blackouts"):
        if not isinstance(one, Mapping) or not ({"from", "to"} <= one.keys() or "daily" in one):
            raise BadCalendar(
                f'Calendar "{name}": a blackout needs from and to, or daily.',
                hint='write {from: 2026-11-10 22:00, to: 2026-11-12 02:00} or {daily: "22:00-06:00", on: SAT}',
                problem="blackout",
                name=name,
            )
        why = str(one.get("why", ""))
        if "daily" in one:
            check_keys(one, ("daily", "on", "why"), f'A blackout of calendar "{name}"', BadCalendar)
            start, end = read_hours(one["daily"])
            hours.append(ClosedHours(start=start, end=end, weekdays=read_weekdays(one.get("on", "*")), why=why))
        else:
            check_keys(one, ("from", "to", "why"), f'A blackout of calendar "{name}"', BadCalendar)
            blackouts.append(_read_blackout(name, one, tz, why))
    return tuple(blackouts), tuple(hours)


def _read_blackout(name: str, one: Mapping[str, Any], tz: str | None, why: str) -> Blackout:
    is_by_wall = tz is None and not has_offset(one["from"])
    if tz is None and has_offset(one["to"]) is is_by_wall:
        raise BadCalendar(
            f'Calendar "{name}": of a blackout\'s from and to, one has an offset and the other has none.',
            hint="write both with an offset, both without, or give the calendar a tz",
            problem="offset",
            name=name,
        )
    start_at, end_at = read_instant(one["from"], tz=tz or "UTC"), read_instant(one["to"], tz=tz or "UTC")
    if end_at <= start_at:
        raise BadCalendar(
            f'Calendar "{name}": a blackout ends before it begins.',
            hint="exchange from and to",
            problem="order",
            name=name,
        )
    return Blackout(start_at=start_at, end_at=end_at, why=why, is_by_wall=is_by_wall)


def _write_days(days: frozenset[int]) -> list[str]:
    return [date_of(day).isoformat() for day in sorted(days)]


def _write_weekdays(mask: int) -> list[str]:
    return [WEEKDAYS[n % 7] for n in range(1, 8) if mask >> n % 7 & 1]


def _write_blackout(blackout: Blackout) -> dict[str, str]:
    start, end = isoformat(blackout.start_at), isoformat(blackout.end_at)
    if blackout.is_by_wall:
        start, end = start.removesuffix("Z"), end.removesuffix("Z")
    return _with_why({"from": start, "to": end}, blackout.why)


def _write_hours(hours: ClosedHours) -> dict[str, str]:
    end = "24:00" if hours.end == DAY_S else write_time(hours.end)
    document = {"daily": f"{write_time(hours.start)}-{end}"}
    if hours.weekdays != ALL_WEEKDAYS:
        document["on"] = ",".join(_write_weekdays(hours.weekdays))
    return _with_why(document, hours.why)


def _with_why(document: dict[str, str], why: str) -> dict[str, str]:
    return {**document, "why": why} if why else document
