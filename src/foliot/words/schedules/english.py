"""Schedules in English."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Micros
from foliot.domain.schedule.cron.fields import (
    Expression,
    Field,
    Item,
    LastDay,
    LastWeekday,
    NearestWeekday,
    NthWeekday,
    Span,
)
from foliot.domain.schedule.times import bits
from foliot.words.schedules.shapes import (
    AnyValue,
    EveryNth,
    FieldShape,
    HourShape,
    OneValue,
    ShapeWords,
    SplitRange,
    Steps,
    ValueRange,
    Values,
    clock,
    filled,
    grouped,
    is_listable,
    shape_of_field,
    shape_of_hours,
    shape_of_values,
    times_of,
)

WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS: Final = (
    "", "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
NTH: Final = ("", "first", "second", "third", "fourth", "fifth")


def cron(expression: Expression) -> str:
    """A cron expression as one sentence without its full stop."""
    when = _times(expression)
    days = _days(expression)
    if not days and when.startswith("at "):
        days = "every day"
    within, years = months(expression), _years(expression)
    if within.startswith("in ") and _is_all_of_the_month(expression):
        days, within = days.replace(" of the month", f" of {within[3:]}"), ""
    elif within and " of the month" in days and expression.weekday_narrows:
        days = f"{days},"  # the months hold for all that was named, not for the last of it
    if within.startswith("in ") and years.startswith("in "):
        years = years[3:]
    said = (days, when, "") if days == "every day" else ("", when, days)
    return " ".join(part for part in (*said, within, years) if part)


def _is_all_of_the_month(expression: Expression) -> bool:
    """Whether each thing named is a day of the month, so that `of June` can stand in its place."""
    if not expression.weekday_narrows:
        return expression.day_narrows
    if expression.day_narrows:
        return not expression.joins_by_or and all(isinstance(item, Span) for item in expression.weekday.items)
    return not expression.weekday.mask


def times_of_day(times: Iterable[int]) -> str:
    """Times of day: `09:00 and 17:30`."""
    return listed([clock(time) for time in times])


def weekdays(mask: int) -> str:
    """Weekdays of a mask: `Monday to Friday`, `Mondays`, `Monday and Thursday`."""
    match shape_of_values(mask, 0, 7):
        case AnyValue():
            return "every day"
        case OneValue(value=value):
            return f"{WEEKDAYS[value]}s"
        case ValueRange(first=first, last=last):
            return f"{WEEKDAYS[first]} to {WEEKDAYS[last]}"
        case _:
            return _named([n for n in range(1, 8) if mask >> n % 7 & 1], lambda n: WEEKDAYS[n % 7])


def duration(micros: Micros) -> str:
    """A duration in words: `15 minutes`, `1 hour 30 minutes`."""
    parts: list[str] = []
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second")):
        n, micros = divmod(micros, unit)
        if n:
            parts.append(f"{n} {name}{'' if n == 1 else 's'}")
    return " ".join(parts) or "0 seconds"


def every(micros: Micros) -> str:
    """An interval: `every 15 minutes`, `every hour`."""
    words = duration(micros)
    return f"every {words[2:]}" if words.startswith("1 ") and words.count(" ") == 1 else f"every {words}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _named(values: Sequence[int], name: Callable[[int], str]) -> str:
    """Values by name, several in a row as `a to c`; of very many the first and how many more."""
    groups, more = grouped(values)
    words = [name(first) if first == last else f"{name(first)} to {name(last)}" for first, last in groups]
    return listed([*words, f"{more} more"] if more else words)


def ordinal(n: int) -> str:
    """`1st`, `22nd`, `13th`."""
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def day_items(field: Field) -> str:
    """The day field: `on the 1st and 15th of the month`, `on the last day of the month`."""
    named: list[str] = []
    others = [_day_item(item) for item in field.items if not isinstance(item, Span)]
    if field.mask:
        match shape_of_field(field):
            case ValueRange(first=first, last=last):
                named.append(f"the {ordinal(first)} to {ordinal(last)} of the month")
            case EveryNth(n=n, first=first):
                named.append(f"every {ordinal(n)} day of the month from the {ordinal(first)}")
            case Steps(n=n, first=first, last=last):
                named.append(f"every {ordinal(n)} day of the month from the {ordinal(first)} to the {ordinal(last)}")
            case _:
                named.append(f"the {_named(bits(field.mask), ordinal)} of the month")
    return f"on {listed([*named, *others])}"


def weekday_items(field: Field) -> str:
    """The weekday field: `Monday to Friday`, `on Mondays`, `on the third Friday of the month`."""
    specials = [_weekday_item(item) for item in field.items if not isinstance(item, Span)]
    if not field.mask:
        return f"on {listed(specials)}"
    words = weekdays(field.mask)
    if not specials:
        return words if isinstance(shape_of_field(field), ValueRange) else f"on {words}"
    return f"on {listed([words, *specials])}"


def _times(expression: Expression) -> str:
    second, minute = shape_of_field(expression.second), shape_of_field(expression.minute)
    hour = shape_of_hours(expression)
    if is_listable(expression):
        return f"at {times_of_day(times_of(expression))}"
    if expression.second.mask == 1:
        return _by_minute(minute, hour)
    return _by_second(second, minute, hour)


def _by_minute(minute: FieldShape, hour: HourShape) -> str:
    if isinstance(minute, OneValue):
        match hour:
            case AnyValue():
                return "every hour" if minute.value == 0 else f"every hour at minute {minute.value}"
            case EveryNth(n=n, first=first, is_even=is_even):
                counted = "" if first == 0 and is_even else f" from {first:02}:{minute.value:02} each day"
                at = f" at minute {minute.value}" if minute.value and not counted else ""
                return f"every {n} hours{at}{counted}"
            case Steps(n=n, first=first, last=last):
                return f"every {n} hours from {first:02}:{minute.value:02} to {last:02}:{minute.value:02}"
            case ValueRange(first=first, last=last):
                return f"every hour from {first:02}:{minute.value:02} to {last:02}:{minute.value:02}"
            case SplitRange():
                return _split_hours(minute.value, hour)
    if isinstance(hour, OneValue) and isinstance(minute, ValueRange | Steps):
        every_so = "minute" if isinstance(minute, ValueRange) else f"{minute.n} minutes"
        return f"every {every_so} from {hour.value:02}:{minute.first:02} to {hour.value:02}:{minute.last:02}"
    lead = "every hour " if isinstance(hour, AnyValue) and isinstance(minute, Values) else ""
    return f"{lead}{_units(minute, 'minute')}{_within_hours(hour)}"


def _split_hours(minute: int, hours: SplitRange) -> str:
    if hours.until == 0 or hours.since == 23:  # a single time is no span
        return f"every hour at minute {minute}{_within_hours(hours)}"
    night = f"from 00:{minute:02} to {hours.until:02}:{minute:02}"
    return f"every hour {night} and from {hours.since:02}:{minute:02} to 23:{minute:02}"


def _by_second(second: FieldShape, minute: FieldShape, hour: HourShape) -> str:
    """`every 10 seconds in minute 5 of each hour`, `every 5 minutes, at second 30`."""
    if isinstance(minute, AnyValue):
        lead = "every minute " if isinstance(second, OneValue | Values) else ""
        return f"{lead}{_units(second, 'second')}{_within_hours(hour)}"
    if isinstance(second, OneValue | Values):
        return f"{_by_minute(minute, hour)}, {_units(second, 'second')}"
    if isinstance(minute, OneValue) and isinstance(hour, OneValue):
        time = f"{hour.value:02}:{minute.value:02}"
        return f"{_units(second, 'second')} from {time}:00 to {time}:59"
    if isinstance(minute, OneValue | Values):
        within = _units(minute, "minute").removeprefix("at ")
        whole = " of each hour" if isinstance(hour, AnyValue) else ""
        return f"{_units(second, 'second')} in {within}{whole}{_within_hours(hour)}"
    return f"{_units(second, 'second')}, {_by_minute(minute, hour)}"


_WHOLE: Final = {"second": "minute", "minute": "hour"}


_UNITS: Final[ShapeWords] = {
    AnyValue: "every {unit}",
    OneValue: "at {unit} {value}",
    ValueRange: "every {unit} from {first} to {last} of each {whole}",
    EveryNth: "every {n} {unit}s{start}",
    Steps: "every {n} {unit}s from {unit} {first} to {last} of each {whole}",
    Values: "at {unit}s {named}",
}
_HOURS: Final[ShapeWords] = {
    AnyValue: "",
    OneValue: " from {value:02}:00 to {value:02}:59",
    ValueRange: " from {first:02}:00 to {last:02}:59",
    SplitRange: " from 00:00 to {until:02}:59 and from {since:02}:00 to 23:59",
    EveryNth: " in every {nth} hour from {first:02}:00",
    Steps: " in every {nth} hour from {first:02}:00 to {last:02}:59",
    Values: " in the hours {named}",
}


def _units(shape: FieldShape, unit: str) -> str:
    whole, start = _WHOLE[unit], ""
    if isinstance(shape, EveryNth) and shape.first:
        start = f" from {unit} {shape.first} of each {whole}"
    elif isinstance(shape, EveryNth) and not shape.is_even:
        start = f" from the start of each {whole}"
    return filled(_UNITS, shape, unit=unit, whole=whole, start=start, named=_numbers(shape))


def _within_hours(hour: HourShape) -> str:
    nth = ordinal(hour.n) if isinstance(hour, EveryNth | Steps) else ""
    return filled(_HOURS, hour, nth=nth, named=_numbers(hour))


def _numbers(shape: HourShape) -> str:
    return _named(shape.values, str) if isinstance(shape, Values) else ""


def _days(expression: Expression) -> str:
    day, weekday = expression.day, expression.weekday
    if not expression.day_narrows:
        return weekday_items(weekday) if expression.weekday_narrows else ""
    if not expression.weekday_narrows:
        return day_items(day)
    if expression.joins_by_or:
        return f"{day_items(day)} and also {weekday_items(weekday)}"
    return f"{day_items(day)} if that is {_one_of(weekday)}"


def _one_of(field: Field) -> str:
    named = [f"a {WEEKDAYS[n % 7]}" for n in range(1, 8) if field.mask >> n % 7 & 1]
    run = shape_of_field(field) if field.mask else None
    if isinstance(run, ValueRange):
        named = [f"a day from {WEEKDAYS[run.first]} to {WEEKDAYS[run.last]}"]
    others = [_weekday_item(item) for item in field.items if not isinstance(item, Span)]
    return " or ".join([*named, *others])


def _day_item(item: Item) -> str:
    match item:
        case LastDay(before=0, is_nearest_weekday=True):
            return "the last weekday of the month"
        case LastDay(before=0):
            return "the last day of the month"
        case LastDay(before=before):
            plain = f"the {ordinal(before)} day before the last of the month"
            return f"the weekday nearest to {plain}" if item.is_nearest_weekday else plain
        case NearestWeekday(day=day):
            return f"the weekday nearest to the {ordinal(day)} of the month"
    raise AssertionError(item)


def _weekday_item(item: Item) -> str:
    match item:
        case NthWeekday(weekday=weekday, nth=nth):
            return f"the {NTH[nth]} {WEEKDAYS[weekday]} of the month"
        case LastWeekday(weekday=weekday):
            return f"the last {WEEKDAYS[weekday]} of the month"
    raise AssertionError(item)


def months(expression: Expression) -> str:
    """The month field: `in June`, `from June to August`; nothing if it leaves none out."""
    match shape_of_field(expression.month):
        case AnyValue():
            return ""
        case ValueRange(first=first, last=last):
            return f"from {MONTHS[first]} to {MONTHS[last]}"
        case _:
            return f"in {_named(bits(expression.month.mask), lambda month: MONTHS[month])}"


def _years(expression: Expression) -> str:
    if expression.year is None or expression.year.is_any:
        return ""
    match shape_of_field(expression.year):
        case ValueRange(first=first, last=last):
            return f"from {1970 + first} to {1970 + last}"
        case EveryNth(n=n, first=first):
            return f"every {n} years from {1970 + first}"
        case Steps(n=n, first=first, last=last):
            until = f" to {1970 + last}" if last + n < expression.year.kind.cycle else ""
            return f"every {n} years from {1970 + first}{until}"
        case _:
            return f"in {_named(bits(expression.year.mask), lambda year: str(1970 + year))}"
