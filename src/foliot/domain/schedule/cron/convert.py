"""The same expression in another dialect, where that dialect can say it."""

from dataclasses import dataclass

from foliot.domain.schedule.cron.fields import (
    WEEKDAYS,
    Dialect,
    Expression,
    Field,
    Item,
    LastWeekday,
    NthWeekday,
    Span,
)
from foliot.domain.schedule.cron.parse import parse
from foliot.domain.schedule.errors import NotConvertible


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """An expression in another dialect. `is_portable`: other programs of that dialect read it as well."""

    text: str
    dialect: Dialect
    is_portable: bool


def convert(text: str, to: Dialect, *, dialect: Dialect | None = None) -> Converted:
    """Write an expression in another dialect, weekdays by name; NotConvertible says why it cannot be."""
    expression = parse(text, dialect)
    day, weekday = _days(expression, to)
    fields = [_portable(expression.minute), _portable(expression.hour), day, _portable(expression.month), weekday]
    if to is Dialect.UNIX:
        if expression.second.mask != 1:
            raise _not(expression, to, "Unix cron has no seconds", "keep the dialect, or use every: for seconds")
    else:
        fields.insert(0, _portable(expression.second))
    if expression.year is not None and not expression.year.is_any:
        if to is not Dialect.QUARTZ:
            raise _not(expression, to, f"{_NAMES[to]} has no years", "give the schedule a start and an end instead")
        fields.append(_portable(expression.year))
    written = " ".join(fields)
    return Converted(text=written, dialect=to, is_portable=_is_portable(expression, to))


_NAMES = {Dialect.UNIX: "Unix cron", Dialect.QUARTZ: "Quartz", Dialect.SPRING: "Spring"}


def _days(expression: Expression, to: Dialect) -> tuple[str, str]:
    """The day and weekday fields. Where both restrict, dialects join them differently, and only some can say it."""
    day, weekday = _portable(expression.day), _weekday(expression.weekday)
    if expression.day.is_any or expression.weekday.is_any:
        return _one_restricts(expression, day, weekday, to)
    nth = _nth(expression)
    if nth is not None:
        return ("?" if to is Dialect.QUARTZ else "*"), nth
    if expression.joins_by_or:
        if to is Dialect.UNIX:
            return day, weekday
        star = "?" if to is Dialect.QUARTZ else "*"
        one, other = (_with(expression, to, pair) for pair in ((day, star), (star, weekday)))
        problem = f"{_NAMES[to]} cannot join day {day} and weekday {weekday} by OR"
        raise _not(expression, to, problem, f"write a list of two: {one} and {other}")
    if to is Dialect.SPRING or (to is Dialect.UNIX and expression.dialect is Dialect.UNIX):
        return day, weekday
    problem = f"{_NAMES[to]} cannot join day {day} and weekday {weekday} by AND"
    raise _not(expression, to, problem, "keep the dialect")


def _one_restricts(expression: Expression, day: str, weekday: str, to: Dialect) -> tuple[str, str]:
    day, weekday = day.replace("?", "*"), weekday.replace("?", "*")
    if to is Dialect.QUARTZ:
        return (day, "?") if expression.weekday.is_any else ("?", weekday)
    # An unrestricted field is written as a star, since that is what crontab's rule for joining looks at.
    return ("*" if expression.day.is_any else day), ("*" if expression.weekday.is_any else weekday)


def _nth(expression: Expression) -> str | None:
    """Days 1-7 (8-14 …) that are also one weekday: the n-th of the month."""
    if expression.joins_by_or or any(not isinstance(item, Span) for item in expression.weekday.items):
        return None
    for nth in range(1, 6):
        week = sum(1 << day for day in range(7 * nth - 6, min(7 * nth, 31) + 1))
        if expression.day.mask == week and expression.weekday.mask.bit_count() == 1 and len(expression.day.items) == 1:
            return f"{WEEKDAYS[expression.weekday.mask.bit_length() - 1]}#{nth}"
    return None


def _with(expression: Expression, to: Dialect, days: tuple[str, str]) -> str:
    seconds = [] if to is Dialect.UNIX else [_portable(expression.second)]
    parts = [_portable(expression.minute), _portable(expression.hour), days[0], _portable(expression.month), days[1]]
    return " ".join([*seconds, *parts])


def _portable(field: Field) -> str:
    """The field as written, with ranges round the end of the field split in two, which not every cron reads."""
    return ",".join(
        f"{item.first}-{field.kind.high},{field.kind.low}-{item.last}"
        if isinstance(item, Span) and item.last < item.first and item.step == 1
        else text
        for item, text in zip(field.items, field.text.split(","), strict=True)
    )


def _weekday(field: Field) -> str:
    """Weekdays by name, which mean the same everywhere."""
    return ",".join(_weekday_item(item, text) for item, text in zip(field.items, field.text.split(","), strict=True))


def _weekday_item(item: Item, text: str) -> str:
    match item:
        case NthWeekday():
            return f"{WEEKDAYS[item.weekday]}#{item.nth}"
        case LastWeekday():
            return f"{WEEKDAYS[item.weekday]}L"
        case Span() if text[0] not in "*?H" and "~" not in text:
            return _weekday_span(item, text)
    return text


def _weekday_span(span: Span, text: str) -> str:
    step = f"/{span.step}" if span.step > 1 else ""
    if "-" not in text:
        return f"{WEEKDAYS[span.first]}{step}"
    days = span.last - span.first if span.last >= span.first else span.last - span.first + 7
    values = [(span.first + n) % 7 for n in range(0, days + 1, span.step)]
    if span.last < span.first or span.step > 1:
        return ",".join(WEEKDAYS[value] for value in values)
    return f"{WEEKDAYS[span.first]}-{WEEKDAYS[span.last]}"


def _is_portable(expression: Expression, to: Dialect) -> bool:
    fields = (
        expression.second,
        expression.minute,
        expression.hour,
        expression.day,
        expression.month,
        expression.weekday,
    )
    has_spread = any("~" in field.text or field.text.startswith("H") or ",H" in field.text for field in fields)
    specials = (
        any(not isinstance(item, Span) for field in fields for item in field.items) or _nth(expression) is not None
    )
    return not has_spread and not (to is Dialect.UNIX and specials)


def _not(expression: Expression, to: Dialect, problem: str, hint: str) -> NotConvertible:
    return NotConvertible(f'"{expression.text}": {problem}.', hint=hint, text=expression.text, to=to.value)
