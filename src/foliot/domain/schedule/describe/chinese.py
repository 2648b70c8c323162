"""Schedules in Chinese (zh-CN)."""

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
from foliot.domain.schedule.describe.english import clock, is_listable
from foliot.domain.schedule.describe.shapes import (
    AnyValue,
    EveryNth,
    FieldShape,
    OneValue,
    Run,
    shape_of_field,
    shape_of_values,
)
from foliot.domain.schedule.times import bits

WEEKDAYS: Final = ("周日", "周一", "周二", "周三", "周四", "周五", "周六")
NTH: Final = ("", "一", "二", "三", "四", "五")


def cron(expression: Expression) -> str:
    """A cron expression as one sentence without its full stop."""
    when, days = _times(expression), _days(expression)
    months, years = _months(expression), _years(expression)
    if not days and (months or when[0].isdecimal()):
        days = "每天"
    if months:
        days = f"{'' if years else '每年 '}{months}{_after_month(days)}"
    return f"{years} {days} {when}".strip().replace("） ", "）").replace("，  ", "，").replace("， ", "，")


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
        case Run(first=first, last=last):
            return f"{WEEKDAYS[first]}至{WEEKDAYS[last]}"
        case _:
            return f"每{listed([WEEKDAYS[n % 7] for n in range(1, 8) if mask >> n % 7 & 1])}"


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


def day_items(field: Field) -> str:
    """The day field: `每月 1 日和 15 日`, `每月最后一天`."""
    named: list[str] = []
    if field.mask:
        match shape_of_field(field):
            case Run(first=first, last=last):
                named.append(f" {first} 日至 {last} 日")
            case EveryNth(n=n, first=first):
                named.append(f"从 {first} 日起每 {n} 天")
            case _:
                named.append(f" {listed([f'{day} 日' for day in bits(field.mask)])}")
    named += [_day_item(item) for item in field.items if not isinstance(item, Span)]
    return f"每月{listed(named)}"


def weekday_items(field: Field) -> str:
    """The weekday field: `周一至周五`, `每周一`, `每月第三个周五`."""
    specials = [_weekday_item(item) for item in field.items if not isinstance(item, Span)]
    if not field.mask:
        return f"每月{listed(specials)}"
    return listed([weekdays(field.mask), *(f"每月{special}" for special in specials)])


def _times(expression: Expression) -> str:
    second, minute, hour = (shape_of_field(one) for one in (expression.second, expression.minute, expression.hour))
    if is_listable(expression):
        return times_of_day(
            h * 3600 + m * 60 + s
            for h in bits(expression.hour.mask)
            for m in bits(expression.minute.mask)
            for s in bits(expression.second.mask)
        )
    if expression.second.mask == 1:
        return _by_minute(minute, hour)
    return _by_second(second, minute, hour)


def _by_minute(minute: FieldShape, hour: FieldShape) -> str:
    if isinstance(minute, OneValue):
        match hour:
            case AnyValue():
                return "每小时整点" if minute.value == 0 else f"每小时第 {minute.value} 分钟"
            case EveryNth(n=n, first=first, is_even=is_even):
                at = f"第 {minute.value} 分钟" if minute.value else "整点"
                counted = "" if first == 0 and is_even else f"每天从 {first:02}:{minute.value:02} 起"
                return f"{counted}每 {n} 小时" if counted else f"每 {n} 小时{at}"
            case Run(first=first, last=last):
                return f"{first:02}:{minute.value:02} 至 {last:02}:{minute.value:02} 每小时"
    return f"{_within_hours(hour)}{_units(minute, '分钟', '小时')}"


def _by_second(second: FieldShape, minute: FieldShape, hour: FieldShape) -> str:
    within = "" if isinstance(minute, AnyValue) else f"{_units(minute, '分钟', '小时')}的"
    lead = _units(second, "秒", "分钟")
    if isinstance(minute, AnyValue) and not isinstance(second, AnyValue | EveryNth):
        lead = f"每分钟{lead.removeprefix('每分钟')}"
    return f"{_within_hours(hour)}{within}{lead.removeprefix('每分钟') if within else lead}"


def _units(shape: FieldShape, unit: str, whole: str) -> str:
    match shape:
        case AnyValue():
            return f"每{unit}"
        case OneValue(value=value):
            return f"每{whole}第 {value} {unit}"
        case Run(first=first, last=last):
            return f"每{whole}第 {first} 至 {last} {unit}"
        case EveryNth(n=n, first=first, is_even=is_even):
            if first:
                return f"每{whole}从第 {first} {unit}起每 {n} {unit}"
            return f"每 {n} {unit}" if is_even else f"每{whole}从头起每 {n} {unit}"
        case _:
            return f"每{whole}第 {listed([str(value) for value in shape.values])} {unit}"


def _within_hours(hour: FieldShape) -> str:
    match hour:
        case AnyValue():
            return ""
        case OneValue(value=value):
            return f"{value:02}:00 至 {value:02}:59 "
        case Run(first=first, last=last):
            return f"{first:02}:00 至 {last:02}:59 "
        case EveryNth(n=n, first=first):
            return f"从 {first:02}:00 起每隔 {n} 小时的那一小时内"
        case _:
            return f"{listed([f'{value} 点' for value in hour.values])}内"


def _days(expression: Expression) -> str:
    day, weekday = expression.day, expression.weekday
    if day.is_any:
        return "" if weekday.is_any else weekday_items(weekday)
    if weekday.is_any:
        return day_items(day)
    if expression.joins_by_or:
        return f"{day_items(day)}以及{weekday_items(weekday)}"
    return f"{day_items(day)}且为{weekday_items(weekday).removeprefix('每')}"


def _day_item(item: Item) -> str:
    match item:
        case LastDay(before=0, is_nearest_weekday=True):
            return "最后一个工作日（周一至周五）"
        case LastDay(before=0):
            return "最后一天"
        case LastDay(before=before):
            nearest = "最近的工作日（周一至周五）" if item.is_nearest_weekday else ""
            return f"最后一天之前 {before} 天{nearest}"
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


def _after_month(days: str) -> str:
    """Days as they follow a month: `1 日`, `最后一天`, `每天`, `的每周一`."""
    if days.startswith("每月"):
        return days.removeprefix("每月")
    return days if days == "每天" else f"的{days}"


def _months(expression: Expression) -> str:
    match shape_of_field(expression.month):
        case AnyValue():
            return ""
        case Run(first=first, last=last):
            return f"{first} 月至 {last} 月"
        case _:
            return listed([f"{month} 月" for month in bits(expression.month.mask)])


def _years(expression: Expression) -> str:
    if expression.year is None or expression.year.is_any:
        return ""
    match shape_of_field(expression.year):
        case Run(first=first, last=last):
            return f"{1970 + first} 年至 {1970 + last} 年，"
        case EveryNth(n=n, first=first):
            return f"{1970 + first} 年起每 {n} 年，"
        case _:
            return f"{listed([f'{1970 + year} 年' for year in bits(expression.year.mask)])}，"
