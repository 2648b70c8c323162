"""What people read when an expression, a zone or a schedule is wrong: word for word."""

import pytest

from foliot.domain.errors import FoliotError
from foliot.domain.schedule import Cron, schedule_from_document
from foliot.domain.schedule.errors import UnknownZone
from foliot.domain.schedule.zones import zone
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.schedules.warnings import warnings_of
from tests.unit.schedule.asking import instant


def refusal(text: str) -> FoliotError:
    with pytest.raises(FoliotError) as caught:
        Cron(text=text)
    return caught.value


def test_1001_a_bad_cron_names_field_value_range_and_a_correction() -> None:
    error = refusal("0 25 * * *")
    assert error.code == "FOL-1001"
    assert error.sentence == '"0 25 * * *": hour 25 is out of range 0–23 (2nd field).'
    assert tell(error)[1] == "did you mean 0 23 * * *?"


def test_1002_a_weekday_number_with_seconds() -> None:
    error = refusal("0 0 2 ? * 2")
    assert error.code == "FOL-1002"
    assert error.sentence == '"0 0 2 ? * 2": 2 is Monday in Quartz, Tuesday in Spring and Unix.'
    assert tell(error)[1] == "write MON or TUE, or set dialect: quartz"


def test_1003_day_and_weekday() -> None:
    (warning,) = warnings_of(schedule_from_document("0 9 1 * MON"), now=instant("2026-01-01"))
    assert warning.code == "FOL-1003"
    assert warning.sentence == '"0 9 1 * MON" fires on the 1st AND on every Monday (cron joins days with OR).'
    assert warning.hint == "first Monday only: MON#1"


def test_1004_an_unknown_zone() -> None:
    with pytest.raises(UnknownZone) as caught:
        zone("Asia/Beijing")
    assert caught.value.code == "FOL-1004"
    assert caught.value.sentence == 'Time zone "Asia/Beijing" does not exist.'
    assert caught.value.hint == "use Asia/Shanghai"


def test_1005_a_time_in_a_dst_gap() -> None:
    schedule = schedule_from_document({"cron": "30 2 * * *", "tz": "Europe/Berlin"})
    gap, double = warnings_of(schedule, now=instant("2026-01-01"))
    assert gap.code == double.code == "FOL-1005"
    assert gap.sentence == "02:30 does not exist on 29 March in Europe/Berlin; that fire runs at 03:00."
    assert gap.hint == "choose a time before 02:00 or tz: UTC"
    assert double.sentence == "02:30 comes twice on 25 October in Europe/Berlin; the fire runs once, at the first."


