"""Writing the fields of an expression so that another dialect means the same, in forms that most programs read."""

import re
from typing import Final

from foliot.domain.schedule.cron.fields import (
    MONTHS,
    WEEKDAYS,
    CronDialect,
    Field,
    Item,
    Kind,
    LastDay,
    LastWeekday,
    NearestWeekday,
    NthWeekday,
    Span,
    weekdays_in,
)
from foliot.domain.schedule.cron.items import read_field
from foliot.domain.schedule.times import bits

_SPREAD: Final = re.compile(r"H|.*~")
_GIVEN_NUMBER: Final = re.compile(r"(?<!/)\b[0-9]+")  # the bounds of a spread, not its step


class NoEquivalent(Exception):
    """The other dialect has no number for this; the text is the item."""


def is_spread(field: Field) -> bool:
    """Whether the name of the job places a value in it, so that its mask says nothing about other jobs."""
    return any(_SPREAD.match(part) for part in field.text.split(","))


def narrows(field: Field) -> bool:
    """Whether it leaves something out, for some job at least."""
    given = [part for part in field.text.split(",") if not _SPREAD.match(part)]
    return not given or not read_field(field.kind, ",".join(given), seed="").is_any


def write_field(field: Field, to: CronDialect) -> str:
    """Any field but the weekday."""
    if _is_one_hour(field):
        return str(bits(field.mask)[0])
    parts = field.text.split(",")
    return ",".join(_item(field.kind, item, text, to) for item, text in zip(field.items, parts, strict=True))


def _is_one_hour(field: Field) -> bool:
    """`23/2` alone: nothing follows 23, so it is a given hour."""
    return field.kind.name == "hour" and field.mask.bit_count() == 1 and not is_spread(field)


def write_weekday(field: Field, origin: CronDialect, to: CronDialect) -> str:
    """The weekday field, by names, which mean the same everywhere; steps count differently, so days are listed."""
    if not narrows(field):
        return "*"
    parts = field.text.split(",")
    named = [_weekday(item, text, origin, to) for item, text in zip(field.items, parts, strict=True)]
    return ",".join(dict.fromkeys(",".join(named).split(",")))


def star_with_same_days(field: Field) -> str | None:
    """`*/n` as Unix counts it, if that names the same weekdays: a star there joins day and weekday by AND."""
    if is_spread(field) or any(not isinstance(item, Span) for item in field.items):
        return None
    for step in range(2, 8):
        days = sum(1 << day for day in range(0, 7, step))
        if days == field.mask:
            return f"*/{step}"
    return None


def _item(kind: Kind, item: Item, text: str, to: CronDialect) -> str:
    match item:
        case LastDay(before=before, is_nearest_weekday=is_nearest):
            return f"L{f'-{before}' if before else ''}{'W' if is_nearest else ''}"
        case NearestWeekday(day=day):
            return f"{day}W"
        case Span():
            return _span(kind, item, text, to)
    raise AssertionError(item)


def _span(kind: Kind, span: Span, text: str, to: CronDialect) -> str:
    if _SPREAD.match(text):
        return text
    if span.is_open:
        return _open(kind, span, text, to)
    if span.step == 1 or len(_values(kind, span)) == 1:
        return _range(kind, span, text)
    if span.last < span.first:
        return ",".join(str(value) for value in _values(kind, span))
    return f"{span.first}-{span.last}/{span.step}"


def _open(kind: Kind, span: Span, text: str, to: CronDialect) -> str:
    """A star or a value with a step. In the hours that form matters when clocks change, in the days for AND and OR."""
    is_star = text[0] in "*?"
    if is_star and span.step == 1:
        return "*"
    if kind.name == "hour":
        return f"*/{span.step}" if span.first == kind.low else f"{span.first}/{span.step}"
    if is_star and kind.name == "day":
        return f"*/{span.step}"
    if len(_values(kind, span)) == 1:
        return str(span.first)
    if is_star:
        return f"*/{span.step}"
    if to is CronDialect.UNIX:  # no crontab reads 5/15
        return _span(kind, Span(span.first, span.last, span.step), str(span.first), to)
    return f"{span.first}/{span.step}"


def _range(kind: Kind, span: Span, text: str) -> str:
    """A value, a range, or a range round the end of the field as two, which not every cron reads as one."""
    last = span.last if span.step == 1 else span.first
    if last < span.first:
        to_end = Span(span.first, kind.high)
        from_start = Span(kind.low, last)
        return ",".join(_range(kind, part, text) for part in (to_end, from_start))
    names = [str(span.first), str(last)]
    if text[0].isalpha():
        names = [MONTHS[span.first - 1], MONTHS[last - 1]]
    return names[0] if last == span.first else "-".join(names)


def _values(kind: Kind, span: Span) -> list[int]:
    last = span.last if span.last >= span.first else span.last + kind.cycle
    return [(value - kind.low) % kind.cycle + kind.low for value in range(span.first, last + 1, span.step)]


def _weekday(item: Item, text: str, origin: CronDialect, to: CronDialect) -> str:
    match item:
        case NthWeekday():
            return f"{WEEKDAYS[item.weekday]}#{item.nth}"
        case LastWeekday():
            return f"{WEEKDAYS[item.weekday]}L"
        case Span() if _SPREAD.match(text):
            return _renumbered(text, origin, to)
        case Span():
            return _weekdays(weekdays_in(item), is_range=item.step == 1)
    raise AssertionError(item)


def _weekdays(days: tuple[int, ...], *, is_range: bool) -> str:
    if is_range and days[0] < days[-1]:
        return f"{WEEKDAYS[days[0]]}-{WEEKDAYS[days[-1]]}"
    return ",".join(WEEKDAYS[day] for day in days)


def _renumbered(text: str, origin: CronDialect, to: CronDialect) -> str:
    """H(1-5) with the numbers of the other dialect: Quartz counts weekdays one higher."""
    shift = (to is CronDialect.QUARTZ) - (origin is CronDialect.QUARTZ)
    numbers = [int(number) + shift for number in _GIVEN_NUMBER.findall(text)]
    if any(number > 7 for number in numbers):
        raise NoEquivalent(text)
    shifted = iter(numbers)
    return _GIVEN_NUMBER.sub(lambda _: str(next(shifted)), text)
