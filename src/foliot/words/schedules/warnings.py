"""What works but is perhaps not meant: days joined by OR, dates that never come, hours missing or there twice."""

from calendar import isleap
from dataclasses import dataclass
from typing import Final

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant, Micros, format_duration
from foliot.domain.schedule.calendars import Calendar
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.cron.field_text import write_weekday
from foliot.domain.schedule.cron.fields import (
    WEEKDAYS,
    YEAR,
    CronDialect,
    Expression,
    Field,
    LastWeekday,
    NthWeekday,
    Span,
)
from foliot.domain.schedule.cron.parser import other_weekdays, parse
from foliot.domain.schedule.days import FIRST_DAY, date_of, next_day
from foliot.domain.schedule.every import FixedDelay
from foliot.domain.schedule.schedule import Schedule
from foliot.domain.schedule.structured import Daily, Weekly
from foliot.domain.schedule.times import DAY_S, bits
from foliot.domain.schedule.wall import Wall
from foliot.domain.schedule.workdays import published_until
from foliot.domain.schedule.zones import Gap, RepeatedTime, Transition
from foliot.words.language import Language
from foliot.words.schedules import chinese, english
from foliot.words.schedules.shapes import OneValue, ValueRange, clock, shape_of_field, shape_of_values

_AHEAD: Final = 365 * DAY
_ADJACENT_MAX: Final = 4  # at most so many hours of one year are told


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleWarning:
    """One thing to look at again: what happens, and what to write instead."""

    code: str
    sentence: str
    hint: str


def warnings_of(
    schedule: Schedule, *, now: Instant, language: Language = Language.ENGLISH
) -> tuple[ScheduleWarning, ...]:
    """All warnings about a schedule; hours that are missing or come twice are looked for in the year after `now`."""
    found: list[ScheduleWarning] = []
    for trigger in schedule.triggers:
        match trigger:
            case Schedule():
                found += warnings_of(trigger, now=now, language=language)
            case Cron():
                found += _cron(trigger, language)
            case Daily() | Weekly():
                found += _since_ahead(trigger, schedule.start_at, now, language)
            case _:
                pass
    for moved in schedule.moved_triggers:
        wall = moved.wall if isinstance(moved, Cron | Daily | Weekly) else moved
        if isinstance(wall, Wall):
            changes = _clock_changes(schedule, wall, now, language)
            found += (one for one in changes if one not in found)
    found += _never(schedule, now, language, is_known=any(one.code == _NEVER for one in found))
    if schedule.calendar is not None:
        found += _unpublished(schedule.calendar, now, language)
    return tuple(found)


_OR: Final = "FOL-1003"
_CLOCK: Final = "FOL-1005"
_NEVER: Final = "FOL-1034"
_UNEVEN: Final = "FOL-1035"
_SHORT_MONTHS: Final = "FOL-1036"
_UNPUBLISHED: Final = "FOL-1037"
_OTHER_DAYS: Final = "FOL-1039"
_SINCE_AHEAD: Final = "FOL-1042"
CODES: Final = frozenset({_OR, _CLOCK, _NEVER, _UNEVEN, _SHORT_MONTHS, _UNPUBLISHED, _OTHER_DAYS, _SINCE_AHEAD})
_MIDNIGHT: Final = "00:00"
_LEAP_DAY: Final = 29  # the only day that a month has in some years


def _cron(trigger: Cron, language: Language) -> list[ScheduleWarning]:
    expression, is_chinese = trigger.expression, language is Language.CHINESE
    found: list[ScheduleWarning] = []
    if next_day(trigger.wall.days, FIRST_DAY[0]) is None:
        return [_impossible(expression, is_chinese)]
    if expression.is_freed_by_or:
        found.append(_freed_by_or(expression, is_chinese))
    elif expression.joins_by_or:
        found.append(_joined_by_or(expression, is_chinese))
    if trigger.dialect is None:
        found += _other_days(expression, is_chinese)
    found += _uneven(expression, is_chinese)
    if not expression.joins_by_or and expression.weekday.is_any:
        found += _short_months(expression, is_chinese)
    return found


