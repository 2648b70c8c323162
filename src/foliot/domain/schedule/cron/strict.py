"""What the programs of a dialect read themselves: Foliot reads more, so that a crontab may hold `L` or `H`.

Checked against vixie cron and cronie, Quartz 2.3 and Spring 6.
"""

import re
from collections.abc import Callable
from typing import Final

from foliot.domain.schedule.cron.fields import MONTHS, WEEKDAYS, CronDialect

_VALUE: Final = r"[0-9]{1,4}|[A-Z]{3}"
_SPAN: Final = re.compile(rf"(?:(?P<star>\*)|(?P<first>{_VALUE})(?:-(?P<last>{_VALUE}))?)(?:/(?P<step>[0-9]+))?")
_SPECIAL: Final = re.compile(
    rf"L(?:-(?P<before>[0-9]+))?(?P<nearest>W)?|(?P<day>[0-9]+)W|(?:{_VALUE})(?:#(?P<nth>[1-5])|L)"
)
_FIELDS: Final = ("second", "minute", "hour", "day", "month", "weekday", "year")
_QUARTZ_STEPS: Final = {"second": 59, "minute": 59, "hour": 23, "day": 31, "month": 12, "weekday": 7, "year": 230}
_FIFTH: Final = "5"
_SAFE_DAY_MAX: Final = 27  # later days leave the month in a February, where programs differ


def foreign_item(text: str, dialect: CronDialect) -> str | None:
    """The first item of an expression that the dialect's own programs refuse or read otherwise; None: they read all."""
    names = _FIELDS[1:6] if dialect is CronDialect.UNIX else _FIELDS
    for name, field in zip(names, text.split(), strict=False):
        for item in field.split(","):
            if not _is_read(name, field, item, dialect):
                return item
    return None


def _is_read(name: str, field: str, item: str, dialect: CronDialect) -> bool:
    if item == "?":
        return dialect is not CronDialect.UNIX and field == "?"
    special = _SPECIAL.fullmatch(item) if name in ("day", "weekday") else None
    if special is not None:
        return _IS_SPECIAL_READ[dialect](special, field)
    span = _SPAN.fullmatch(item)
    return span is not None and _IS_SPAN_READ[dialect](name, span)


def _is_special_read_by_quartz(item: re.Match[str], field: str) -> bool:
    if item["nearest"] and int(item["before"] or 0) > _SAFE_DAY_MAX:
        return False  # Quartz looks for it for ever in a month that is too short
    return "," not in field and int(item["day"] or 0) <= _SAFE_DAY_MAX


def _is_special_read_by_spring(item: re.Match[str], field: str) -> bool:
    if item["before"] and (item["nearest"] or not 0 < int(item["before"]) <= _SAFE_DAY_MAX):
        return False
    if item["nth"] == _FIFTH:
        return False  # in a month without a fifth one Spring takes a day of the next month
    return int(item["day"] or 0) <= _SAFE_DAY_MAX


def _is_span_read_by_unix(name: str, span: re.Match[str]) -> bool:
    is_single = not span["star"] and not span["last"]
    return not (is_single and span["step"]) and _is_ascending(name, span, sunday=0)


def _is_span_read_by_quartz(name: str, span: re.Match[str]) -> bool:
    """Behind a name Quartz does not look for a step; ranges may go round the end, but not those of years."""
    is_named = bool(span["first"]) and span["first"].isalpha()
    if span["step"] and (is_named or int(span["step"]) > _QUARTZ_STEPS[name]):
        return False
    return name != "year" or _is_ascending(name, span, sunday=0)


def _is_span_read_by_spring(name: str, span: re.Match[str]) -> bool:
    return _is_ascending(name, span, sunday=7)


def _is_ascending(name: str, span: re.Match[str], *, sunday: int) -> bool:
    """Whether a range runs forward; `sunday`: its number at the end of a range, at the front it is 0."""
    if not span["last"]:
        return True
    return _number(name, span["first"], sunday=0) <= _number(name, span["last"], sunday=sunday)


def _number(name: str, value: str, *, sunday: int) -> int:
    if value.isdecimal():
        return int(value)
    if name == "weekday":
        return WEEKDAYS.index(value) or sunday
    return MONTHS.index(value) + 1


_IS_SPECIAL_READ: Final[dict[CronDialect, Callable[[re.Match[str], str], bool]]] = {
    CronDialect.UNIX: lambda item, field: False,
    CronDialect.QUARTZ: _is_special_read_by_quartz,
    CronDialect.SPRING: _is_special_read_by_spring,
}
_IS_SPAN_READ: Final[dict[CronDialect, Callable[[str, re.Match[str]], bool]]] = {
    CronDialect.UNIX: _is_span_read_by_unix,
    CronDialect.QUARTZ: _is_span_read_by_quartz,
    CronDialect.SPRING: _is_span_read_by_spring,
}
