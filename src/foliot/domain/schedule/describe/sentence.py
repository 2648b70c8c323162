"""A whole schedule as one sentence."""

from types import ModuleType

from foliot.domain.instants import Instant, to_datetime
from foliot.domain.schedule.at import At
from foliot.domain.schedule.calendars import Calendar, DayKind, Shift
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.describe import chinese, english
from foliot.domain.schedule.describe.language import Language
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.schedule import Schedule
from foliot.domain.schedule.structured import Daily, Weekly
from foliot.domain.schedule.trigger import Trigger
from foliot.domain.schedule.zones import zone


def describe(schedule: Schedule, language: Language = Language.ENGLISH) -> str:
    """A schedule in words: `every day at 02:00, Asia/Shanghai, working days only`."""
    is_chinese = language is Language.CHINESE
    words = [_trigger(one, is_chinese) for one in schedule.triggers]
    comma = "，" if is_chinese else ", "
    together = ("；以及" if is_chinese else "; and ").join(words)
    return comma.join([together, *_settings(schedule, is_chinese)])


def _trigger(trigger: Trigger, is_chinese: bool) -> str:
    said: ModuleType = chinese if is_chinese else english
    match trigger:
        case Schedule():
            return describe(trigger, Language.CHINESE if is_chinese else Language.ENGLISH)
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
        return f"{nth}{days.removeprefix('每') if nth else days} {chinese.times_of_day(trigger.times)}"
    days = english.weekdays(trigger.weekdays)
    on = days if " to " in days or days == "every day" else f"on {days}"
    nth = "" if trigger.every == 1 else f" of every {english.ordinal(trigger.every)} week"
    return f"at {english.times_of_day(trigger.times)} {on}{nth}"


def _settings(schedule: Schedule, is_chinese: bool) -> list[str]:
    said: list[str] = []
    tz = schedule.tz
    has_wall_clock = any(isinstance(one, Cron | Daily | Weekly | At) for one in schedule.triggers)
    if tz != "UTC" and (has_wall_clock or schedule.calendar_name) and not isinstance(schedule.triggers[0], Schedule):
        said.append(tz)
    said += _calendar(schedule, is_chinese)
    if schedule.start_at is not None:
        start = _shown(schedule.start_at, tz)
        said.append(f"{start} 起" if is_chinese else f"from {start}")
    if schedule.end_at is not None:
        end = _shown(schedule.end_at, tz)
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
    direction = schedule.shift or (calendar.shift if calendar else None)
    if direction is not None:
        if is_chinese:
            return [f"遇休息日{'顺延至下一' if direction is Shift.NEXT else '提前至上一'}个工作日（{name}）"]
        return [f"moved to the {direction.value} working day ({name})"]
    if calendar is not None and _is_plain_workdays(calendar):
        return ["仅工作日" if is_chinese else "working days only"]
    return [f"仅日历 {name} 允许的时间" if is_chinese else f"only as calendar {name} allows"]


def _is_plain_workdays(calendar: Calendar) -> bool:
    return calendar.days is DayKind.WORKDAYS and calendar.only is None


def _shown(instant: Instant, tz: str) -> str:
    moment = to_datetime(instant + zone(tz).offset_at(instant // 1_000_000) * 1_000_000)
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"