def _impossible(expression: Expression, is_chinese: bool) -> ScheduleWarning:
    is_late_day = not expression.weekday_narrows and not expression.day.mask & ((1 << 29) - 1)
    if is_chinese:
        sentence = f"“{expression.text}”永远不会触发：没有这样的日期。"
        hint = "每月最后一天：L" if is_late_day else "请检查日、月和星期是否能同时满足"
    else:
        sentence = f'"{expression.text}" never fires: there is no such date.'
        hint = "last day of the month: L" if is_late_day else "look whether day, month and weekday can all fit"
    return ScheduleWarning(code=_NEVER, sentence=sentence, hint=hint)


def _freed_by_or(expression: Expression, is_chinese: bool) -> ScheduleWarning:
    """One of two fields joined by OR leaves nothing out, so the other one does nothing."""
    full, other = expression.day, expression.weekday
    if not full.is_any:
        full, other = other, full
    if is_chinese:
        sentence = f"“{expression.text}”每天都会触发：“{full.text}”包含所有日子（cron 的日与星期是“或”的关系）。"
        hint = f"只要 {other.text}：把 {full.text} 写成 *"
    else:
        sentence = f'"{expression.text}" fires every day: {full.text} is all of them (cron joins days with OR).'
        hint = f"only {other.text}: write * instead of {full.text}"
    return ScheduleWarning(code=_OR, sentence=sentence, hint=hint)


def _joined_by_or(expression: Expression, is_chinese: bool) -> ScheduleWarning:
    narrow = _nth_instead(expression)
    both = f'"{_in_spring(expression)}", dialect: spring'
    if is_chinese:
        sentence = f"“{expression.text}”在{chinese.days(expression)}都会触发（cron 的日与星期是“或”的关系）。"
        hint = f"只要第{chinese.NTH[narrow[1]]}个{chinese.WEEKDAYS[narrow[0]]}：{_nth_text(narrow)}" if narrow else ""
        return ScheduleWarning(
            code=_OR, sentence=sentence, hint=hint or f"只要其一：把另一个字段写成 *；同时满足：{both}"
        )
    sentence = f'"{expression.text}" fires {_days_and_weekdays(expression)} (cron joins days with OR).'
    hint = f"{english.NTH[narrow[1]]} {english.WEEKDAYS[narrow[0]]} only: {_nth_text(narrow)}" if narrow else ""
    return ScheduleWarning(
        code=_OR, sentence=sentence, hint=hint or f"only one: make the other *; both at once: {both}"
    )


def _in_spring(expression: Expression) -> str:
    """The same fields for Spring, which joins days by AND and reads some weekdays otherwise (`SUN/2`)."""
    fields = expression.text.split()
    days = parse(f"0 {expression.text}", CronDialect.SPRING).weekday
    if days.mask != expression.weekday.mask or days.items != expression.weekday.items:
        fields[-1] = write_weekday(expression.weekday, expression.dialect, CronDialect.SPRING)
    return " ".join(["0", *fields])


def _days_and_weekdays(expression: Expression) -> str:
    days = english.day_items(expression.day).removesuffix(" of the month")
    weekday = shape_of_field(expression.weekday) if expression.weekday.mask else None
    weekdays = english.weekday_items(expression.weekday)
    if isinstance(weekday, OneValue) and len(expression.weekday.items) == 1:
        weekdays = f"on every {english.WEEKDAYS[weekday.value]}"
    elif isinstance(weekday, ValueRange):
        weekdays = f"from {weekdays}"
    months = english.months(expression)
    return f"{days} AND {weekdays}{f', {months}' if months else ''}"


def _nth_instead(expression: Expression) -> tuple[int, int] | None:
    """The n-th weekday that was probably meant: day 1, or the days of a whole week, and one weekday."""
    if not expression.day.mask or any(
        not isinstance(item, Span) for item in (*expression.day.items, *expression.weekday.items)
    ):
        return None
    weekday = shape_of_values(expression.weekday.mask, 0, 7)
    weeks = [sum(1 << day for day in range(first, min(first + 7, 32))) for first in range(1, 32, 7)]
    wanted = {mask: nth for nth, mask in enumerate(weeks, start=1)} | {1 << 1: 1}
    nth = wanted.get(expression.day.mask)
    return (weekday.value, nth) if isinstance(weekday, OneValue) and nth is not None else None


def _nth_text(narrow: tuple[int, int]) -> str:
    return f"{WEEKDAYS[narrow[0]]}#{narrow[1]}"


