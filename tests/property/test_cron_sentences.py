"""What a sentence says is what happens: its days, weekdays, months and times are read back and compared."""

import re
from datetime import date, timedelta

import pytest

from foliot.domain.schedule import Cron, CronDialect, Schedule
from foliot.domain.schedule.cron.fields import Span
from foliot.domain.schedule.days import day_number, month_of
from foliot.words.language import Language
from foliot.words.schedules import describe
from tests.property.expressions import drawn

ENGLISH_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
CHINESE_DAYS = ("周日", "周一", "周二", "周三", "周四", "周五", "周六")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
YEARS = range(2026, 2032)  # with a leap year, and every month beginning on most weekdays


TOLD = [
    ("0 0 1-31 * MON", CronDialect.UNIX),
    ("0 0 1 * 0-6", CronDialect.UNIX),
    ("0 0 1-31 6 MON", CronDialect.UNIX),
    ("0 9 1 6 MON", CronDialect.UNIX),
    ("0 9 1 11-2 *", CronDialect.UNIX),
    ("0 9 * * FRI/1", CronDialect.UNIX),
    ("0 9 * * */2", CronDialect.UNIX),
    ("0 9 * * 1-4,6", CronDialect.UNIX),
    ("0 9-17/4 * * *", CronDialect.UNIX),
    ("0 0 9 1-31 * MON", CronDialect.SPRING),
    ("0 0 9 * * */2", CronDialect.SPRING),
    ("0 0 9 ? * MON/2 *", CronDialect.QUARTZ),
]
DRAWN = 200


@pytest.mark.parametrize(("text", "dialect"), TOLD, ids=[text for text, _ in TOLD])
def test_a_sentence_says_what_happens(text: str, dialect: CronDialect) -> None:
    check_sentences(Cron(text=text, dialect=dialect))


@pytest.mark.parametrize("dialect", list(CronDialect))
def test_sentences_of_expressions_of_every_form_say_what_happens(dialect: CronDialect) -> None:
    for trigger in drawn(dialect, DRAWN):
        check_sentences(trigger)


def check_sentences(trigger: Cron) -> None:
    schedule = Schedule(triggers=(Cron(text=trigger.text, dialect=trigger.dialect, job=trigger.job),))
    english, chinese = describe(schedule), describe(schedule, Language.CHINESE)
    check_days(trigger, english, chinese)
    check_weekdays(trigger, english, chinese)
    check_months(trigger, english, chinese)
    check_times(trigger, english, chinese)


def fired_days(trigger: Cron) -> set[date]:
    found: set[date] = set()
    for year in YEARS:
        for month in range(1, 13):
            mask = trigger.wall.days.in_month(month_of(day_number(date(year, month, 1))))
            found |= {date(year, month, day) for day in range(1, 32) if mask >> day - 1 & 1}
    return found


def all_days(trigger: Cron) -> set[date]:
    """The days of its months and years."""
    expression = trigger.expression
    years = [year for year in YEARS if expression.year is None or expression.year.mask >> year - 1970 & 1]
    days = [date(year, 1, 1) + timedelta(n) for year in years for n in range(366)]
    return {day for day in days if day.year in years and expression.month.mask >> day.month & 1}


def check_days(trigger: Cron, english: str, chinese: str) -> None:
    """No day is named only if every day fires."""
    is_every_day = fired_days(trigger) == all_days(trigger)
    rest = english.replace("every day", "").replace("each day", "")
    names_days = "day" in rest or re.search(r"on the .* of ", rest) is not None
    has_special = any(not isinstance(item, Span) for item in trigger.expression.day.items)
    assert names_days or is_every_day, english
    assert not names_days or has_special or not is_every_day, english
    in_chinese = re.search(r"周|[0-9] 日|天|工作日", chinese.replace("每天", ""))
    assert (in_chinese is not None) == names_days, chinese


def check_weekdays(trigger: Cron, english: str, chinese: str) -> None:
    """The weekdays named are those that fire."""
    expression = trigger.expression
    has_special = any(not isinstance(item, Span) for item in expression.weekday.items)
    fired = {day.isoweekday() % 7 for day in fired_days(trigger)}
    if expression.weekday_narrows and not expression.day_narrows and not has_special and fired:
        assert spans(english, ENGLISH_DAYS, "s? to ") == fired, english
        assert spans(chinese, CHINESE_DAYS, "至") == fired, chinese


def spans(sentence: str, names: tuple[str, ...], to: str) -> set[int]:
    """The places of names in a sentence, ranges filled in, round the end."""
    one = "|".join(names)
    found: set[int] = set()
    for first, last in re.findall(f"({one})(?:{to}({one}))?", sentence):
        begin, end = names.index(first), names.index(last or first)
        found |= {(begin + n) % len(names) for n in range((end - begin) % len(names) + 1)}
    return found


def check_months(trigger: Cron, english: str, chinese: str) -> None:
    """The months named are those of the field."""
    months = {month for month in range(12) if trigger.expression.month.mask >> month + 1 & 1}
    named = months if len(months) < 12 else set()
    assert spans(english, MONTHS, " to ") == named, english
    numbers = {int(first) - 1: int(last or first) - 1 for first, last in MONTHS_IN_CHINESE.findall(chinese)}
    counted = {(first + n) % 12 for first, last in numbers.items() for n in range((last - first) % 12 + 1)}
    assert counted == named, chinese


MONTHS_IN_CHINESE = re.compile(r"([0-9]+) 月(?:至 ([0-9]+) 月)?")


def check_times(trigger: Cron, english: str, chinese: str) -> None:
    """Times that are listed are all there are."""
    listed = re.search(r"\bat ((?:[0-9:]{5,8}(?:, | and )?)+)", english)
    if listed is None:
        return
    times = re.findall(r"[0-9]{2}:[0-9:]{2,5}", listed[1])
    assert [seconds(time) for time in times] == every_time(trigger)
    assert re.findall(r"[0-9]{2}:[0-9:]{2,5}", chinese) == times


def every_time(trigger: Cron) -> list[int]:
    hours, minutes, secs = (
        [value for value in range(60) if field.mask >> value & 1]
        for field in (trigger.expression.hour, trigger.expression.minute, trigger.expression.second)
    )
    return [hour * 3600 + minute * 60 + second for hour in hours for minute in minutes for second in secs]


def seconds(time: str) -> int:
    hour, minute, second = (*time.split(":"), "0")[:3]
    return int(hour) * 3600 + int(minute) * 60 + int(second)


@pytest.mark.parametrize("text", ["0 0 0 1 1 ? 2027-2199/2", "*/2,*/3 * * * *", "0 0 0 1 1 ? 1970-2199/2,1970-2199/3"])
def test_no_sentence_is_longer_than_a_person_reads(text: str) -> None:
    schedule = Schedule(triggers=(Cron(text=text),))
    for language in Language:
        assert len(describe(schedule, language)) < 200
