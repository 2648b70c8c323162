"""Schedules in words, in English and Chinese."""

from typing import Any

import pytest

from foliot.domain.schedule import calendar_from_document, expressions_of, schedule_from_document
from foliot.words.language import Language
from foliot.words.schedules import describe, zones_of

CRON = [
    ("* * * * *", "every minute", "每分钟"),
    ("*/5 * * * *", "every 5 minutes", "每 5 分钟"),
    ("*/7 * * * *", "every 7 minutes from the start of each hour", "每小时从头起每 7 分钟"),
    ("5/15 * * * *", "every 15 minutes from minute 5 of each hour", "每小时从第 5 分钟起每 15 分钟"),
    ("0 * * * *", "every hour", "每小时整点"),
    ("15 * * * *", "every hour at minute 15", "每小时第 15 分钟"),
    ("15,45 * * * *", "every hour at minutes 15 and 45", "每小时第 15 和 45 分钟"),
    ("0 */2 * * *", "every 2 hours", "每 2 小时整点"),
    ("10 */6 * * *", "every 6 hours at minute 10", "每 6 小时第 10 分钟"),
    ("30 */5 * * *", "every 5 hours from 00:30 each day", "每天从 00:30 起每 5 小时"),
    ("0 2 * * *", "every day at 02:00", "每天 02:00"),
    ("@daily", "every day at 00:00", "每天 00:00"),
    ("0 9,12,17 * * *", "every day at 09:00, 12:00 and 17:00", "每天 09:00、12:00 和 17:00"),
    ("0 9-17 * * MON-FRI", "every hour from 09:00 to 17:00 Monday to Friday", "周一至周五 09:00 至 17:00 每小时"),
    ("*/10 9-17 * * *", "every 10 minutes from 09:00 to 17:59", "每天 09:00 至 17:59 每 10 分钟"),
    ("0 22-2 * * *", "every hour from 22:00 to 02:00", "每天 22:00 至 02:00 每小时"),
    (
        "0 20-4 * * MON",
        "every hour from 00:00 to 04:00 and from 20:00 to 23:00 on Mondays",
        "每周一 00:00 至 04:00 和 20:00 至 23:00 每小时",
    ),
    (
        "*/15 22-2 * * FRI",
        "every 15 minutes from 00:00 to 02:59 and from 22:00 to 23:59 on Fridays",
        "每周五 00:00 至 02:59 和 22:00 至 23:59 每 15 分钟",
    ),
    (
        "0 22-2 1 * *",
        "every hour from 00:00 to 02:00 and from 22:00 to 23:00 on the 1st of the month",
        "每月 1 日 00:00 至 02:00 和 22:00 至 23:00 每小时",
    ),
    (
        "30 21-0 * 6 *",
        "every hour at minute 30 from 00:00 to 00:59 and from 21:00 to 23:59 in June",
        "每年 6 月每天 00:00 至 00:59 和 21:00 至 23:59 每小时第 30 分钟",
    ),
    (
        "0 23-2 * * SUN",
        "every hour at minute 0 from 00:00 to 02:59 and from 23:00 to 23:59 on Sundays",
        "每周日 00:00 至 02:59 和 23:00 至 23:59 每小时第 0 分钟",
    ),
    (
        "0 0 22-2 ? * * 2030",
        "every hour from 00:00 to 02:00 and from 22:00 to 23:00 in 2030",
        "2030 年，每天 00:00 至 02:00 和 22:00 至 23:00 每小时",
    ),
    ("* 3 * * *", "every minute from 03:00 to 03:59", "每天 03:00 至 03:59 每分钟"),
    (
        "1,2,3,30 4,9 * * *",
        "every day at minutes 1 to 3 and 30 in the hours 4 and 9",
        "每天 4 点和 9 点内每小时第 1 至 3 和 30 分钟",
    ),
    ("15 10 * * MON-FRI", "at 10:15 Monday to Friday", "周一至周五 10:15"),
    ("0 9 * * 1", "at 09:00 on Mondays", "每周一 09:00"),
    ("0 9 * * SAT,SUN", "at 09:00 on Saturday and Sunday", "每周六和周日 09:00"),
    ("0 9 * * FRI-MON", "at 09:00 Friday to Monday", "周五至周一 09:00"),
    ("0 0 1,15 * *", "at 00:00 on the 1st and 15th of the month", "每月 1 日和 15 日 00:00"),
    ("0 0 1-7 * *", "at 00:00 on the 1st to 7th of the month", "每月 1 日至 7 日 00:00"),
    ("0 0 */2 * *", "at 00:00 on every 2nd day of the month from the 1st", "每月从 1 日起每 2 天 00:00"),
    ("0 9 1 * MON", "at 09:00 on the 1st of the month and also on Mondays", "每月 1 日以及每周一 09:00"),
    ("0 0 9 1 * MON", "at 09:00 on the 1st of the month if that is a Monday", "每月 1 日且为周一 09:00"),
    ("0 0 1 1 *", "at 00:00 on the 1st of January", "每年 1 月 1 日 00:00"),
    ("0 0 29 2 *", "at 00:00 on the 29th of February", "每年 2 月 29 日 00:00"),
    ("0 0 1 1,7 *", "at 00:00 on the 1st of January and July", "每年 1 月和 7 月的 1 日 00:00"),
    ("0 8 * JUN-AUG *", "every day at 08:00 from June to August", "每年 6 月至 8 月每天 08:00"),
    ("0 8 * 6 MON", "at 08:00 on Mondays in June", "每年 6 月的每周一 08:00"),
    ("0 0 12 L * ?", "at 12:00 on the last day of the month", "每月最后一天 12:00"),
    ("0 0 12 L 2 ?", "at 12:00 on the last day of February", "每年 2 月最后一天 12:00"),
    ("0 0 0 L-3 * ?", "at 00:00 on the 3rd day before the last of the month", "每月倒数第 4 天 00:00"),
    ("0 0 0 LW * ?", "at 00:00 on the last weekday of the month", "每月最后一个工作日（周一至周五）00:00"),
    (
        "0 0 0 15W * ?",
        "at 00:00 on the weekday nearest to the 15th of the month",
        "每月离 15 日最近的工作日（周一至周五）00:00",
    ),
    ("0 0 0 ? * FRI#3", "at 00:00 on the third Friday of the month", "每月第三个周五 00:00"),
    ("0 0 0 ? * FRIL", "at 00:00 on the last Friday of the month", "每月最后一个周五 00:00"),
    ("0 0 0 ? * MON,FRIL", "at 00:00 on Mondays and the last Friday of the month", "每周一和每月最后一个周五 00:00"),
    ("0 0 0 1 1 ? 2027", "at 00:00 on the 1st of January in 2027", "2027 年，1 月 1 日 00:00"),
    ("0 0 0 1 1 ? 2027-2030", "at 00:00 on the 1st of January from 2027 to 2030", "2027 年至 2030 年，1 月 1 日 00:00"),
    ("* * * * * *", "every second", "每秒"),
    ("*/10 * * * * *", "every 10 seconds", "每 10 秒"),
    ("*/7 * * * * *", "every 7 seconds from the start of each minute", "每分钟从头起每 7 秒"),
    ("30 * * * * *", "every minute at second 30", "每分钟第 30 秒"),
    ("5-10 * * * * *", "every second from 5 to 10 of each minute", "每分钟第 5 至 10 秒"),
    ("30 0 2 * * *", "every day at 02:00:30", "每天 02:00:30"),
    # a full field joined by OR
    ("0 0 1-31 * MON", "every day at 00:00", "每天 00:00"),
    ("0 0 1 * 0-6", "every day at 00:00", "每天 00:00"),
    ("0 0 1-31 6 MON", "every day at 00:00 in June", "每年 6 月每天 00:00"),
    ("0 0 */1 * MON", "at 00:00 on Mondays", "每周一 00:00"),
    # parts of the hour, the day, the month
    ("*/30 * * * *", "every 30 minutes", "每 30 分钟"),
    ("15-45 * * * *", "every minute from 15 to 45 of each hour", "每小时第 15 至 45 分钟"),
    (
        "15-45 9-17 * * *",
        "every minute from 15 to 45 of each hour from 09:00 to 17:59",
        "每天 09:00 至 17:59 每小时第 15 至 45 分钟",
    ),
    ("15-45 9 * * *", "every minute from 09:15 to 09:45", "每天 09:15 至 09:45 每分钟"),
    ("5-59/2 * * * *", "every 2 minutes from minute 5 to 59 of each hour", "每小时第 5 至 59 分钟间每 2 分钟"),
    ("50-10 * * * *", "every hour at minutes 0 to 10 and 50 to 59", "每小时第 0 至 10 和 50 至 59 分钟"),
    ("0 3/2 * * *", "every 2 hours from 03:00 to 23:00", "每天 03:00 至 23:00 每 2 小时"),
    (
        "*/15 9-17/2 * * *",
        "every 15 minutes in every 2nd hour from 09:00 to 17:59",
        "每天 09:00 至 17:59 每 2 小时中的第一个小时内每 15 分钟",
    ),
    ("0 9 1-7,15 * *", "at 09:00 on the 1st to 7th and 15th of the month", "每月 1 日至 7 日和 15 日 09:00"),
    (
        "0 9 28-3 * *",
        "at 09:00 on the 1st to 3rd and 28th to 31st of the month",
        "每月 1 日至 3 日和 28 日至 31 日 09:00",
    ),
    (
        "0 9 1,15,LW * *",
        "at 09:00 on the 1st and 15th of the month and the last weekday of the month",
        "每月 1 日、15 日和最后一个工作日（周一至周五）09:00",
    ),
    (
        "0 9 L-3W * *",
        "at 09:00 on the weekday nearest to the 3rd day before the last of the month",
        "每月离倒数第 4 天最近的工作日（周一至周五）09:00",
    ),
    ("0 9 * * 1-4,6", "at 09:00 on Monday to Thursday and Saturday", "每周一至周四和周六 09:00"),
    ("0 9 * * FRI/1", "at 09:00 Friday to Sunday", "周五至周日 09:00"),
    # months hold for the days and for the weekdays
    (
        "0 9 1 6 MON",
        "at 09:00 on the 1st of the month and also on Mondays, in June",
        "每年 6 月 1 日以及 6 月的每周一 09:00",
    ),
    (
        "0 9 1 6-8 MON",
        "at 09:00 on the 1st of the month and also on Mondays, from June to August",
        "每年 6 月至 8 月每月 1 日以及 6 月至 8 月的每周一 09:00",
    ),
    (
        "0 9 * 6 MON,FRIL",
        "at 09:00 on Mondays and the last Friday of the month, in June",
        "每年 6 月的每周一和最后一个周五 09:00",
    ),
    ("0 9 1 6-8 *", "at 09:00 on the 1st of the month from June to August", "每年 6 月至 8 月每月 1 日 09:00"),
    ("0 9 * 1-3,11 *", "every day at 09:00 in January to March and November", "每年 1 月至 3 月和 11 月每天 09:00"),
    # AND
    ("0 0 9 * * */2", "at 09:00 on Monday, Wednesday, Friday and Sunday", "每周一、周三、周五和周日 09:00"),
    (
        "0 0 9 1 * MON,THU",
        "at 09:00 on the 1st of the month if that is a Monday or a Thursday",
        "每月 1 日且为周一或周四 09:00",
    ),
    (
        "0 0 9 15 * FRI#3",
        "at 09:00 on the 15th of the month if that is the third Friday of the month",
        "每月 15 日且为第三个周五 09:00",
    ),
    (
        "0 0 9 L 6-8 MON-FRI",
        "at 09:00 on the last day of the month if that is a day from Monday to Friday, from June to August",
        "每年 6 月至 8 月每月最后一天且为周一至周五 09:00",
    ),
    # seconds
    ("30 */5 * * * *", "every 5 minutes, at second 30", "每 5 分钟的第 30 秒"),
    ("30 5 * * * *", "every hour at minute 5, at second 30", "每小时第 5 分钟的第 30 秒"),
    ("*/10 5 * * * *", "every 10 seconds in minute 5 of each hour", "每小时第 5 分钟内每 10 秒"),
    ("* 5 9 * * *", "every second from 09:05:00 to 09:05:59", "每天 09:05:00 至 09:05:59 每秒"),
    # years
    (
        "0 0 0 1 1 ? 2027/2",
        "at 00:00 on the 1st of January every 2 years from 2027",
        "2027 年起每 2 年，1 月 1 日 00:00",
    ),
    (
        "0 0 0 1 1 ? 2027-2199/2",
        "at 00:00 on the 1st of January every 2 years from 2027",
        "2027 年起每 2 年，1 月 1 日 00:00",
    ),
    (
        "0 0 0 1 1 ? 2026-2040/3",
        "at 00:00 on the 1st of January every 3 years from 2026 to 2038",
        "2026 年至 2038 年每 3 年，1 月 1 日 00:00",
    ),
    (
        "0 0 0 1 1 ? 2027-2040,2050",
        "at 00:00 on the 1st of January in 2027 to 2040 and 2050",
        "2027 年至 2040 年和 2050 年，1 月 1 日 00:00",
    ),
    ("0 0 0 * 6 ? 2027", "every day at 00:00 in June 2027", "2027 年，6 月每天 00:00"),
]


