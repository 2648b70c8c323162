"""When a job was due, found the slow and plain way: look at every second. Shares nothing with the engine."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

SECOND: Final = 1_000_000
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NAMES: Final = {name: number for number, name in enumerate(["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"])}


class NotUnderstood(Exception):
    """A schedule outside what the oracle knows: the workload must not use it."""


def instants(schedule: Any, after_us: int, until_us: int) -> list[int]:
    """Every due instant in (after, until], in µs."""
    documents = schedule if isinstance(schedule, list) else [schedule]
    found: set[int] = set()
    for document in documents:
        found.update(second * SECOND for second in _seconds(document, after_us, until_us))
    return sorted(instant for instant in found if after_us < instant <= until_us)


def is_fixed_delay(schedule: Any) -> bool:
    """Whether instants follow the ends of runs: then there is no grid to compare with."""
    return isinstance(schedule, Mapping) and bool(schedule.get("from_end"))


def _seconds(document: Mapping[str, Any], after_us: int, until_us: int) -> Iterator[int]:
    first, last = after_us // SECOND, until_us // SECOND
    if "every" in document:
        step, phase = _duration(document["every"]), _duration(document.get("phase", "0s"))
        yield from (second for second in range(first, last + 1) if (second - phase) % step == 0)
    elif "at" in document:
        listed = document["at"] if isinstance(document["at"], list) else [document["at"]]
        yield from (int(datetime.fromisoformat(text).timestamp()) for text in listed)
    elif "cron" in document:
        yield from _cron_seconds(document, first, last)
    else:
        raise NotUnderstood(str(document))


def _cron_seconds(document: Mapping[str, Any], first: int, last: int) -> Iterator[int]:
    zone = ZoneInfo(document.get("tz", "UTC"))
    fields = document["cron"].split()
    if len(fields) == 5:
        fields = ["0", *fields]
    if len(fields) != 6 or any(letter in document["cron"] for letter in "LW#?H@"):
        raise NotUnderstood(document["cron"])
    bounds = [(0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 7)]
    wanted = [_field(text, low, high) for text, (low, high) in zip(fields, bounds, strict=True)]
    either = fields[3] != "*" and fields[5] != "*"
    fixed = "*" not in fields[2] and "/" not in fields[2]
    for second in range(first, last + 1):
        local = datetime.fromtimestamp(second, UTC).astimezone(zone)
        if _matches(local, wanted, either=either):
            if fixed and local.fold:
                continue  # a fixed time fires in the first pass only
            yield second
        elif fixed and _ends_a_gap(second, zone):
            skipped_from = datetime.fromtimestamp(second - 1, UTC).astimezone(zone).replace(tzinfo=None)
            lost = int((local.replace(tzinfo=None) - skipped_from).total_seconds()) - 1
            if any(_matches(skipped_from + timedelta(seconds=n + 1), wanted, either=either) for n in range(lost)):
                yield second  # the first valid instant after the gap


def _ends_a_gap(second: int, zone: ZoneInfo) -> bool:
    here = datetime.fromtimestamp(second, UTC).astimezone(zone).utcoffset()
    before = datetime.fromtimestamp(second - 1, UTC).astimezone(zone).utcoffset()
    return here is not None and before is not None and here > before


def _matches(local: datetime, wanted: list[frozenset[int]], *, either: bool) -> bool:
    seconds, minutes, hours, days, months, weekdays = wanted
    weekday = (local.weekday() + 1) % 7
    on_day, on_weekday = local.day in days, weekday in weekdays
    return (
        local.second in seconds
        and local.minute in minutes
        and local.hour in hours
        and local.month in months
        and (on_day or on_weekday if either else on_day and on_weekday)
    )


def _field(text: str, low: int, high: int) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        start, _, end = span.partition("-")
        if span == "*":
            lowest, highest = low, high
        else:
            lowest = _number(start)
            highest = _number(end) if end else (high if step else lowest)
        values.update(range(lowest, highest + 1, int(step or 1)))
    return frozenset(value % 7 for value in values) if high == 7 else frozenset(values)


def _number(text: str) -> int:
    return _NAMES[text.upper()] if text.upper() in _NAMES else int(text)


def _duration(text: str) -> int:
    total, digits = 0, ""
    for letter in str(text):
        if letter.isdigit():
            digits += letter
        else:
            total += int(digits) * _UNITS[letter]
            digits = ""
    return total + (int(digits) if digits else 0)
