"""Schedules in Chinese (zh-CN)."""

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

WEEKDAYS: Final = ("周日", "周一", "周二", "周三", "周四", "周五", "周六")
NTH: Final = ("", "一", "二", "三", "四", "五")


def cron(expression: Expression) -> str:
    """A cron expression as one sentence without its full stop."""
    when, on = _times(expression), days(expression)
    years = _years(expression)
    if not on and when[0].isdecimal():
        on = "每天"
    return f"{years} {on} {when}".strip().replace("） ", "）").replace("，  ", "，").replace("， ", "，")


def times_of_day(times: Iterable[int]) -> str:
    """Times of day: `09:00 和 17:30`."""
    return listed([clock(time) for time in times])


def weekdays(mask: int) -> str:
    """Weekdays of a mask: `周一至周五`, `每周一`, `每周一和周四`."""
    match shape_of_values(mask, 0, 7):
        case AnyValue():
            return "每天"
        case OneValue(value=value):
            return f"每{WEEKDAYS[value]}"
        case ValueRange(first=first, last=last):
            return f"{WEEKDAYS[first]}至{WEEKDAYS[last]}"
        case _:
            return f"每{_named([n for n in range(1, 8) if mask >> n % 7 & 1], lambda n: WEEKDAYS[n % 7])}"


def duration(micros: Micros) -> str:
    """A duration in words: `15 分钟`, `1 小时 30 分钟`."""
    parts: list[str] = []
    for unit, name in ((DAY, "天"), (HOUR, "小时"), (MINUTE, "分钟"), (SECOND, "秒")):
        n, micros = divmod(micros, unit)
        if n:
            parts.append(f"{n} {name}")
    return " ".join(parts) or "0 秒"


def every(micros: Micros) -> str:
    """An interval: `每 15 分钟`, `每小时`."""
    words = duration(micros)
    return f"每{words[2:]}" if words.startswith("1 ") and words.count(" ") == 1 else f"每 {words}"


def listed(words: Sequence[str]) -> str:
    """`甲`, `甲和乙`, `甲、乙和丙`."""
    if len(words) == 1:
        return words[0]
    before, after = (" " if word.isascii() else "" for word in (words[-2][-1], words[-1][0]))
    return f"{'、'.join(words[:-1])}{before}和{after}{words[-1]}"


def _named(values: Sequence[int], name: Callable[[int], str]) -> str:
    """Values by name, several in a row as `甲至丙`; of very many the first and how many there are."""
    return listed(_words(values, name))


def _words(values: Sequence[int], name: Callable[[int], str]) -> list[str]:
    groups, more = grouped(values)
    words = [name(first) if first == last else _from_to(name(first), name(last)) for first, last in groups]
    if more:
        words[-1] = f"{words[-1]} 等 {len(values)} 个"
    return words


def _from_to(first: str, last: str) -> str:
    """`周一至周五`, `1 日至 7 日`, `0 至 10`."""
    before, after = (" " if letter.isascii() else "" for letter in (first[-1], last[0]))
    return f"{first}{before}至{after}{last}"


def day_items(field: Field) -> str:
    """The day field: `每月 1 日和 15 日`, `每月最后一天`."""
    named: list[str] = []
    if field.mask:
        match shape_of_field(field):
            case ValueRange(first=first, last=last):
                named.append(f"{first} 日至 {last} 日")
            case EveryNth(n=n, first=first):
                named.append(f"从 {first} 日起每 {n} 天")
            case Steps(n=n, first=first, last=last):
                named.append(f"从 {first} 日至 {last} 日每 {n} 天")
            case _:
                named += _words(bits(field.mask), lambda day: f"{day} 日")
    named += [_day_item(item) for item in field.items if not isinstance(item, Span)]
    return _spaced("每月", listed(named))


def _spaced(before: str, after: str) -> str:
    """Two pieces with a blank between a Chinese letter and a digit."""
    return f"{before} {after}" if after[0].isdecimal() else f"{before}{after}"


def weekday_items(field: Field) -> str:
    """The weekday field: `周一至周五`, `每周一`, `每月第三个周五`."""
    specials = [_weekday_item(item) for item in field.items if not isinstance(item, Span)]
    if not field.mask:
        return f"每月{listed(specials)}"
    return listed([weekdays(field.mask), *(f"每月{special}" for special in specials)])


