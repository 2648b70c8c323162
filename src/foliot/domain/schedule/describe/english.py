"""Schedules in English."""

from collections.abc import Iterable, Sequence
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
from foliot.domain.schedule.describe.shapes import (
    AnyValue,
    EveryNth,
    FieldShape,
    OneValue,
    Run,
    Values,
    shape_of_field,
    shape_of_values,
)
from foliot.domain.schedule.times import bits

WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS: Final = (
    "", "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
NTH: Final = ("", "first", "second", "third", "fourth", "fifth")
LISTED_TIMES_MAX: Final = 6


def cron(expression: Expression) -> str:
    """A cron expression as one sentence without its full stop."""
    when = _times(expression)
    days = _days(expression)
    if not days and when.startswith("at "):
        days = "every day"
    months = _months(expression)
    if months.startswith("in ") and " of the month" in days:
        days, months = days.replace(" of the month", f" of {months[3:]}"), ""
    said = (days, when, "") if days == "every day" else ("", when, days)
    return " ".join(part for part in (*said, months, _years(expression)) if part)


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
        case Run(first=first, last=last):
            return f"{WEEKDAYS[first]} to {WEEKDAYS[last]}"
        case _:
            return listed([WEEKDAYS[n % 7] for n in range(1, 8) if mask >> n % 7 & 1])


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


def ordinal(n: int) -> str:
    """`1st`, `22nd`, `13th`."""
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def clock(seconds: int) -> str:
    """A time of day, with seconds only if there are any."""
    hour, rest = divmod(seconds, 3600)
    minute, second = divmod(rest, 60)
    return f"{hour:02}:{minute:02}:{second:02}" if second else f"{hour:02}:{minute:02}"


def day_items(field: Field) -> str:
    """The day field: `on the 1st and 15th of the month`, `on the last day of the month`."""
    named: list[str] = []
    others = [_day_item(item) for item in field.items if not isinstance(item, Span)]
    if field.mask:
        match shape_of_field(field):
            case Run(first=first, last=last):
                named.append(f"the {ordinal(first)} to {ordinal(last)} of the month")
            case EveryNth(n=n, first=first):
                named.append(f"every {ordinal(n)} day of the month from the {ordinal(first)}")
            case _:
                named.append(f"the {listed([ordinal(day) for day in bits(field.mask)])} of the month")
    return f"on {listed([*named, *others])}"


def weekday_items(field: Field) -> str:
    """The weekday field: `Monday to Friday`, `on Mondays`, `on the third Friday of the month`."""
    specials = [_weekday_item(item) for item in field.items if not isinstance(item, Span)]
    if not field.mask:
        return f"on {listed(specials)}"
    words = weekdays(field.mask)
    if not specials:
        return words if isinstance(shape_of_field(field), Run) else f"on {words}"
    return f"on {listed([words, *specials])}"


def _times(expression: Expression) -> str:
    second, minute, hour = (shape_of_field(one) for one in (expression.second, expression.minute, expression.hour))
    if is_listable(expression):
        times = (
            h * 3600 + m * 60 + s
            for h in bits(expression.hour.mask)
            for m in bits(expression.minute.mask)
            for s in bits(expression.second.mask)
        )
        return f"at {times_of_day(times)}"
    if expression.second.mask == 1:
        return _by_minute(minute, hour)
    return _by_second(second, minute, hour)


def is_listable(expression: Expression) -> bool:
    """Whether its times of day are few enough to be named one by one."""
    hour = shape_of_field(expression.hour)
    if isinstance(hour, AnyValue | EveryNth) or (isinstance(hour, Run) and expression.hour.mask.bit_count() > 3):
        return False
    many = expression.hour.mask.bit_count() * expression.minute.mask.bit_count() * expression.second.mask.bit_count()
    return many <= LISTED_TIMES_MAX


def _by_minute(minute: FieldShape, hour: FieldShape) -> str:
    if isinstance(minute, OneValue):
        match hour:
            case AnyValue():
                return "every hour" if minute.value == 0 else f"every hour at minute {minute.value}"
            case EveryNth(n=n, first=first, is_even=is_even):
                counted = "" if first == 0 and is_even else f" from {first:02}:{minute.value:02} each day"
                at = f" at minute {minute.value}" if minute.value and not counted else ""
                return f"every {n} hours{at}{counted}"
            case Run(first=first, last=last):
                return f"every hour from {first:02}:{minute.value:02} to {last:02}:{minute.value:02}"
    lead = "every hour " if isinstance(hour, AnyValue) and isinstance(minute, Values) else ""
    return f"{lead}{_units(minute, 'minute')}{_within_hours(hour)}"


def _by_second(second: FieldShape, minute: FieldShape, hour: FieldShape) -> str:
    within = "" if isinstance(minute, AnyValue) else f", {_units(minute, 'minute')}"
    lead = _units(second, "second")
    if isinstance(minute, AnyValue) and isinstance(second, OneValue | Values):
        lead = f"every minute {lead}"
    elif isinstance(second, Run):
        lead = f"{lead} of each minute"
    return f"{lead}{within}{_within_hours(hour)}"


def _units(shape: FieldShape, unit: str) -> str:
    match shape:
        case AnyValue():
            return f"every {unit}"
        case OneValue(value=value):
            return f"at {unit} {value}"
        case Run(first=first, last=last):
            return f"every {unit} from {first} to {last}"
        case EveryNth(n=n, first=first, is_even=is_even):
            whole = {"second": "minute", "minute": "hour"}[unit]
            if first:
                return f"every {n} {unit}s from {unit} {first} of each {whole}"
            return f"every {n} {unit}s" if is_even else f"every {n} {unit}s from the start of each {whole}"
        case _:
            return f"at {unit}s {listed([str(value) for value in shape.values])}"


def _within_hours(hour: FieldShape) -> str:
    match hour:
        case AnyValue():
            return ""
        case OneValue(value=value):
            return f" from {value:02}:00 to {value:02}:59"
        case Run(first=first, last=last):
            return f" from {first:02}:00 to {last:02}:59"
        case EveryNth(n=n, first=first):
            return f" in every {ordinal(n)} hour from {first:02}:00"
        case _:
            return f" in the hours {listed([str(value) for value in hour.values])}"


def _days(expression: Expression) -> str:
    day, weekday = expression.day, expression.weekday
    if day.is_any:
        return "" if weekday.is_any else weekday_items(weekday)
    if weekday.is_any:
        return day_items(day)
    if expression.joins_by_or:
        return f"{day_items(day)} and also {weekday_items(weekday)}"
    return f"{day_items(day)} if that is {_one_of(weekday)}"


def _one_of(field: Field) -> str:
    named = [f"a {WEEKDAYS[value]}" for value in bits(field.mask)]
    run = shape_of_field(field) if field.mask else None
    if isinstance(run, Run):
        named = [f"{WEEKDAYS[run.first]} to {WEEKDAYS[run.last]}"]
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


def _months(expression: Expression) -> str:
    match shape_of_field(expression.month):
        case AnyValue():
            return ""
        case Run(first=first, last=last):
            return f"from {MONTHS[first]} to {MONTHS[last]}"
        case _:
            return f"in {listed([MONTHS[month] for month in bits(expression.month.mask)])}"


def _years(expression: Expression) -> str:
    if expression.year is None or expression.year.is_any:
        return ""
    match shape_of_field(expression.year):
        case Run(first=first, last=last):
            return f"from {1970 + first} to {1970 + last}"
        case EveryNth(n=n, first=first):
            return f"every {n} years from {1970 + first}"
        case _:
            return f"in {listed([str(1970 + year) for year in bits(expression.year.mask)])}"
