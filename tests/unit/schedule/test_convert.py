"""The same expression in another dialect."""

import pytest

from foliot.domain.schedule import Cron, CronDialect
from foliot.domain.schedule.cron.conversion import convert
from foliot.domain.schedule.errors import NotConvertible
from foliot.words.errors import tell
from foliot.words.language import Language

CONVERTED = [
    ("0 2 * * *", None, "quartz", "0 0 2 * * ?"),
    ("0 2 * * 1-5", None, "quartz", "0 0 2 ? * MON-FRI"),
    ("0 2 * * 0,7", None, "quartz", "0 0 2 ? * SUN"),
    ("0 2 * * 5-1", None, "quartz", "0 0 2 ? * FRI,SAT,SUN,MON"),
    ("0 2 * * 1-5/2", None, "quartz", "0 0 2 ? * MON,WED,FRI"),
    ("0 9 * * 5#3", None, "quartz", "0 0 9 ? * FRI#3"),
    ("0 9 * * 5L", None, "spring", "0 0 9 * * FRIL"),
    ("0 22-2 * * *", None, "spring", "0 0 22-23,0-2 * * *"),
    ("0 15 10 ? * MON-FRI", None, "unix", "15 10 * * MON-FRI"),
    ("0 0 2 ? * 2", "quartz", "spring", "0 0 2 * * MON"),
    ("0 0 2 ? * 2", "spring", "quartz", "0 0 2 ? * TUE"),
    ("0 0 2 ? * L", "quartz", "unix", "0 2 * * SAT"),
    ("0 0 12 L * ?", None, "unix", "0 12 L * *"),
    ("0 0 12 1W,15W * ?", None, "spring", "0 0 12 1W,15W * *"),
    ("0 0 0 1 1 ? *", None, "unix", "0 0 1 1 *"),
    ("0 0 0 1 1 ? 2027", None, "quartz", "0 0 0 1 1 ? 2027"),
    ("0 0 9 1-7 * MON", None, "unix", "0 9 * * MON#1"),
    ("0 0 9 8-14 * FRI", None, "quartz", "0 0 9 ? * FRI#2"),
    ("0 9 */2 * MON", None, "spring", "0 0 9 */2 * MON"),
    ("0 9 1 * MON", None, "unix", "0 9 1 * MON"),
    ("@weekly", None, "quartz", "0 0 0 ? * SUN"),
    ("@daily", None, "unix", "0 0 * * *"),
    ("H H(1-5) * * *", None, "quartz", "0 H H(1-5) * * ?"),
    ("*/5 * * * * *", None, "quartz", "*/5 * * * * ?"),
]


@pytest.mark.parametrize(("text", "dialect", "to", "expected"), CONVERTED)
def test_an_expression_in_another_dialect(text: str, dialect: str | None, to: str, expected: str) -> None:
    said = CronDialect(dialect) if dialect else None
    converted = convert(text, CronDialect(to), dialect=said)
    assert converted.text == expected
    before, after = (
        Cron(text=text, dialect=said, job="settle"),
        Cron(text=expected, dialect=CronDialect(to), job="settle"),
    )
    at = 0
    for _ in range(50):
        following = before.next_after(at)
        assert following == after.next_after(at)
        if following is None:
            break
        at = following