def _other_days(expression: Expression, is_chinese: bool) -> list[ScheduleWarning]:
    """`*/2` counts from Monday in Spring and from Sunday in Quartz; nobody said which one is meant."""
    other = other_weekdays(expression)
    if other is None:
        return []
    dialect, rival = other
    own_name, other_name = expression.dialect.value.capitalize(), dialect.value.capitalize()
    named = ",".join(_weekdays_by_name(expression.weekday))
    if is_chinese:
        own, others = chinese.weekday_items(expression.weekday), chinese.weekday_items(rival)
        sentence = (
            f"“{expression.weekday.text}”在 {own_name} 中是{own}，在 {other_name} 中是{others}；这里按 {own_name}。"
        )
        hint = f"请写 {named}，或设置 dialect: {expression.dialect.value}"
    else:
        own, others = (english.weekday_items(one).removeprefix("on ") for one in (expression.weekday, rival))
        sentence = f'"{expression.weekday.text}" is read as in {own_name}: {own}. In {other_name} it is {others}.'
        hint = f"write {named}, or set dialect: {expression.dialect.value}"
    return [ScheduleWarning(code=_OTHER_DAYS, sentence=sentence, hint=hint)]


def _weekdays_by_name(field: Field) -> list[str]:
    """Its weekdays by names, which mean the same in every dialect: `MON`, `FRI#1`, `FRIL`."""
    named = [WEEKDAYS[n % 7] for n in range(1, 8) if field.mask >> n % 7 & 1]
    for item in field.items:
        match item:
            case NthWeekday():
                named.append(f"{WEEKDAYS[item.weekday]}#{item.nth}")
            case LastWeekday():
                named.append(f"{WEEKDAYS[item.weekday]}L")
    return named


_UNITS: Final = (
    ("second", "minute", "秒", "分钟", SECOND),
    ("minute", "hour", "分钟", "小时", MINUTE),
    ("hour", "day", "小时", "天", HOUR),
)


def _uneven(expression: Expression, is_chinese: bool) -> list[ScheduleWarning]:
    """`*/7` starts anew each hour; who writes it mostly wants an even rhythm."""
    found: list[ScheduleWarning] = []
    for unit, whole, unit_zh, whole_zh, micros in _UNITS:
        field: Field = getattr(expression, unit)
        step = _uneven_step(field)
        if step is None:
            continue
        if is_chinese:
            sentence = f"“{field.text}”每{whole_zh}从头计起，并不是均匀的每 {step} {unit_zh}。"
        else:
            sentence = f'"{field.text}" starts anew each {whole}; it is not an even {step} {unit}s.'
        hint = _evenly(expression, field, step * micros, step)
        found.append(
            ScheduleWarning(
                code=_UNEVEN, sentence=sentence, hint=f"均匀间隔：{hint}" if is_chinese else f"evenly: {hint}"
            )
        )
    return found


def _uneven_step(field: Field) -> int | None:
    """The step of `*/n` or `a/n` if it goes on from the field's start to its end and does not divide it."""
    item = field.items[0]
    if len(field.items) > 1 or not isinstance(item, Span) or not field.is_every_so_often:
        return None
    reaches_round = item.first - field.kind.low < item.step and item.last == field.kind.high
    return item.step if reaches_round and field.kind.cycle % item.step else None


def _evenly(expression: Expression, field: Field, interval_us: Micros, step: int) -> str:
    """An interval, which knows no hours and days; where those are given, the steps next to it that divide the field."""
    coarser = {"second": ("minute", "hour"), "minute": ("hour",), "hour": ()}[field.kind.name]
    is_always = all(getattr(expression, name).is_any for name in (*coarser, "month"))
    if is_always and not expression.day_narrows and not expression.weekday_narrows and expression.year is None:
        return f"every: {format_duration(interval_us)}"
    even = [n for n in range(1, field.kind.cycle) if field.kind.cycle % n == 0]
    below, above = max(n for n in even if n < step), [n for n in even if n > step][:1]
    return " / ".join(f"*/{n}" for n in (below, *above))


