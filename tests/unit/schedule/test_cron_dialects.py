"""What differs between the dialects, and how an expression tells which one it is in."""

from datetime import datetime

import pytest

from foliot.domain.schedule import Cron, CronDialect, schedule_from_document
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron
from foliot.words.language import Language
from foliot.words.schedules.warnings import warnings_of
from tests.unit.schedule.asking import fires, instant


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("0 2 * * *", "unix"),
        ("0 2 * * 1-5", "unix"),
        ("0 9 ? * MON", "unix"),
        ("@daily", "unix"),
        ("0 */5 * * * *", "spring"),
        ("0 0 9 * * MON-FRI", "spring"),
        ("0 0 9 1 * MON", "spring"),
        ("0 15 10 ? * MON-FRI", "quartz"),
        ("0 0 12 L * ?", "quartz"),
        ("0 0 0 1 1 ? 2027", "quartz"),
        ("0 0 0 * * MON 2027", "quartz"),
        ("0 0 9 ? * L", "quartz"),  # only Quartz has a bare L for Saturday
        ("0 0 9 * * 0", "spring"),  # Quartz has no 0
        ("0 0 9 ? * 0", "spring"),
        ("0 0 9 * * 0-6", "spring"),
        ("0 0 9 ? * 1-7", "quartz"),  # the whole week either way
        ("0 0 9 * * */2", "spring"),  # a star is no number: it is read, with a warning
        ("0 0 9 ? * */2", "quartz"),
        ("0 0 9 * * MON/2", "spring"),
        ("0 0 9 ? * MON/2", "quartz"),
    ],
)
def test_the_dialect_is_told_by_the_fields(text: str, dialect: str) -> None:
    assert Cron(text=text).expression.dialect is CronDialect(dialect)


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("0 0 2 ? * 2", "2", "2 is Monday in Quartz, Tuesday in Spring and Unix."),
        ("0 0 2 * * 7", "7", "7 is Saturday in Quartz, Sunday in Spring and Unix."),
        ("0 0 2 ? * 1-5", "1-5", "1-5 is Sunday to Thursday in Quartz, Monday to Friday in Spring and Unix."),
        ("0 0 2 ? * MON,3", "3", "3 is Tuesday in Quartz, Wednesday in Spring and Unix."),
        ("0 0 2 ? * 6#3", "6#3", "6#3 is the third Friday in Quartz, the third Saturday in Spring and Unix."),
        ("0 0 2 ? * 6L", "6L", "6L is the last Friday in Quartz, the last Saturday in Spring and Unix."),
        ("0 0 2 ? * 2 2027", "2", "2 is Monday in Quartz, Tuesday in Spring and Unix."),
        (
            "0 0 2 ? * 1/2",
            "1/2",
            (
                "1/2 is Sunday, Tuesday, Thursday and Saturday in Quartz, "
                "Monday, Wednesday, Friday and Sunday in Spring and Unix."
            ),
        ),
    ],
)
def test_a_weekday_number_with_seconds_is_refused_unless_the_dialect_is_said(text: str, value: str, words: str) -> None:
    with pytest.raises(AmbiguousWeekday) as caught:
        Cron(text=text)
    assert caught.value.sentence == f'"{text}": {words}'
    assert caught.value.data["value"] == value
    assert Cron(text=text, dialect=CronDialect.QUARTZ).next_after(0) is not None


def test_weekday_numbers_differ() -> None:
    assert fires("0 0 9 ? * 2", 1, dialect="quartz") == ["2026-01-05 09:00"]  # Monday
    assert fires("0 0 9 ? * 2", 1, dialect="spring") == ["2026-01-06 09:00"]  # Tuesday
    assert fires("0 9 * * 2", 1) == ["2026-01-06 09:00"]