@pytest.mark.parametrize(
    ("text", "problem", "suggestion"),
    [
        ("60 * * * *", "minute 60 is out of range 0–59 (1st field)", "0 * * * *"),
        ("0 24 * * *", "hour 24 is out of range 0–23 (2nd field)", "0 0 * * *"),
        ("0 0 0 * *", "day 0 is out of range 1–31 (3rd field)", "0 0 1 * *"),
        ("0 0 32 * *", "day 32 is out of range 1–31 (3rd field)", "0 0 31 * *"),
        ("0 0 1 13 *", "month 13 is out of range 1–12 (4th field)", "0 0 1 12 *"),
        ("0 0 * * 8", "weekday 8 is out of range 0–7 (5th field)", "0 0 * * 7"),
        ("0 0 * * MOM", 'weekday "MOM" cannot be read (5th field)', "0 0 * * MON"),
        ("0 0 1 JANU *", 'month "JANU" cannot be read (4th field)', "0 0 1 JAN *"),
        ("0 9-25 * * *", "hour 25 is out of range 0–23 (2nd field)", "0 9-23 * * *"),
        ("1,,2 * * * *", "minute has an empty value (1st field)", "1,2 * * * *"),
        ("5x * * * *", 'minute "5X" cannot be read (1st field)', "5 * * * *"),
        ("? 0 * * *", '"?" belongs into day or weekday, not minute (1st field)', "* 0 * * *"),
        ("0 0 * * L5", 'weekday "L5" cannot be read (5th field)', "0 0 * * 5L"),
        ("0 0 * * FRI#L", 'weekday "FRI#L": a month has a 1st to 5th Friday (5th field)', "0 0 * * FRIL"),
        ("0 0 * * 5#-1", 'weekday "5#-1": a month has a 1st to 5th Friday (5th field)', "0 0 * * 5L"),
        ("0 0 * * WEEKDAYS", 'weekday "WEEKDAYS" cannot be read (5th field)', "0 0 * * MON-FRI"),
        ("0 0 * * weekend", 'weekday "WEEKEND" cannot be read (5th field)', "0 0 * * SAT,SUN"),
        ("0 0 -1 * *", 'day "-1" cannot be read (3rd field)', "0 0 L * *"),
        ("0 0 -3 * *", 'day "-3" cannot be read (3rd field)', "0 0 L-2 * *"),
        ("0 0 W15 * *", 'day "W15" cannot be read (3rd field)', "0 0 15W * *"),
        ("0 9pm * * *", 'hour "9PM" cannot be read (2nd field)', "0 21 * * *"),
        ("0 12am * * *", 'hour "12AM" cannot be read (2nd field)', "0 0 * * *"),
        ("0 0 15th * *", 'day "15TH" cannot be read (3rd field)', "0 0 15 * *"),
        ("0 0 0 1 1 ? 2030-2027", "year 2030 is after 2027 (7th field)", "0 0 0 1 1 ? 2027-2030"),
        ("0 0 0 1 1 ? 2030-2027/2", "year 2030 is after 2027 (7th field)", "0 0 0 1 1 ? 2027-2030/2"),
        ("0 2 * * * /usr/bin/backup --all now", "8 fields, but cron has 5, or 6 and 7 with seconds first", "0 2 * * *"),
        ("0 0 L-31 * *", "day L-31 is out of range L-0–L-30 (3rd field)", "0 0 L-30 * *"),
        ("0 0 32W * *", "day 32 is out of range 1–31 (3rd field)", "0 0 31W * *"),
        ("0 0-24 * * *", "hour 24 is out of range 0–23 (2nd field)", "0 0-23 * * *"),
        ("0 0-24/2 * * *", "hour 24 is out of range 0–23 (2nd field)", "0 0-23/2 * * *"),
        ("0 24-6 * * *", "hour 24 is out of range 0–23 (2nd field)", "0 0-6 * * *"),
        ("0-60/5 * * * *", "minute 60 is out of range 0–59 (1st field)", "0-59/5 * * * *"),
        ("0-60 0 2 * * *", "second 60 is out of range 0–59 (1st field)", "0-59 0 2 * * *"),
        ("H(0-60) * * * *", "minute 60 is out of range 0–59 (1st field)", "H(0-59) * * * *"),
        ("0 2 * * 1 /usr/bin/true", "a command stands behind the 5 fields", "0 2 * * 1"),
        ("0 2 * * 1 root /usr/bin/true", "a command stands behind the 5 fields", "0 2 * * 1"),
        ("0 2 * * MON ./settle.sh", "a command stands behind the 5 fields", "0 2 * * MON"),
        ("H(30-10) * * * *", "minute 30 is after 10 (1st field)", "H(10-30) * * * *"),
        ("@dayly", "@dayly is not a known name", "@daily"),
        ("0 2 * *", "4 fields, but cron has 5, or 6 and 7 with seconds first", "0 2 * * *"),
    ],
)
def test_every_refusal_names_the_trouble_and_a_correction(text: str, problem: str, suggestion: str) -> None:
    error = refusal(text)
    assert error.code == "FOL-1001"
    assert error.sentence == f'"{text}": {problem}.'
    assert tell(error)[1] == f"did you mean {suggestion}?"
    Cron(text=suggestion)