def test_of_a_long_list_the_first_are_named_and_the_rest_counted() -> None:
    schedule = schedule_from_document("0 0 0 1 1 ? 2026-2199/2,2026-2199/3")
    assert describe(schedule).endswith(" 2050, 2052 to 2054 and 96 more")
    assert describe(schedule, Language.CHINESE).endswith("、2050 年和 2052 年至 2054 年 等 116 个，1 月 1 日 00:00")


@pytest.mark.parametrize(("text", "english", "chinese"), CRON, ids=[text for text, _, _ in CRON])
def test_cron_in_words(text: str, english: str, chinese: str) -> None:
    schedule = schedule_from_document(text)
    assert describe(schedule) == english
    assert describe(schedule, Language.CHINESE) == chinese


SCHEDULES: list[tuple[Any, str, str]] = [
    ({"every": "15m"}, "every 15 minutes", "每 15 分钟"),
    ({"every": "1h"}, "every hour", "每小时"),
    ({"every": "1d"}, "every day", "每天"),
    ({"every": "90m", "phase": "5m"}, "every 1 hour 30 minutes, offset by 5 minutes", "每 1 小时 30 分钟，错开 5 分钟"),
    ({"every": "15m", "from_end": True}, "15 minutes after the last run ended", "上次执行结束后 15 分钟"),
    ({"at": "2026-01-31T17:00:00Z"}, "at 2026-01-31 17:00", "2026-01-31 17:00"),
    (
        {"at": [f"2026-01-0{n}T17:00:00Z" for n in range(1, 6)]},
        "at 2026-01-01 17:00, 2026-01-02 17:00, 2026-01-03 17:00 and 2 more",
        "2026-01-01 17:00、2026-01-02 17:00、2026-01-03 17:00等 5 次",
    ),
    ({"daily": ["09:00", "17:30"]}, "every day at 09:00 and 17:30", "每天 09:00 和 17:30"),
    ({"daily": "09:00", "every_days": 3}, "every 3 days at 09:00", "每 3 天 09:00"),
    ({"weekly": "MON", "time": "09:00"}, "at 09:00 on Mondays", "每周一 09:00"),
    (
        {"weekly": "MON-FRI", "time": "09:00", "every_weeks": 2},
        "at 09:00 Monday to Friday of every 2nd week",
        "每 2 周的周一至周五 09:00",
    ),
    (
        {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays", "jitter": "30s"},
        "every day at 02:00, Asia/Shanghai, working days only, up to 30 seconds later",
        "每天 02:00，Asia/Shanghai，仅工作日，随机延后至多 30 秒",
    ),
    (
        {"cron": "0 9 25 * *", "calendar": "cn-workdays", "shift": "next", "count": 3},
        "at 09:00 on the 25th of the month, moved to the next working day (cn-workdays), 3 times",
        "每月 25 日 09:00，遇休息日顺延至下一个工作日（cn-workdays），共 3 次",
    ),
    (
        {"daily": "09:00", "calendar": "bank-days", "start": "2026-01-01", "end": "2027-01-01"},
        "every day at 09:00, only as calendar bank-days allows, from 2026-01-01 00:00, until 2027-01-01 00:00",
        "每天 09:00，仅日历 bank-days 允许的时间，2026-01-01 00:00 起，至 2027-01-01 00:00 为止",
    ),
    (
        [{"cron": "0 2 * * *", "calendar": "weekdays"}, {"cron": "0 14 * * *"}],
        "every day at 02:00, working days only; and every day at 14:00",
        "每天 02:00，仅工作日；以及每天 14:00",
    ),
    (
        {"weekly": "*", "time": "09:00", "every_weeks": 2},
        "at 09:00 every day of every 2nd week",
        "每 2 周的每天 09:00",
    ),
    (
        {"weekly": "MON,THU", "time": "09:00", "every_weeks": 2},
        "at 09:00 on Monday and Thursday of every 2nd week",
        "每 2 周的周一和周四 09:00",
    ),
    (
        [{"cron": "0 9 * * *", "tz": "Asia/Shanghai"}, {"cron": "0 20 * * *", "tz": "America/New_York"}],
        "every day at 09:00, Asia/Shanghai; and every day at 20:00, America/New_York",
        "每天 09:00，Asia/Shanghai；以及每天 20:00，America/New_York",
    ),
    (
        [{"cron": "0 9 * * *"}, {"daily": "20:00", "tz": "America/New_York"}, {"every": "7h"}],
        "every day at 09:00, UTC; and every day at 20:00, America/New_York; and every 7 hours",
        "每天 09:00，UTC；以及每天 20:00，America/New_York；以及每 7 小时",
    ),
    (
        [{"cron": "0 9 * * *", "jitter": "5m"}, {"daily": "20:00", "tz": "America/New_York"}],
        "every day at 09:00, UTC, up to 5 minutes later; and every day at 20:00, America/New_York",
        "每天 09:00，UTC，随机延后至多 5 分钟；以及每天 20:00，America/New_York",
    ),
    (
        [
            {"cron": "0 9 * * *", "tz": "Asia/Shanghai", "start": "2026-01-01T00:00:00Z"},
            {"cron": "0 20 * * *", "start": "2026-01-01T00:00:00Z"},
        ],
        "every day at 09:00, Asia/Shanghai; and every day at 20:00, UTC, from 2026-01-01 08:00 Asia/Shanghai",
        "每天 09:00，Asia/Shanghai；以及每天 20:00，UTC，2026-01-01 08:00 Asia/Shanghai 起",
    ),
    (
        {"daily": "09:00", "calendar": "us-holidays", "shift": "next"},
        "every day at 09:00, moved to the next day that calendar us-holidays counts",
        "每天 09:00，遇日历 us-holidays 以外的日子顺延至下一个日历内的日子",
    ),
]


@pytest.mark.parametrize(("document", "english", "chinese"), SCHEDULES, ids=[str(row[0]) for row in SCHEDULES])
def test_schedules_in_words(document: Any, english: str, chinese: str) -> None:
    schedule = schedule_from_document(document)
    assert describe(schedule) == english
    assert describe(schedule, Language.CHINESE) == chinese


@pytest.mark.parametrize(
    ("when", "days", "english", "chinese"),
    [
        (
            {"every": "2h"},
            {"country": "CN", "shift": "next"},
            "every 2 hours, working days only",  # an interval has no days to move
            "每 2 小时，仅工作日",
        ),
        (
            [{"daily": "09:00", "calendar": "days"}, {"every": "2h", "calendar": "days"}],
            {"country": "CN", "shift": "previous"},
            (
                "every day at 09:00; and every 2 hours, moved to the previous working day (days), "
                "intervals only as calendar days allows"
            ),
            "每天 09:00；以及每 2 小时，遇休息日提前至上一个工作日（days），间隔仅日历 days 允许的时间",
        ),
        (
            {"daily": "09:00"},
            {"country": "CN", "weekdays": "MON"},
            "every day at 09:00, only as calendar days allows",
            "每天 09:00，仅日历 days 允许的时间",
        ),
        (
            {"daily": "09:00"},
            {"country": "CN", "blackouts": [{"daily": "08:00-10:00", "on": "TUE"}]},
            "every day at 09:00, only as calendar days allows",
            "每天 09:00，仅日历 days 允许的时间",
        ),
        (
            {"daily": "09:00", "shift": "next"},
            {"country": "CN", "blackouts": [{"daily": "08:00-10:00", "on": "TUE"}]},
            "every day at 09:00, moved to the next working day (days), only as calendar days allows",
            "每天 09:00，遇休息日顺延至下一个工作日（days），仅日历 days 允许的时间",
        ),
        (
            {"daily": "09:00", "shift": "previous"},
            {"country": "CN", "weekdays": "MON"},
            "every day at 09:00, moved to the previous day that calendar days counts",
            "每天 09:00，遇日历 days 以外的日子提前至上一个日历内的日子",
        ),
    ],
)
def test_a_calendar_is_told_by_what_it_does(when: Any, days: dict[str, Any], english: str, chinese: str) -> None:
    document = when if isinstance(when, list) else {**when, "calendar": "days"}
    schedule = schedule_from_document(document, calendars={"days": calendar_from_document("days", days)})
    assert describe(schedule) == english
    assert describe(schedule, Language.CHINESE) == chinese


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh-CN", "zh-CN"),
        ("zh_CN.UTF-8", "zh-CN"),
        ("zh-Hans", "zh-CN"),
        ("en", "en"),
        ("de_DE", "en"),
        ("C", "en"),
        (None, "en"),
    ],
)
def test_the_language_follows_a_tag_or_a_locale(tag: str | None, language: str) -> None:
    assert Language.of(tag).value == language


