"""The days of an iCalendar (.ics) file.

Read are events with a date or a date and time; an event that repeats must do so yearly on the same date, which is how
holiday calendars are published. Anything else is refused rather than misread.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from foliot.domain.schedule.days import LAST_YEAR, day_number
from foliot.domain.schedule.errors import BadCalendar

_DATE: Final = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(T[0-9]{6}Z?)?")
_EVENT_DAYS_MAX: Final = 366
ICS_MAX: Final = 4_000_000


def days_of_ics(text: str, *, name: str) -> frozenset[int]:
    """All days that an event of the file covers."""
    if len(text) > ICS_MAX:
        raise BadCalendar(
            f'Calendar "{name}": the file has more than {ICS_MAX} characters.',
            hint="keep the years needed",
            problem="too_long",
            name=name,
            most=ICS_MAX,
        )
    if "BEGIN:VCALENDAR" not in text.upper():
        raise BadCalendar(
            f'Calendar "{name}": this is not an iCalendar file.',
            hint="give the content of a .ics file",
            problem="not_ics",
            name=name,
        )
    days: set[int] = set()
    for event in _events(text):
        if event.get("STATUS", "").upper() != "CANCELLED":
            days |= _days(event, name)
    return frozenset(days)


def _events(text: str) -> Iterator[dict[str, str]]:
    event: dict[str, str] | None = None
    for line in re.sub(r"\r?\n[ \t]", "", text).splitlines():
        key, _, value = line.partition(":")
        key = key.partition(";")[0].upper()
        if key == "BEGIN" and value.upper() == "VEVENT":
            event = {}
        elif key == "END" and value.upper() == "VEVENT" and event is not None:
            yield event
            event = None
        elif event is not None:
            event[key] = value.strip()


def _days(event: dict[str, str], name: str) -> set[int]:
    start, _ = _date(event.get("DTSTART", ""), name)
    end, has_time = _date(event["DTEND"], name) if "DTEND" in event else (start, True)
    last = max(start, end if has_time and not event.get("DTEND", "").endswith(("T000000", "T000000Z")) else end - 1)
    if last - start > _EVENT_DAYS_MAX:
        raise BadCalendar(
            f'Calendar "{name}": an event lasts more than a year.', hint="split it", problem="long_event", name=name
        )
    days = set(range(start, last + 1))
    return days | _repeated(days, event, name) if "RRULE" in event else days


def _date(value: str, name: str) -> tuple[int, bool]:
    found = _DATE.fullmatch(value)
    try:
        if found is None:
            raise ValueError(value)
        return day_number(date(int(found[1]), int(found[2]), int(found[3]))), found[4] is not None
    except ValueError:
        raise BadCalendar(
            f'Calendar "{name}": "{value}" is not a date.',
            hint="DTSTART is 20260131",
            problem="date",
            name=name,
            value=value,
        ) from None


def _repeated(days: set[int], event: dict[str, str], name: str) -> set[int]:
    rule = dict(part.partition("=")[::2] for part in event["RRULE"].upper().split(";") if part)
    if rule.pop("FREQ", "") != "YEARLY" or rule.pop("INTERVAL", "1") != "1" or rule.keys() - {"UNTIL", "COUNT", "WKST"}:
        raise BadCalendar(
            f'Calendar "{name}": RRULE:{event["RRULE"]} repeats otherwise than yearly on one date.',
            hint="list the days as events, or use country: for public holidays",
            problem="repeat",
            name=name,
            value=event["RRULE"],
        )
    until = _date(rule["UNTIL"], name)[0] if "UNTIL" in rule else day_number(date(LAST_YEAR, 12, 31))
    years = int(rule["COUNT"]) if rule.get("COUNT", "").isdecimal() else LAST_YEAR
    found: set[int] = set()
    for day in days:
        first = date.fromordinal(day + _ORDINAL)
        for year in range(first.year, min(first.year + years, LAST_YEAR + 1)):
            try:
                number = day_number(first.replace(year=year))
            except ValueError:
                continue  # 29 February in a common year
            if number <= until:
                found.add(number)
    return found


_ORDINAL: Final = date(1970, 1, 1).toordinal()