def _short_months(expression: Expression, is_chinese: bool) -> list[ScheduleWarning]:
    """The 29th to 31st alone leave months out."""
    if any(not isinstance(item, Span) for item in expression.day.items) or expression.day.mask & ((1 << 29) - 1):
        return []
    first = shape_of_field(expression.day)
    day = first.value if isinstance(first, OneValue) else 29 + (0 if expression.day.mask >> 29 & 1 else 1)
    is_leap = _has_leap_years_only(expression)
    lengths = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    without = [
        month
        for month in range(1, 13)
        if expression.month.mask >> month & 1 and (lengths[month - 1] < day or (month == 2 and not is_leap))
    ]
    if not without:
        return []
    if is_chinese:
        names = chinese.listed([f"{month} 月" for month in without])
        lacks = "并非每年都有" if day == _LEAP_DAY else "没有"
        sentence, hint = f"{names}{lacks} {day} 日，那时不触发。", "每月最后一天：L"
    else:
        names = english.listed([english.MONTHS[month] for month in without])
        sentence, hint = f"{_lacking(names, day, len(without))}; nothing fires then.", "last day of the month: L"
    return [ScheduleWarning(code=_SHORT_MONTHS, sentence=sentence, hint=hint)]


def _has_leap_years_only(expression: Expression) -> bool:
    if expression.year is None or expression.year.is_any:
        return False
    return all(isleap(YEAR.low + year) for year in bits(expression.year.mask))


def _lacking(names: str, day: int, months: int) -> str:
    if day == _LEAP_DAY:
        return f"Not every {names} has a {english.ordinal(day)}"
    return f"{names} {'has' if months == 1 else 'have'} no {english.ordinal(day)}"


def _since_ahead(
    trigger: Daily | Weekly, start_at: Instant | None, now: Instant, language: Language
) -> list[ScheduleWarning]:
    """`since` says where counting begins; who writes a day to come mostly wants nothing to fire before it."""
    if trigger.since_said is None:
        return []
    since, second = date_of(trigger.since_said), max(now, start_at or 0) // SECOND
    if trigger.since_said <= (second + trigger.wall.zone.offset_at(second)) // DAY_S:
        return []
    if language is Language.CHINESE:
        sentence = f"since: {since} 只决定从哪一天数起，此前仍会触发。"
        hint = f"若要到那时才开始：加上 start: {since}"
    else:
        sentence = f"since: {since} holds nothing back: it says from which day to count, and fires come before it too."
        hint = f"to begin then, add start: {since}"
    return [ScheduleWarning(code=_SINCE_AHEAD, sentence=sentence, hint=hint)]


