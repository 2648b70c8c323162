"""A whole schedule as one sentence."""

from types import ModuleType

from foliot.domain.instants import Instant, to_datetime
from foliot.domain.schedule.at import At
from foliot.domain.schedule.calendars import ALL_WEEKDAYS, Calendar, DayKind, Shift
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.schedule import Schedule
from foliot.domain.schedule.structured import Daily, Weekly
from foliot.domain.schedule.trigger import Trigger
from foliot.domain.schedule.zones import zone
from foliot.words.language import Language
from foliot.words.schedules import chinese, english


def describe(schedule: Schedule, language: Language = Language.ENGLISH) -> str:
    """A schedule in words: `every day at 02:00, Asia/Shanghai, working days only`."""
    return _described(schedule, language is Language.CHINESE, has_several_zones=len(_zones(schedule)) > 1)


def zones_of(schedule: Schedule) -> tuple[str, ...]:
    """The zones that it goes by: of its wall clocks, and where its calendar counts days. An interval has none."""
    return tuple(sorted(_zones(schedule)))


def _described(schedule: Schedule, is_chinese: bool, *, has_several_zones: bool) -> str:
    comma = "，" if is_chinese else ", "
    words: list[str] = []
    for one in schedule.triggers:
        if isinstance(one, Schedule):
            words.append(_described(one, is_chinese, has_several_zones=has_several_zones))
            continue
        own_zone = _zones_of(schedule, one) if len(_zones(schedule)) > 1 else set()
        words.append(comma.join([_trigger(one, is_chinese), *own_zone]))
    together = ("；以及" if is_chinese else "; and ").join(words)
    return comma.join([together, *_settings(schedule, is_chinese, has_several_zones=has_several_zones)])


def _zones(schedule: Schedule) -> set[str]:
    """The zones that matter to it: those of wall clocks, and where a calendar counts days."""
    return {name for one in schedule.triggers for name in _zones_of(schedule, one)}


def _zones_of(schedule: Schedule, trigger: Trigger) -> set[str]:
    match trigger:
        case Schedule():
            return _zones(trigger)
        case Cron() | Daily() | Weekly() | At():
            return {trigger.tz}
        case Every() | FixedDelay() if schedule.calendar_name:
            return {trigger.tz}
    return set()


def _trigger(trigger: Trigger, is_chinese: bool) -> str:
    said: ModuleType = chinese if is_chinese else english
    match trigger:
        case Cron():
            return str(said.cron(trigger.expression))
        case Every():
            phase = trigger.phase_us
            offset = f"，错开 {chinese.duration(phase)}" if is_chinese else f", offset by {english.duration(phase)}"
            return f"{said.every(trigger.interval_us)}{offset if phase else ''}"
        case FixedDelay():
            length = said.duration(trigger.delay_us)
            return f"上次执行结束后 {length}" if is_chinese else f"{length} after the last run ended"
        case At():
            return _at(trigger, is_chinese)
        case Daily():
            times = said.times_of_day(trigger.times)
            if is_chinese:
                return f"{'每天' if trigger.every == 1 else f'每 {trigger.every} 天'} {times}"
            return f"every {'day' if trigger.every == 1 else f'{trigger.every} days'} at {times}"
        case Weekly():
            return _weekly(trigger, is_chinese)
    raise AssertionError(trigger)


def _at(trigger: At, is_chinese: bool) -> str:
    shown = [_shown(instant, trigger.tz) for instant in trigger.instants[:3]]
    if len(trigger.instants) > 3:
        more = len(trigger.instants) - 3
        return f"{'、'.join(shown)}等 {more + 3} 次" if is_chinese else f"at {', '.join(shown)} and {more} more"
    return chinese.listed(shown) if is_chinese else f"at {english.listed(shown)}"


def _weekly(trigger: Weekly, is_chinese: bool) -> str:
    if is_chinese:
        nth = "" if trigger.every == 1 else f"每 {trigger.every} 周的"
        days = chinese.weekdays(trigger.weekdays)
        if nth and days.startswith("每周"):
            days = days.removeprefix("每")
        return f"{nth}{days} {chinese.times_of_day(trigger.times)}"
    days = english.weekdays(trigger.weekdays)
    on = days if " to " in days or days == "every day" else f"on {days}"
    nth = "" if trigger.every == 1 else f" of every {english.ordinal(trigger.every)} week"
    return f"at {english.times_of_day(trigger.times)} {on}{nth}"


def _settings(schedule: Schedule, is_chinese: bool, *, has_several_zones: bool) -> list[str]:
    said: list[str] = []
    tz, zones = schedule.tz, _zones(schedule)
    is_branched = isinstance(schedule.triggers[0], Schedule)
    if len(zones) == 1 and not is_branched and (has_several_zones or zones != {"UTC"}):
        said += zones
    said += _calendar(schedule, is_chinese)
    place = f" {tz}" if len(zones) > 1 else ""
    if schedule.start_at is not None:
        start = f"{_shown(schedule.start_at, tz)}{place}"
        said.append(f"{start} 起" if is_chinese else f"from {start}")
    if schedule.end_at is not None:
        end = f"{_shown(schedule.end_at, tz)}{place}"
        said.append(f"至 {end} 为止" if is_chinese else f"until {end}")
    if schedule.count is not None:
        once = "once" if schedule.count == 1 else f"{schedule.count} times"
        said.append(f"共 {schedule.count} 次" if is_chinese else once)
    if schedule.jitter_us:
        said.append(
            f"随机延后至多 {chinese.duration(schedule.jitter_us)}"
            if is_chinese
            else f"up to {english.duration(schedule.jitter_us)} later"
        )
    return said


def _calendar(schedule: Schedule, is_chinese: bool) -> list[str]:
    if schedule.calendar_name is None:
        return []
    calendar, name = schedule.calendar, schedule.calendar_name
    is_workdays = calendar is not None and _is_workdays(calendar)
    has_closed_hours = calendar is not None and bool(calendar.blackouts or calendar.closed_hours)
    allowed = f"仅日历 {name} 允许的时间" if is_chinese else f"only as calendar {name} allows"
    intervals = [one for one in schedule.triggers if isinstance(one, Every | FixedDelay)]
    direction = schedule.shift or (calendar.shift if calendar else None)
    if direction is None or len(intervals) == len(schedule.triggers):  # an interval has no days to move
        if is_workdays and not has_closed_hours:
            return ["仅工作日" if is_chinese else "working days only"]
        return [allowed]
    moved = _moved(name, direction, is_workdays, is_chinese)
    if has_closed_hours:
        return [moved, allowed]
    if intervals:
        return [moved, f"间隔{allowed}" if is_chinese else f"intervals {allowed}"]
    return [moved]


def _moved(name: str, direction: Shift, is_workdays: bool, is_chinese: bool) -> str:
    if is_chinese:
        onto = "顺延至下一" if direction is Shift.NEXT else "提前至上一"
        return f"遇休息日{onto}个工作日（{name}）" if is_workdays else f"遇日历 {name} 以外的日子{onto}个日历内的日子"
    if is_workdays:
        return f"moved to the {direction.value} working day ({name})"
    return f"moved to the {direction.value} day that calendar {name} counts"


def _is_workdays(calendar: Calendar) -> bool:
    """Whether the days that count are all working days."""
    is_all = calendar.weekdays == ALL_WEEKDAYS and calendar.only is None
    return calendar.days is DayKind.WORKDAYS and is_all


def _shown(instant: Instant, tz: str) -> str:
    moment = to_datetime(instant + zone(tz).offset_at(instant // 1_000_000) * 1_000_000)
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"