@pytest.mark.parametrize(
    ("text", "to", "problem", "hint"),
    [
        ("*/5 * * * * *", "unix", "Unix cron has no seconds", "keep the dialect, or use every: for seconds"),
        ("0 0 0 1 1 ? 2027", "unix", "Unix cron has no years", "give the schedule a start and an end instead"),
        ("0 0 0 1 1 ? 2027", "spring", "Spring has no years", "give the schedule a start and an end instead"),
        (
            "0 9 1 * MON",
            "quartz",
            "Quartz cannot join day 1 and weekday MON by OR",
            "write a list of two: 0 0 9 1 * ? and 0 0 9 ? * MON",
        ),
        (
            "0 9 1 * MON",
            "spring",
            "Spring cannot join day 1 and weekday MON by OR",
            "write a list of two: 0 0 9 1 * * and 0 0 9 * * MON",
        ),
        ("0 0 9 1 * MON", "quartz", "Quartz cannot join day 1 and weekday MON by AND", "keep the dialect"),
        ("0 0 9 1 * MON", "unix", "Unix cron cannot join day 1 and weekday MON by AND", "keep the dialect"),
    ],
)
def test_what_a_dialect_cannot_say_is_refused(text: str, to: str, problem: str, hint: str) -> None:
    with pytest.raises(NotConvertible) as caught:
        convert(text, CronDialect(to))
    assert caught.value.sentence == f'"{text}": {problem}.'
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("text", "to", "sentence", "hint"),
    [
        ("*/5 * * * * *", "unix", "Unix cron 没有秒字段", "保留原来的方言，或用 every: 表示秒"),
        ("0 0 0 1 1 ? 2027", "spring", "Spring 没有年字段", "改为给调度计划设置 start 和 end"),
        ("0 9 1 * MON", "quartz", "Quartz 不能用“或”连接日与星期", "写成两条的列表：0 0 9 1 * ? 和 0 0 9 ? * MON"),
        ("0 0 9 1 * MON", "unix", "Unix cron 不能用“且”连接日与星期", "保留原来的方言"),
        ("0 9 * * H(1-7)", "quartz", "Quartz 没有与之对应的星期数字", "用名称书写星期"),
    ],
)
def test_what_a_dialect_cannot_say_in_chinese(text: str, to: str, sentence: str, hint: str) -> None:
    with pytest.raises(NotConvertible) as caught:
        convert(text, CronDialect(to))
    assert tell(caught.value, Language.CHINESE) == (f"“{text}”：{sentence}。", hint)


def test_forms_that_only_foliot_reads_in_unix_cron_are_marked() -> None:
    assert convert("0 15 10 ? * MON-FRI", CronDialect.UNIX).is_portable
    assert not convert("0 0 12 L * ?", CronDialect.UNIX).is_portable
    assert not convert("0 0 9 1-7 * MON", CronDialect.UNIX).is_portable
    assert not convert("H 2 * * *", CronDialect.QUARTZ).is_portable
    assert convert("0 12 L * *", CronDialect.QUARTZ).is_portable


@pytest.mark.parametrize(
    ("text", "to", "written"),
    [
        ("0 0 1 * */2,MON", CronDialect.UNIX, "0 0 1 * */2,MON"),  # its star joins by AND, as it did
        ("0 23/2 * * *", CronDialect.UNIX, "0 23 * * *"),
        ("0 23/2 * * *", CronDialect.QUARTZ, "0 0 23 * * ?"),
        (
            "0 1/2,23/2 * * *",
            CronDialect.SPRING,
            "0 0 1/2,23/2 * * *",
        ),  # "every so many hours" stays when clocks change
    ],
)
def test_what_a_dialect_reads_is_written_as_it_reads_it(text: str, to: CronDialect, written: str) -> None:
    assert convert(text, to).text == written


@pytest.mark.parametrize(
    ("text", "to", "is_portable"),
    [
        ("0 9 * * FRI#5", CronDialect.SPRING, False),  # in a month with four Fridays Spring fires in the next one
        ("0 9 * * FRI#4", CronDialect.SPRING, True),
        ("0 9 * * FRI#5", CronDialect.QUARTZ, True),
        ("0 9 L-27W * *", CronDialect.QUARTZ, True),
        ("0 9 L-28W * *", CronDialect.QUARTZ, False),  # Quartz never ends its search in February
        ("0 9 L-29W * *", CronDialect.QUARTZ, False),
        ("0 9 L-30W * *", CronDialect.QUARTZ, False),
        ("0 9 L-30 * *", CronDialect.QUARTZ, True),
    ],
)
def test_days_that_a_short_month_lacks_are_portable_only_where_the_program_leaves_it_out(
    text: str, to: CronDialect, is_portable: bool
) -> None:
    assert convert(text, to).is_portable is is_portable