_EVEN = "Sun Tue Thu Sat"
_ODD = "Mon Wed Fri Sun"
STEPS = [
    # weekday, Unix (0-7), Quartz (1 = Sunday), Spring (1 = Monday … 7 = Sunday); as cronie and cronsim, Quartz 2.3 and
    # Spring 6 read them; None: refused
    ("*/1", "Sun Mon Tue Wed Thu Fri Sat", "Sun Mon Tue Wed Thu Fri Sat", "Sun Mon Tue Wed Thu Fri Sat"),
    ("*/2", _EVEN, _EVEN, _ODD),
    ("*/3", "Sun Wed Sat", "Sun Wed Sat", "Mon Thu Sun"),
    ("*/4", "Sun Thu", "Sun Thu", "Mon Fri"),
    ("*/5", "Sun Fri", "Sun Fri", "Mon Sat"),
    ("*/6", "Sun Sat", "Sun Sat", "Mon Sun"),
    ("*/7", "Sun", "Sun", "Mon"),
    ("0/2", _EVEN, None, _EVEN),
    ("0/7", "Sun", None, "Sun"),
    ("1/2", _ODD, _EVEN, _ODD),
    ("2/2", "Tue Thu Sat", "Mon Wed Fri", "Tue Thu Sat"),
    ("5/1", "Fri Sat Sun", "Thu Fri Sat", "Fri Sat Sun"),
    ("6/1", "Sat Sun", "Fri Sat", "Sat Sun"),
    ("7/1", "Sun", "Sat", "Sun"),
    ("7/2", "Sun", "Sat", "Sun"),
    ("MON/1", "Mon Tue Wed Thu Fri Sat Sun", "Mon Tue Wed Thu Fri Sat", "Mon Tue Wed Thu Fri Sat Sun"),
    ("MON/2", _ODD, "Mon Wed Fri", _ODD),
    ("FRI/1", "Fri Sat Sun", "Fri Sat", "Fri Sat Sun"),
    ("SUN/2", _EVEN, _EVEN, "Sun"),
    ("1-7/2", _ODD, _EVEN, _ODD),
    ("0-6/2", _EVEN, None, _EVEN),
    ("SUN-SAT/2", _EVEN, _EVEN, _EVEN),
    ("SUN-TUE", "Sun Mon Tue", "Sun Mon Tue", "Sun Mon Tue"),
    ("7-2", "Sun Mon Tue", "Sat Sun Mon", "Sun Mon Tue"),
    ("SUN-SUN", "Sun", "Sun", "Sun Mon Tue Wed Thu Fri Sat"),
    ("FRI-SUN", "Fri Sat Sun", "Fri Sat Sun", "Fri Sat Sun"),
    ("MON-SUN/3", "Mon Thu Sun", "Mon Thu Sun", "Mon Thu Sun"),
]


@pytest.mark.parametrize(("weekday", "unix", "quartz", "spring"), STEPS, ids=[row[0] for row in STEPS])
def test_steps_of_weekdays_count_as_the_dialect_numbers_them(
    weekday: str, unix: str, quartz: str | None, spring: str
) -> None:
    assert weekdays_of(f"0 9 * * {weekday}", CronDialect.UNIX) == set(unix.split())
    assert weekdays_of(f"0 0 9 * * {weekday}", CronDialect.SPRING) == set(spring.split())
    if quartz is None:
        with pytest.raises(BadCron, match="weekday 0 is out of range"):
            Cron(text=f"0 0 9 ? * {weekday}", dialect=CronDialect.QUARTZ)
    else:
        assert weekdays_of(f"0 0 9 ? * {weekday}", CronDialect.QUARTZ) == set(quartz.split())


def weekdays_of(text: str, dialect: CronDialect) -> set[str]:
    """The weekdays on which it fires in three weeks from a Monday."""
    week = fires(text, 22, since="2026-01-05", dialect=dialect.value)
    return {datetime.fromisoformat(at).strftime("%a") for at in week if at < "2026-01-26"}


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        (
            "0 0 9 * * */2",
            (
                '"*/2" is read as in Spring: Monday, Wednesday, Friday and Sunday. '
                "In Quartz it is Tuesday, Thursday, Saturday and Sunday."
            ),
            "write MON,WED,FRI,SUN, or set dialect: spring",
        ),
        (
            "0 0 9 ? * FRI/1",
            '"FRI/1" is read as in Quartz: Friday and Saturday. In Spring it is Friday to Sunday.',
            "write FRI,SAT, or set dialect: quartz",
        ),
    ],
)
def test_a_step_that_is_other_days_elsewhere_is_told_until_the_dialect_is_said(
    text: str, sentence: str, hint: str
) -> None:
    (warning,) = warnings_of(schedule_from_document(text), now=instant("2026-01-01"))
    assert (warning.code, warning.sentence, warning.hint) == ("FOL-1039", sentence, hint)
    dialect = Cron(text=text).expression.dialect.value
    said = schedule_from_document({"cron": text, "dialect": dialect})
    assert warnings_of(said, now=instant("2026-01-01")) == ()
    assert said.to_document() == {"cron": text, "dialect": dialect}