@pytest.mark.parametrize(
    ("written", "expressions"),
    [
        ({"cron": "0 2 * * *"}, ("0 2 * * *",)),
        (
            [{"cron": "@daily", "tz": "UTC"}, {"cron": "0 9 * * MON", "calendar": "cn-workdays"}],
            ("@daily", "0 9 * * MON"),
        ),
        ({"every": "5m"}, ()),
    ],
)
def test_the_cron_expressions_of_a_schedule_are_told_as_they_are_written(written: Any, expressions: tuple[str]) -> None:
    assert expressions_of(schedule_from_document(written)) == expressions


@pytest.mark.parametrize(
    ("written", "zones"),
    [
        ({"cron": "30 1 * * *"}, ("UTC",)),
        ([{"cron": "@daily", "tz": "UTC"}, {"cron": "0 9 * * MON", "tz": "Asia/Shanghai"}], ("Asia/Shanghai", "UTC")),
        ({"every": "5m"}, ()),
        ({"every": "5m", "tz": "Asia/Shanghai", "calendar": "cn-workdays"}, ("Asia/Shanghai",)),
    ],
)
def test_the_zones_of_a_schedule_are_those_of_its_wall_clocks_and_of_its_calendar(
    written: Any, zones: tuple[str, ...]
) -> None:
    assert zones_of(schedule_from_document(written)) == zones
