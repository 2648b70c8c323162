"""The same expression in another dialect, where that dialect can say it."""

from dataclasses import dataclass
from typing import Any

from foliot.domain.schedule.cron.field_text import (
    NoEquivalent,
    is_spread,
    narrows,
    star_with_same_days,
    write_field,
    write_weekday,
)
from foliot.domain.schedule.cron.fields import WEEKDAYS, CronDialect, Expression, Span
from foliot.domain.schedule.cron.parser import LENGTH_MAX, parse
from foliot.domain.schedule.cron.strict import foreign_item
from foliot.domain.schedule.errors import NotConvertible


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """An expression in another dialect. `foreign`: the first item that only Foliot reads there."""

    text: str
    dialect: CronDialect
    foreign: str | None

    @property
    def is_portable(self) -> bool:
        """Whether the programs of that dialect read it as well."""
        return self.foreign is None


NAMES = {CronDialect.UNIX: "Unix cron", CronDialect.QUARTZ: "Quartz", CronDialect.SPRING: "Spring"}


def convert(text: str, to: CronDialect, *, dialect: CronDialect | None = None) -> Converted:
    """Write an expression in another dialect, weekdays by name; NotConvertible says why it cannot be.

    Both fire at the same instants, in every zone.
    """
    expression = parse(text, dialect)
    try:
        written = _with(expression, to, _days(expression, to))
    except NoEquivalent as unwritable:
        problem = f"{NAMES[to]} has no numbers for weekday {unwritable}"
        raise _not(expression, to, problem, "name the weekdays", why="numbers") from None
    if to is CronDialect.UNIX and (expression.second.mask != 1 or is_spread(expression.second)):
        hint = "keep the dialect, or use every: for seconds"
        raise _not(expression, to, "Unix cron has no seconds", hint, why="seconds")
    if expression.year is not None and not expression.year.is_any:
        if to is not CronDialect.QUARTZ:
            hint = "give the schedule a start and an end instead"
            raise _not(expression, to, f"{NAMES[to]} has no years", hint, why="years")
        written = f"{written} {write_field(expression.year, to)}"
    if len(written) > LENGTH_MAX:
        problem = f"it would have more than {LENGTH_MAX} characters"
        raise _not(expression, to, problem, "write a list of schedules", why="length")
    return Converted(text=written, dialect=to, foreign=foreign_item(written, to))


def _days(expression: Expression, to: CronDialect) -> tuple[str, str]:
    """The day and weekday fields. Where both narrow, dialects join them differently, and only some can say it."""
    day, weekday = write_field(expression.day, to), write_weekday(expression.weekday, expression.dialect, to)
    free = "?" if to is CronDialect.QUARTZ else "*"
    is_day, is_weekday = narrows(expression.day), narrows(expression.weekday)
    if expression.joins_by_or and not (is_day and is_weekday):
        return "*", free  # every day fits one of the two
    if not is_weekday:
        return (day if is_day else "*"), free
    if not is_day:
        return free, weekday
    nth = _nth(expression)
    if nth is not None:
        return free, nth
    if expression.joins_by_or:
        return _by_or(expression, to, day, weekday)
    return _by_and(expression, to, day, weekday)


def _by_or(expression: Expression, to: CronDialect, day: str, weekday: str) -> tuple[str, str]:
    if to is CronDialect.UNIX:
        return day, weekday
    free = "?" if to is CronDialect.QUARTZ else "*"
    one, other = (_with(expression, to, days) for days in ((day, free), (free, weekday)))
    problem = f"{NAMES[to]} cannot join day {day} and weekday {weekday} by OR"
    raise _not(expression, to, problem, f"write a list of two: {one} and {other}", why="or", instead=[one, other])


def _by_and(expression: Expression, to: CronDialect, day: str, weekday: str) -> tuple[str, str]:
    """Spring always joins by AND, Unix does where one of the fields begins with a star."""
    if to is CronDialect.SPRING or (to is CronDialect.UNIX and day.startswith("*")):
        return day, weekday
    if to is CronDialect.UNIX and expression.dialect is CronDialect.UNIX:
        return day, expression.weekday.text  # its star joins by AND
    star = star_with_same_days(expression.weekday) if to is CronDialect.UNIX else None
    if star is not None:
        return day, star
    problem = f"{NAMES[to]} cannot join day {day} and weekday {weekday} by AND"
    raise _not(expression, to, problem, "keep the dialect", why="and")


def _nth(expression: Expression) -> str | None:
    """Days 1-7 (8-14 …) that are also one weekday: the n-th of the month."""
    weekday = expression.weekday
    if expression.joins_by_or or is_spread(weekday) or any(not isinstance(item, Span) for item in weekday.items):
        return None
    for nth in range(1, 6):
        week = sum(1 << day for day in range(7 * nth - 6, min(7 * nth, 31) + 1))
        if expression.day.mask == week and len(expression.day.items) == 1 and weekday.mask.bit_count() == 1:
            return f"{WEEKDAYS[weekday.mask.bit_length() - 1]}#{nth}"
    return None


def _with(expression: Expression, to: CronDialect, days: tuple[str, str]) -> str:
    minute, hour, month = (write_field(one, to) for one in (expression.minute, expression.hour, expression.month))
    written = f"{minute} {hour} {days[0]} {month} {days[1]}"
    return written if to is CronDialect.UNIX else f"{write_field(expression.second, to)} {written}"


def _not(expression: Expression, to: CronDialect, problem: str, hint: str, **told: Any) -> NotConvertible:
    text = expression.text
    return NotConvertible(f'"{text}": {problem}.', hint=hint, text=text, to=to.value, name=NAMES[to], **told)
