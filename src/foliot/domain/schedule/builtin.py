"""Calendars everybody has by name: weekdays, weekends, cn-workdays, us-ny-holidays, xnys-workdays …"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from foliot.domain.schedule.calendars import Calendar, DayKind
from foliot.domain.schedule.errors import BadCalendar, UnknownCalendar
from foliot.domain.schedule.workdays import Place, check_place

SHOWN: Final = (
    "weekdays", "weekends", "cn-workdays", "cn-holidays", "us-workdays", "us-holidays", "xnys-workdays",
)  # fmt: skip
"""Built-in calendars that lists name: there is one of each kind for every country, part of one, and market."""

_PLACE = re.compile(r"([a-z]{2})(?:-([a-z0-9]{1,4}))?-(workdays|holidays)|([a-z]{4})-(workdays|holidays)")


def find_calendar(name: str, calendars: Mapping[str, Calendar]) -> Calendar:
    """The calendar of this name: one that was defined, else a built-in; UnknownCalendar otherwise."""
    found = calendars.get(name) or builtin_calendar(name)
    if found is None:
        close = get_close_matches(name[:100], [*calendars, *SHOWN], n=1, cutoff=0.6)
        raise UnknownCalendar(name, nearest=close[0] if close else None)
    return found


def builtin_calendar(name: str) -> Calendar | None:
    """The built-in calendar of this name, if there is one."""
    if name == "weekdays":
        return Calendar(name=name, days=DayKind.WORKDAYS)
    if name == "weekends":
        return Calendar(name=name, days=DayKind.HOLIDAYS)
    written = _PLACE.fullmatch(name)
    if written is None:
        return None
    if written[4]:
        place = Place(market=written[4].upper())
    else:
        place = Place(country=written[1].upper(), subdivision=(written[2] or "").upper())
    try:
        return Calendar(name=name, place=check_place(place), days=DayKind(written[3] or written[5]))
    except BadCalendar:
        return None