def test_a_step_that_is_other_days_elsewhere_in_chinese() -> None:
    schedule = schedule_from_document("0 0 9 * * */3")
    (warning,) = warnings_of(schedule, now=instant("2026-01-01"), language=Language.CHINESE)
    assert (
        warning.sentence == "“*/3”在 Spring 中是每周一、周四和周日，在 Quartz 中是每周三、周六和周日；这里按 Spring。"
    )
    assert warning.hint == "请写 MON,THU,SUN，或设置 dialect: spring"


def test_day_and_weekday_are_joined_by_or_in_unix_and_by_and_in_spring() -> None:
    assert fires("0 9 1 * MON", 3, since="2026-02-01") == ["2026-02-01 09:00", "2026-02-02 09:00", "2026-02-09 09:00"]
    assert fires("0 0 9 1 * MON", 3, since="2026-02-01") == ["2026-06-01 09:00", "2027-02-01 09:00", "2027-03-01 09:00"]


def test_in_unix_a_star_in_either_day_field_joins_by_and_as_crontab_does() -> None:
    assert fires("0 9 */2 * MON", 2) == ["2026-01-05 09:00", "2026-01-19 09:00"]  # odd days that are Mondays
    assert fires("0 9 1-7 * */7", 2) == ["2026-01-04 09:00", "2026-02-01 09:00"]  # first Sundays


def test_quartz_refuses_to_join_day_and_weekday() -> None:
    with pytest.raises(BadCron, match="Quartz cannot join day 1 and weekday MON") as caught:
        Cron(text="0 0 9 1 * MON", dialect=CronDialect.QUARTZ)
    assert "0 0 9 1 * ?" in (caught.value.hint or "")
    assert "0 0 9 ? * MON" in (caught.value.hint or "")
    with pytest.raises(BadCron, match='day and weekday are both "\\?"'):
        Cron(text="0 0 9 ? * ?", dialect=CronDialect.QUARTZ)


def test_quartz_takes_a_star_where_it_demands_a_question_mark() -> None:
    """XXL-JOB and Spring write `0 0 2 * * *`; its meaning is not in doubt."""
    assert fires("0 0 2 * * *", 1, dialect="quartz") == ["2026-01-01 02:00"]


NONE = "nothing"


@pytest.mark.parametrize(
    ("text", "dialect", "suggestion"),
    [
        ("0 2 * * *", "quartz", "0 0 2 * * *"),
        ("0 2 * * *", "spring", "0 0 2 * * *"),
        ("0 0 2 * * *", "unix", "0 2 * * *"),
        ("*/5 * * * * *", "unix", NONE),  # without its seconds it would fire every minute
        ("0 0 0 1 1 ? 2027 8", "quartz", NONE),
        ("0 0 2 * * ? 2027", "spring", None),
        ("0 2 * *", None, "0 2 * * *"),
        ("1, 2 * * * *", None, "1,2 * * * *"),
        ("0 2 * * mon, fri", "unix", "0 2 * * mon,fri"),
        ("", None, None),
        ("5", None, None),
        ("0 0 0 1 1 ? 2027 8", None, None),
    ],
)
def test_a_wrong_number_of_fields_is_said(text: str, dialect: str | None, suggestion: str | None) -> None:
    with pytest.raises(BadCron) as caught:
        Cron(text=text, dialect=CronDialect(dialect) if dialect else None)
    if suggestion is not None:
        assert (caught.value.data["suggestion"] or NONE) == suggestion
