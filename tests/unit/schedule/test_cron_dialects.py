"""What differs between the dialects, and how an expression tells which one it is in."""

import pytest

from foliot.domain.schedule import Cron, Dialect
from foliot.domain.schedule.errors import AmbiguousWeekday, BadCron
from tests.unit.schedule.asking import fires


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
        ("0 0 9 * * */2", "spring"),  # Sunday, Tuesday, Thursday, Saturday either way
    ],
)
def test_the_dialect_is_told_by_the_fields(text: str, dialect: str) -> None:
    assert Cron(text=text).expression.dialect is Dialect(dialect)


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
    ],
)
def test_a_weekday_number_with_seconds_is_refused_unless_the_dialect_is_said(text: str, value: str, words: str) -> None:
    with pytest.raises(AmbiguousWeekday) as caught:
        Cron(text=text)
    assert caught.value.sentence == f'"{text}": {words}'
    assert caught.value.data["value"] == value
    assert Cron(text=text, dialect=Dialect.QUARTZ).next_after(0) is not None


def test_weekday_numbers_differ() -> None:
    assert fires("0 0 9 ? * 2", 1, dialect="quartz") == ["2026-01-05 09:00"]  # Monday
    assert fires("0 0 9 ? * 2", 1, dialect="spring") == ["2026-01-06 09:00"]  # Tuesday
    assert fires("0 9 * * 2", 1) == ["2026-01-06 09:00"]


def test_day_and_weekday_are_joined_by_or_in_unix_and_by_and_in_spring() -> None:
    assert fires("0 9 1 * MON", 3, since="2026-02-01") == ["2026-02-01 09:00", "2026-02-02 09:00", "2026-02-09 09:00"]
    assert fires("0 0 9 1 * MON", 3, since="2026-02-01") == ["2026-06-01 09:00", "2027-02-01 09:00", "2027-03-01 09:00"]


def test_in_unix_a_star_in_either_day_field_joins_by_and_as_crontab_does() -> None:
    assert fires("0 9 */2 * MON", 2) == ["2026-01-05 09:00", "2026-01-19 09:00"]  # odd days that are Mondays
    assert fires("0 9 1-7 * */7", 2) == ["2026-01-04 09:00", "2026-02-01 09:00"]  # first Sundays


def test_quartz_refuses_to_join_day_and_weekday() -> None:
    with pytest.raises(BadCron, match="Quartz cannot join day 1 and weekday MON") as caught:
        Cron(text="0 0 9 1 * MON", dialect=Dialect.QUARTZ)
    assert "0 0 9 1 * ?" in (caught.value.hint or "")
    assert "0 0 9 ? * MON" in (caught.value.hint or "")
    with pytest.raises(BadCron, match='day and weekday are both "\\?"'):
        Cron(text="0 0 9 ? * ?", dialect=Dialect.QUARTZ)


def test_quartz_takes_a_star_where_it_demands_a_question_mark() -> None:
    """XXL-JOB and Spring write `0 0 2 * * *`; its meaning is not in doubt."""
    assert fires("0 0 2 * * *", 1, dialect="quartz") == ["2026-01-01 02:00"]


@pytest.mark.parametrize(
    ("text", "dialect", "suggestion"),
    [
        ("0 2 * * *", "quartz", "0 0 2 * * *"),
        ("0 2 * * *", "spring", "0 0 2 * * *"),
        ("0 0 2 * * *", "unix", "0 2 * * *"),
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
        Cron(text=text, dialect=Dialect(dialect) if dialect else None)
    if suggestion is not None:
        assert caught.value.data["suggestion"] == suggestion
