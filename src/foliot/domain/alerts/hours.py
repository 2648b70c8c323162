"""Working hours: read, written, and when a message that comes outside of them is told."""

import re
from typing import Any, Final

from foliot.domain.alerts.rule import Hours
from foliot.domain.document_values import mapping, shown, text
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.zones import zone

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MINUTES_A_DAY: Final = 24 * 60
_FIELDS: Final = ("days", "from", "to", "timezone")
_CLOCK: Final = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)", re.ASCII)
_DAY_S: Final = 86_400
_MINUTE_S: Final = 60
_HINT: Final = 'write {days: mon-fri, from: "09:00", to: "18:00", timezone: Asia/Shanghai}'


def hours_from(written: Any, path: str = "hours") -> Hours | None:
    """Read hours; None when nothing is written."""
    fields = mapping(written, path, _FIELDS)
    if not fields:
        return None
    name = text(fields.get("timezone", "UTC"), f"{path}.timezone")
    try:
        zone(name)
    except InvalidInput as error:
        raise BadField(f"{path}.timezone", error.sentence.rstrip("."), hint=error.hint) from error
    return Hours(
        days=_days(fields.get("days", "mon-sun"), f"{path}.days"),
        from_minute=_minute(fields.get("from", "00:00"), f"{path}.from") % MINUTES_A_DAY,
        to_minute=_minute(fields.get("to", "24:00"), f"{path}.to"),
        timezone=name,
    )


def written_hours(hours: Hours | None) -> dict[str, Any]:
    """The one form of hours."""
    if hours is None:
        return {}
    days = [DAYS[day] for day in sorted(hours.days)]
    return {
        "days": days,
        "from": _clock(hours.from_minute),
        "to": _clock(hours.to_minute),
        "timezone": hours.timezone,
    }


def told_from(hours: Hours | None, at: Instant) -> Instant:
    """When something that comes at this instant is told: at once, or when the hours next begin.

    Hours whose end is not above their beginning end the next day, and belong to the day on which they begin.
    """
    if hours is None:
        return at
    second = at // SECOND
    reading = second + zone(hours.timezone).offset_at(second)  # what the wall clock shows, counted like an instant
    today = reading // _DAY_S
    length = (hours.to_minute - hours.from_minute - 1) % MINUTES_A_DAY + 1  # in minutes; 1 … a whole day
    for day in range(today - 1, today + 9):
        begins = day * _DAY_S + hours.from_minute * _MINUTE_S
        if _weekday(day) not in hours.days or begins + length * _MINUTE_S <= reading:
            continue
        return at if begins <= reading else at + (begins - reading) * SECOND
    return at  # no day at all: never wait for ever


def _weekday(day: int) -> int:
    """Of a day since 1970-01-01, which was a Thursday; 0: Monday."""
    return (day + 3) % 7


def _days(written: Any, path: str) -> frozenset[int]:
    given = written if isinstance(written, list | tuple) else [written]
    days: set[int] = set()
    for one in given:
        for part in text(one, path).lower().replace(" ", "").split(","):
            first, _, last = part.partition("-")
            if first not in DAYS or (last and last not in DAYS):
                raise BadField(path, f"{shown(one)} is no day", hint=_HINT)
            start = DAYS.index(first)
            count = (DAYS.index(last or first) - start) % 7 + 1
            days |= {(start + nth) % 7 for nth in range(count)}
    return frozenset(days)


def _minute(written: Any, path: str) -> int:
    found = _CLOCK.fullmatch(text(written, path).strip())
    minute = int(found[1]) * 60 + int(found[2]) if found else MINUTES_A_DAY + 1
    if minute > MINUTES_A_DAY:
        raise BadField(path, f"{shown(written)} is no time of day", hint=_HINT)
    return minute


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