def _clock_changes(schedule: Schedule, wall: Wall, now: Instant, language: Language) -> list[ScheduleWarning]:
    """Fixed times in hours that are missing or come twice within a year, where the schedule would fire."""
    if wall.gap is Gap.SKIP and wall.overlap is RepeatedTime.BOTH:
        return []
    found: list[ScheduleWarning] = []
    for change in wall.zone.transitions(now // SECOND, (now + _AHEAD) // SECOND)[:_ADJACENT_MAX]:
        is_gap = change.after > change.before
        reading = _in_gap(schedule, wall, change) if is_gap else _in_overlap(schedule, wall, change)
        if reading is not None:
            told = _missing if is_gap else _twice
            found.append(told(wall, change, reading, language))
    return found


def _in_gap(schedule: Schedule, wall: Wall, change: Transition) -> int | None:
    reading = wall.reading_within(change.at + change.before, change.at + change.after)
    return reading if _allows(schedule, change.at) else None


def _in_overlap(schedule: Schedule, wall: Wall, change: Transition) -> int | None:
    """The first reading that comes twice and at which the schedule fires."""
    past = change.at + change.before
    reading = wall.reading_within(change.at + change.after, past)
    while reading is not None:
        instants = wall.zone.instants_of(reading)
        if wall.overlap is not RepeatedTime.BOTH:
            instants = instants[:1] if wall.overlap is RepeatedTime.FIRST else instants[-1:]
        if any(_allows(schedule, second) for second in instants):
            return reading
        reading = wall.reading_within(reading + 1, past)
    return None


def _allows(schedule: Schedule, second: int) -> bool:
    """Whether an instant lies within the bounds and on a day that counts; a calendar not known yet counts all."""
    instant = second * SECOND
    is_begun = schedule.start_at is None or schedule.start_at <= instant
    is_ended = schedule.end_at is not None and schedule.end_at <= instant
    if not is_begun or is_ended:
        return False
    return schedule.missing_calendar is not None or schedule.ruling(instant).is_allowed


def _missing(wall: Wall, change: Transition, reading: int, language: Language) -> ScheduleWarning:
    time, end = clock(reading % DAY_S), clock((change.at + change.after) % DAY_S)
    hint = _other_time(change.at + change.before, change.at + change.after, language)
    if language is Language.CHINESE:
        runs = f"该次改在 {end} 触发" if wall.gap is Gap.AFTER else "该次不触发"
        sentence = f"{wall.zone.name} 在{_date(reading, language)}没有 {time}；{runs}。"
    else:
        runs = f"runs at {end}" if wall.gap is Gap.AFTER else "is left out"
        sentence = f"{time} does not exist on {_date(reading, language)} in {wall.zone.name}; that fire {runs}."
    return ScheduleWarning(code=_CLOCK, sentence=sentence, hint=hint)


def _twice(wall: Wall, change: Transition, reading: int, language: Language) -> ScheduleWarning:
    time = clock(reading % DAY_S)
    hint = _other_time(change.at + change.after, change.at + change.before, language, later=True)
    if language is Language.CHINESE:
        runs = {
            RepeatedTime.FIRST: "只在第一次触发",
            RepeatedTime.SECOND: "只在第二次触发",
            RepeatedTime.BOTH: "两次都触发",
        }[wall.overlap]
        sentence = f"{wall.zone.name} 在{_date(reading, language)}会出现两次 {time}；{runs}。"
        return ScheduleWarning(code=_CLOCK, sentence=sentence, hint=hint)
    runs = {
        RepeatedTime.FIRST: "the fire runs once, at the first",
        RepeatedTime.SECOND: "the fire runs once, at the second",
        RepeatedTime.BOTH: "the fire runs both times",
    }[wall.overlap]
    sentence = f"{time} comes twice on {_date(reading, language)} in {wall.zone.name}; {runs}."
    return ScheduleWarning(code=_CLOCK, sentence=sentence, hint=hint)


def _other_time(begin: int, end: int, language: Language, *, later: bool = False) -> str:
    """A time of day that no clock change touches. No time comes before 00:00, and each one comes after it."""
    before, after = clock(begin % DAY_S), clock(end % DAY_S)
    is_chinese = language is Language.CHINESE
    if before == after == _MIDNIGHT:
        return "设置 tz: UTC" if is_chinese else "set tz: UTC"
    if before == _MIDNIGHT or (later and after != _MIDNIGHT):
        return f"选择 {after} 及以后的时间，或 tz: UTC" if is_chinese else f"choose a time from {after} on or tz: UTC"
    return f"选择 {before} 之前的时间，或 tz: UTC" if is_chinese else f"choose a time before {before} or tz: UTC"


def _date(reading: int, language: Language) -> str:
    moment = date_of(reading // DAY_S)
    if language is Language.CHINESE:
        return f" {moment.month} 月 {moment.day} 日"
    return f"{moment.day} {english.MONTHS[moment.month]}"


def _never(schedule: Schedule, now: Instant, language: Language, *, is_known: bool) -> list[ScheduleWarning]:
    """Nothing left to fire, although the date is possible: it ended, its year is past, or the calendar closes it."""
    if is_known or schedule.missing_calendar or isinstance(schedule.triggers[0], FixedDelay):
        return []
    if schedule.next_after(now) is None:
        sentence = "此计划今后不会再触发。" if language is Language.CHINESE else "This schedule never fires again."
    elif schedule.next_allowed_after(now) is None:
        sentence = (
            "日历排除了此计划的所有时间。" if language is Language.CHINESE else "The calendar rules out every fire."
        )
    else:
        return []
    hint = "检查年份、起止时间和日历" if language is Language.CHINESE else "look at the year, start, end and calendar"
    return [ScheduleWarning(code=_NEVER, sentence=sentence, hint=hint)]


def _unpublished(calendar: Calendar, now: Instant, language: Language) -> list[ScheduleWarning]:
    """Working days that are decreed yearly and not yet known for the coming year."""
    place = calendar.place
    until = published_until(place) if place is not None else None
    coming = date_of((now + _AHEAD) // SECOND // DAY_S).year
    if place is None or until is None or until >= coming:
        return []
    name = place.market or place.country
    if language is Language.CHINESE:
        sentence = f"{name} 的调休安排只公布到 {until} 年；之后按常规周末计算。"
        hint = "升级 holidays 包，或在日历的 include 和 exclude 中列出"
    else:
        sentence = f"Make-up working days of {name} are known up to {until} only; later years use plain weekends."
        hint = "upgrade the holidays package, or list them under include and exclude"
    return [ScheduleWarning(code=_UNPUBLISHED, sentence=sentence, hint=hint)]