def _times(expression: Expression) -> str:
    second, minute = shape_of_field(expression.second), shape_of_field(expression.minute)
    hour = shape_of_hours(expression)
    if is_listable(expression):
        return times_of_day(times_of(expression))
    if expression.second.mask == 1:
        return _by_minute(minute, hour)
    return _by_second(second, minute, hour)


def _by_minute(minute: FieldShape, hour: HourShape) -> str:
    if isinstance(minute, OneValue):
        match hour:
            case AnyValue():
                return "每小时整点" if minute.value == 0 else f"每小时第 {minute.value} 分钟"
            case EveryNth(n=n, first=first, is_even=is_even):
                at = f"第 {minute.value} 分钟" if minute.value else "整点"
                counted = "" if first == 0 and is_even else f"每天从 {first:02}:{minute.value:02} 起"
                return f"{counted}每 {n} 小时" if counted else f"每 {n} 小时{at}"
            case Steps(n=n, first=first, last=last):
                return f"{first:02}:{minute.value:02} 至 {last:02}:{minute.value:02} 每 {n} 小时"
            case ValueRange(first=first, last=last):
                return f"{first:02}:{minute.value:02} 至 {last:02}:{minute.value:02} 每小时"
            case SplitRange():
                return _split_hours(minute.value, hour)
    if isinstance(hour, OneValue) and isinstance(minute, ValueRange | Steps):
        every_so = "每分钟" if isinstance(minute, ValueRange) else f"每 {minute.n} 分钟"
        return f"{hour.value:02}:{minute.first:02} 至 {hour.value:02}:{minute.last:02} {every_so}"
    return f"{_within_hours(hour)}{_units(minute, '分钟', '小时')}"


def _split_hours(minute: int, hours: SplitRange) -> str:
    if hours.until == 0 or hours.since == 23:  # a single time is no span
        return f"{_within_hours(hours)}每小时第 {minute} 分钟"
    night = f"00:{minute:02} 至 {hours.until:02}:{minute:02}"
    return f"{night} 和 {hours.since:02}:{minute:02} 至 23:{minute:02} 每小时"


def _by_second(second: FieldShape, minute: FieldShape, hour: HourShape) -> str:
    seconds = _units(second, "秒", "分钟")
    if isinstance(minute, AnyValue):
        return f"{_within_hours(hour)}{seconds}"
    if isinstance(minute, OneValue) and isinstance(hour, OneValue):
        time = f"{hour.value:02}:{minute.value:02}"
        return f"{time}:00 至 {time}:59 {seconds.removeprefix('每分钟')}"
    seconds = seconds.removeprefix("每分钟")
    within = "内" if seconds.startswith("每") else "的"
    return f"{_within_hours(hour)}{_units(minute, '分钟', '小时')}{within}{seconds}"


_UNITS: Final[ShapeWords] = {
    AnyValue: "每{unit}",
    OneValue: "每{whole}第 {value} {unit}",
    ValueRange: "每{whole}第 {first} 至 {last} {unit}",
    EveryNth: "{start}每 {n} {unit}",
    Steps: "每{whole}第 {first} 至 {last} {unit}间每 {n} {unit}",
    Values: "每{whole}第 {named} {unit}",
}
_HOURS: Final[ShapeWords] = {
    AnyValue: "",
    OneValue: "{value:02}:00 至 {value:02}:59 ",
    ValueRange: "{first:02}:00 至 {last:02}:59 ",
    SplitRange: "00:00 至 {until:02}:59 和 {since:02}:00 至 23:59 ",
    EveryNth: "每天从 {first:02}:00 起每 {n} 小时中的第一个小时内",
    Steps: "{first:02}:00 至 {last:02}:59 每 {n} 小时中的第一个小时内",
    Values: "{named}内",
}


def _units(shape: FieldShape, unit: str, whole: str) -> str:
    start = ""
    if isinstance(shape, EveryNth) and shape.first:
        start = f"每{whole}从第 {shape.first} {unit}起"
    elif isinstance(shape, EveryNth) and not shape.is_even:
        start = f"每{whole}从头起"
    named = _named(shape.values, str) if isinstance(shape, Values) else ""
    return filled(_UNITS, shape, unit=unit, whole=whole, start=start, named=named)