@pytest.mark.parametrize(
    ("text", "problem", "advice"),
    [
        ("*/90 * * * *", "minute step 90 is larger than the range 0–59", "for every 90 minutes write every: 90m"),
        ("0 */36 * * *", "hour step 36 is larger than the range 0–23", "for every 36 hours write every: 36h"),
        ("100 * * * *", "minute 100 is out of range", "minute: 0–59, *, */2, 1-5 or lists of them"),
        ("0 0 * * 9-12", "weekday 9 is out of range", "weekday: 0–7, SUN … or lists and ranges of them"),
        ("0 0 * * 8-9", "weekday 8 is out of range", "weekday: 0–7, SUN … or lists and ranges of them"),
        ("0 0 40W * *", "day 40 is out of range", "day: 1–31, *, */2, 1-5 or lists of them"),
        ("0 0 0 1 1 ? 3000", "year 3000 is out of range", "year: 1970–2199, *, */2, 1-5 or lists of them"),
        ("*/0 * * * *", "minute step 0 would never move on", "a step is a whole number from 1 on, as in */5"),
        ("*/x * * * *", 'minute step "X" is not a number', "a step is a whole number from 1 on, as in */5"),
        ("*/ * * * *", 'minute step "" is not a number', "a step is a whole number from 1 on, as in */5"),
        ("1%2 * * * *", 'minute "1%2" cannot be read', "a step is written with a slash: */5"),
        ("-1 * * * *", 'minute "-1" cannot be read', "minute: 0–59, *, */2, 1-5 or lists of them"),
        ("0 0 L/2 * *", 'day "L" cannot be read', "L and W take neither a step nor a range: L, L-3, LW, 15W"),
        ("0 0 L-L * *", 'day "L" cannot be read', "L and W take neither a step nor a range: L, L-3, LW, 15W"),
        ("0 0 * * L", 'weekday "L" needs a day', "name the day: FRIL is the last Friday, SAT every Saturday"),
        ("0 0 * * FRI#6", "a month has a 1st to 5th Friday", "FRI#1 is the first, FRIL the last"),
        ("0 0 * * MON-FRI#2", 'weekday "MON-FRI" cannot be read', "weekday: 0–7, SUN … or lists and ranges of them"),
        ("0 0 * * FRI5", 'weekday "FRI5" cannot be read', "weekday: 0–7, SUN … or lists and ranges of them"),
        ("0 0 1 MA *", 'month "MA" cannot be read', "month: 1–12, JAN … or lists and ranges of them"),
        ("5,foo * * * *", 'minute "FOO" cannot be read', "minute: 0–59, *, */2, 1-5 or lists of them"),
        (", * * * *", "minute has an empty value", "remove the spare comma"),
        ("some * * * *", 'minute "SOME" cannot be read', "minute: 0–59, *, */2, 1-5 or lists of them"),
        ("0 0 0 1 1 ? H", "a year is not drawn from the job's name", "write the year, as in 2027"),
        (
            "@noon",
            "@noon is not a known name",
            "known: @yearly @annually @monthly @weekly @daily @midnight @hourly",
        ),
        ("@every 5m", "@every 5m is not a known name", "write every: 5m for an interval"),
        ("@reboot", "@reboot is not a known name", "a cluster has no boot: trigger the job from a start-up script"),
    ],
)
def test_where_no_correction_is_safe_there_is_advice(text: str, problem: str, advice: str) -> None:
    error = refusal(text)
    assert problem in error.sentence
    assert tell(error)[1] == f"{advice}"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("Asia/Beijing", "Asia/Shanghai"),
        ("asia/shanghai", "Asia/Shanghai"),
        ("Europe/Berln", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Shanghai", "Asia/Shanghai"),
        ("PST", "America/Los_Angeles"),
        ("CST", "Asia/Shanghai or America/Chicago"),
        ("UTC+8", "Etc/GMT-8"),
        ("GMT-5", "Etc/GMT+5"),
        ("Z", "UTC"),
    ],
)
def test_an_unknown_zone_gets_the_nearest_one(name: str, nearest: str) -> None:
    with pytest.raises(UnknownZone) as caught:
        zone(name)
    assert caught.value.hint == f"use {nearest}"


def test_a_zone_nobody_could_mean_gets_examples() -> None:
    for name in ("", "Middle/Nowhere", "../../etc/passwd", "x" * 1000):
        with pytest.raises(UnknownZone) as caught:
            zone(name)
        assert "Asia/Shanghai" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        (
            "0 25 * * *",
            "“0 25 * * *”：第 2 个字段（小时）“25”无效。",
            "是否想写 0 23 * * *？",
        ),
        (
            "0 0 2 ? * 2",
            "“0 0 2 ? * 2”：2 在 Quartz 中是 MON，在 Spring 和 Unix 中是 TUE。",
            "请写 MON 或 TUE，或设置 dialect: quartz",
        ),
        ("0 2 * *", "“0 2 * *”：表达式“0 2 * *”无效。", "是否想写 0 2 * * *？"),
        (
            "1%2 * * * *",
            "“1%2 * * * *”：第 1 个字段（分钟）“1%2”无效。",
            "分钟可写 0–59、*、*/2、1-5，或用逗号分隔的列表",
        ),
        (
            "@noon",
            "“@noon”：表达式“@noon”无效。",
            "按“分 时 日 月 星期”书写，例如 0 2 * * *",
        ),
    ],
)
def test_refusals_in_chinese(text: str, sentence: str, hint: str) -> None:
    assert tell(refusal(text), Language.CHINESE) == (sentence, hint)


def test_an_unknown_zone_in_chinese() -> None:
    with pytest.raises(UnknownZone) as caught:
        zone("Asia/Beijing")
    assert tell(caught.value, Language.CHINESE) == ("时区“Asia/Beijing”不存在。", "请用 Asia/Shanghai")


def test_a_hostile_expression_cannot_break_the_line() -> None:
    error = refusal("\x1b[31m0 2 * * *\u202e")
    assert error.sentence.isprintable()
    assert len(refusal("9" * 399).sentence) < 1002
    assert refusal("* " * 400).sentence.endswith("more than 400 characters.")