def _within_hours(hour: HourShape) -> str:
    named = _named(hour.values, lambda value: f"{value} 点") if isinstance(hour, Values) else ""
    return filled(_HOURS, hour, named=named)


def days(expression: Expression) -> str:
    """Its days, weekdays and months: `每年 6 月 1 日以及 6 月的每周一`; nothing if it fires every day."""
    if not expression.day_narrows:
        return _by_weekday(expression)
    by_day = _in_months(expression, day_items(expression.day))
    if not expression.weekday_narrows:
        return by_day
    if not expression.joins_by_or:
        return f"{by_day}且为{_one_of(expression.weekday)}"
    months = _months(expression)
    by_weekday = weekday_items(expression.weekday)
    return f"{by_day}以及 {months}的{_bare(by_weekday)}" if months else f"{by_day}以及{by_weekday}"


def _by_weekday(expression: Expression) -> str:
    if expression.weekday_narrows:
        return _in_months(expression, weekday_items(expression.weekday))
    return _in_months(expression, "每天") if _months(expression) else ""


def _in_months(expression: Expression, days: str) -> str:
    """Days with their months: `每年 6 月 1 日`, `每年 6 月至 8 月每月 1 日`, `每年 6 月的每周一`."""
    months = _months(expression)
    if not months:
        return days
    each = "" if _has_years(expression) else "每年 "
    if days == "每天":
        return f"{each}{months}每天"
    if not days.startswith("每月"):
        return f"{each}{months}的{_bare(days)}"
    match shape_of_field(expression.month):
        case OneValue():
            return f"{each}{months}{_bare(days)}"
        case ValueRange():
            return f"{each}{months}{days}"
        case _:
            return f"{each}{months}的{_bare(days)}"


def _bare(days: str) -> str:
    """Without the words that would say "of every month"."""
    return days.replace("每月", "")


def _one_of(field: Field) -> str:
    named = [WEEKDAYS[n % 7] for n in range(1, 8) if field.mask >> n % 7 & 1]
    run = shape_of_field(field) if field.mask else None
    if isinstance(run, ValueRange):
        named = [f"{WEEKDAYS[run.first]}至{WEEKDAYS[run.last]}"]
    return "或".join([*named, *(_weekday_item(item) for item in field.items if not isinstance(item, Span))])


def _day_item(item: Item) -> str:
    match item:
        case LastDay(before=0, is_nearest_weekday=True):
            return "最后一个工作日（周一至周五）"
        case LastDay(before=0):
            return "最后一天"
        case LastDay(before=before):
            plain = f"倒数第 {before + 1} 天"
            return f"离{plain}最近的工作日（周一至周五）" if item.is_nearest_weekday else plain
        case NearestWeekday(day=day):
            return f"离 {day} 日最近的工作日（周一至周五）"
    raise AssertionError(item)


def _weekday_item(item: Item) -> str:
    match item:
        case NthWeekday(weekday=weekday, nth=nth):
            return f"第{NTH[nth]}个{WEEKDAYS[weekday]}"
        case LastWeekday(weekday=weekday):
            return f"最后一个{WEEKDAYS[weekday]}"
    raise AssertionError(item)


def _months(expression: Expression) -> str:
    match shape_of_field(expression.month):
        case AnyValue():
            return ""
        case ValueRange(first=first, last=last):
            return f"{first} 月至 {last} 月"
        case _:
            return _named(bits(expression.month.mask), lambda month: f"{month} 月")


def _has_years(expression: Expression) -> bool:
    return expression.year is not None and not expression.year.is_any


def _years(expression: Expression) -> str:
    if expression.year is None or expression.year.is_any:
        return ""
    match shape_of_field(expression.year):
        case ValueRange(first=first, last=last):
            return f"{1970 + first} 年至 {1970 + last} 年，"
        case EveryNth(n=n, first=first):
            return f"{1970 + first} 年起每 {n} 年，"
        case Steps(n=n, first=first, last=last):
            until = f"至 {1970 + last} 年" if last + n < expression.year.kind.cycle else "起"
            return f"{1970 + first} 年{until}每 {n} 年，"
        case _:
            return f"{_named(bits(expression.year.mask), lambda year: f'{1970 + year} 年')}，"
