"""What works but is perhaps not meant. (Those with a number of their own in the messages are in test_cron_messages.)"""

from typing import Any

import pytest

from foliot.domain.schedule import Cron, schedule_from_document
from foliot.words.language import Language
from foliot.words.schedules.warnings import warnings_of
from tests.unit.schedule.asking import instant, planned


def warnings(
    document: Any, language: Language = Language.ENGLISH, now: str = "2026-01-01"
) -> list[tuple[str, str, str]]:
    schedule = schedule_from_document(document)
    return [(one.code, one.sentence, one.hint) for one in warnings_of(schedule, now=instant(now), language=language)]


@pytest.mark.parametrize(
    "document",
    ["0 2 * * *", "*/5 * * * *", "0 9 * * MON", "0 9 */2 * MON", {"every": "7m"}, {"every": "1h", "from_end": True},
     {"cron": "30 2 * * *", "tz": "Asia/Shanghai"}, {"cron": "0 12 * * *", "tz": "Europe/Berlin"},
     {"cron": "30 * * * *", "tz": "Europe/Berlin"}, {"cron": "0 2 * * *", "calendar": "weekdays"}, "0 0 28 * *"],
    ids=str,
)  # fmt: skip
def test_a_plain_schedule_needs_no_warning(document: Any) -> None:
    assert warnings(document) == []


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        ("0 9 1 * MON", '"0 9 1 * MON" fires on the 1st AND on every Monday', "first Monday only: MON#1"),
        (
            "0 9 8-14 * FRI",
            '"0 9 8-14 * FRI" fires on the 8th to 14th AND on every Friday',
            "second Friday only: FRI#2",
        ),
        ("0 9 1,15 * 5", '"0 9 1,15 * 5" fires on the 1st and 15th AND on every Friday', "only one: make the other *"),
        ("0 9 L * FRI", '"0 9 L * FRI" fires on the last day AND on every Friday', "only one: make the other *"),
        ("0 9 13 * FRI", '"0 9 13 * FRI" fires on the 13th AND on every Friday', "only one: make the other *"),
        ("0 9 1 6 MON", '"0 9 1 6 MON" fires on the 1st AND on every Monday, in June', "first Monday only: MON#1"),
        ("0 9 1 * 1-5", '"0 9 1 * 1-5" fires on the 1st AND from Monday to Friday', "only one: make the other *"),
    ],
)
def test_days_joined_by_or(text: str, sentence: str, hint: str) -> None:
    ((code, said, meant),) = warnings(text)
    assert code == "FOL-1003"
    assert said == f"{sentence} (cron joins days with OR)."
    assert meant.startswith(hint)


@pytest.mark.parametrize(
    ("text", "language", "sentence", "hint"),
    [
        (
            "0 9 1-31 * MON",
            Language.ENGLISH,
            '"0 9 1-31 * MON" fires every day: 1-31 is all of them (cron joins days with OR).',
            "only MON: write * instead of 1-31",
        ),
        (
            "0 9 1 * 0-6",
            Language.ENGLISH,
            '"0 9 1 * 0-6" fires every day: 0-6 is all of them (cron joins days with OR).',
            "only 1: write * instead of 0-6",
        ),
        (
            "0 9 1-31 * MON",
            Language.CHINESE,
            "“0 9 1-31 * MON”每天都会触发：“1-31”包含所有日子（cron 的日与星期是“或”的关系）。",
            "只要 MON：把 1-31 写成 *",
        ),
    ],
)
def test_a_full_field_joined_by_or(text: str, language: Language, sentence: str, hint: str) -> None:
    assert warnings(text, language) == [("FOL-1003", sentence, hint)]


def test_a_date_that_never_comes() -> None:
    assert warnings("0 0 0 LW * SUN") == [
        (
            "FOL-1034",
            '"0 0 0 LW * SUN" never fires: there is no such date.',
            "look whether day, month and weekday can all fit",
        )
    ]
    assert warnings("0 0 31 2 *") == [
        ("FOL-1034", '"0 0 31 2 *" never fires: there is no such date.', "last day of the month: L")
    ]
    assert warnings("0 0 0 1 1 ? 2020") == [
        ("FOL-1034", "This schedule never fires again.", "look at the year, start, end and calendar")
    ]
    closed = {"cron": "0 9 * * SUN", "calendar": "weekdays"}
    assert [code for code, _, _ in warnings(closed)] == ["FOL-1034"]
    assert warnings(closed)[0][1] == "The calendar rules out every fire."


def test_the_hint_for_both_at_once_can_be_written_as_it_stands() -> None:
    ((_, _, hint),) = warnings("0 9 13 * 5")
    assert hint.endswith('both at once: "0 0 9 13 * 5", dialect: spring')
    assert planned({"cron": "0 0 9 13 * 5", "dialect": "spring"}, 2) == ["2026-02-13 09:00", "2026-03-13 09:00"]


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("0 9 13 * SUN/2", "0 0 9 13 * SUN,TUE,THU,SAT"),  # Spring has nothing after Sunday
        ("0 9 13 * SUN-SUN", "0 0 9 13 * SUN"),  # the whole week in Spring
        ("0 9 13 * 1,*/3", "0 0 9 13 * MON,SUN,WED,SAT"),  # Spring counts from Monday
        ("0 9 13 * FRI#2,SUN/4", "0 0 9 13 * FRI#2,SUN,THU"),
    ],
)
def test_both_at_once_names_the_same_weekdays_in_spring(text: str, both: str) -> None:
    ((_, _, hint),) = warnings(text)
    assert hint.endswith(f'both at once: "{both}", dialect: spring')
    own, spring = (schedule_from_document(one).triggers[0] for one in (text, {"cron": both, "dialect": "spring"}))
    assert isinstance(own, Cron)
    assert isinstance(spring, Cron)
    assert spring.expression.weekday.mask == own.expression.weekday.mask


@pytest.mark.parametrize("text", ["H(0-29)/7 * * * *", "50/7 * * * *", "0 9/5 * * *"])
def test_steps_in_a_part_of_a_field_are_no_rhythm(text: str) -> None:
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        (
            "0 0 9 * * FRI/1,MON#1",
            (
                '"FRI/1,MON#1" is read as in Spring: Friday to Sunday and the first Monday of the month. '
                "In Quartz it is Friday and Saturday and the first Monday of the month."
            ),
            "write FRI,SAT,SUN,MON#1, or set dialect: spring",
        ),
        (
            "0 0 9 ? * FRI/1,MONL",
            (
                '"FRI/1,MONL" is read as in Quartz: Friday and Saturday and the last Monday of the month. '
                "In Spring it is Friday to Sunday and the last Monday of the month."
            ),
            "write FRI,SAT,MONL, or set dialect: quartz",
        ),
    ],
)
def test_other_days_of_another_dialect_keep_those_that_are_the_same(text: str, sentence: str, hint: str) -> None:
    assert warnings(text) == [("FOL-1039", sentence, hint)]


def test_a_leap_day_of_a_leap_year_comes() -> None:
    assert warnings("0 0 0 29 2 ? 2028") == []
    assert warnings("0 0 0 29 2 ? 2028-2032/4") == []
    assert [code for code, _, _ in warnings("0 0 0 29 2 ? 2028-2029")] == ["FOL-1036"]


def test_days_joined_by_or_are_told_with_their_months_in_chinese() -> None:
    ((_, said, _),) = warnings("0 9 1 6 MON", Language.CHINESE)
    assert said == "“0 9 1 6 MON”在每年 6 月 1 日以及 6 月的每周一都会触发（cron 的日与星期是“或”的关系）。"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("*/7 * * * *", "evenly: every: 7m"),
        ("*/45 * * * *", "evenly: every: 45m"),
        ("*/7 9-17 * * *", "evenly: */6 / */10"),
        ("*/7 * * * MON-FRI", "evenly: */6 / */10"),
        ("0 */5 1 * *", "evenly: */4 / */6"),
        ("*/40 9 * * * *", "evenly: */30"),
    ],
)
def test_an_even_rhythm_keeps_the_given_hours_and_days(text: str, hint: str) -> None:
    assert [told for code, _, told in warnings(text) if code == "FOL-1035"] == [hint]


def test_an_uneven_rhythm() -> None:
    assert warnings("*/7 * * * *") == [
        ("FOL-1035", '"*/7" starts anew each hour; it is not an even 7 minutes.', "evenly: every: 7m")
    ]
    assert warnings("0 */5 * * *")[0][2] == "evenly: every: 5h"
    assert warnings("*/7 * * * * *")[0][1] == '"*/7" starts anew each minute; it is not an even 7 seconds.'


def test_days_that_short_months_lack() -> None:
    ((code, said, hint),) = warnings("0 0 31 * *")
    assert (code, hint) == ("FOL-1036", "last day of the month: L")
    assert said == "February, April, June, September and November have no 31st; nothing fires then."
    assert warnings("0 0 29 2 *")[0][1] == "Not every February has a 29th; nothing fires then."
    assert warnings("0 0 29-31 * *")[0][1] == "Not every February has a 29th; nothing fires then."
    assert warnings("0 0 30 1,2 *")[0][1] == "February has no 30th; nothing fires then."
    assert warnings("0 0 30,31 * *")[0][1] == "February has no 30th; nothing fires then."
    assert warnings("0 0 30 1,2 *", Language.CHINESE)[0][1] == "2 月没有 30 日，那时不触发。"
    assert warnings("0 0 29 2 *", Language.CHINESE)[0][1] == "2 月并非每年都有 29 日，那时不触发。"
    assert warnings("0 0 31 1,3 *") == []
    assert warnings("0 0 L * *") == []


BERLIN = {"tz": "Europe/Berlin"}
IN_GAP = "02:30 does not exist on 29 March in Europe/Berlin; that fire runs at 03:00."
IN_OVERLAP = "02:30 comes twice on 25 October in Europe/Berlin; the fire runs once, at the first."


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"cron": "30 2 * * *"}, [IN_GAP, IN_OVERLAP]),
        ({"cron": "30 2 * * *", "end": "2026-03-01"}, []),
        ({"cron": "30 2 * * *", "start": "2026-04-01"}, [IN_OVERLAP]),
        ({"cron": "30 2 * * *", "start": "2026-03-29 03:00"}, [IN_GAP, IN_OVERLAP]),
        ({"cron": "30 2 * * *", "end": "2026-10-25T00:30:00Z"}, [IN_GAP]),
        ({"daily": "02:30", "calendar": "weekdays"}, []),  # both clock changes are on Sundays
        ({"weekly": "*", "time": "02:30", "calendar": "weekends"}, [IN_GAP, IN_OVERLAP]),
        ({"cron": "30 2 * * SUN", "calendar": "weekdays", "shift": "next"}, []),
        ({"cron": "30 2 * * MON", "calendar": "weekends", "shift": "previous"}, [IN_GAP, IN_OVERLAP]),
        ({"cron": "30 2 * * *", "calendar": "not-known-yet"}, [IN_GAP, IN_OVERLAP]),
        ({"cron": "0,30 2 * * *", "start": "2026-10-25T00:30:00Z"}, [IN_OVERLAP]),  # 02:00 is before the start
        ({"cron": "30 2 * * *", "dst_overlap": "second", "end": "2026-10-25T01:00:00Z"}, [IN_GAP]),
    ],
    ids=str,
)
def test_hours_missing_or_twice_are_told_only_where_the_schedule_fires(
    document: dict[str, Any], expected: list[str]
) -> None:
    assert [said for code, said, _ in warnings({**document, **BERLIN}) if code == "FOL-1005"] == expected


def test_make_up_days_that_are_not_published_yet() -> None:
    document = {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays"}
    assert warnings(document, now="2025-01-01") == []
    ((code, said, hint),) = warnings(document, now="2036-06-01")
    assert code == "FOL-1037"
    assert said.startswith("Make-up working days of CN are known up to 20")
    assert hint == "upgrade the holidays package, or list them under include and exclude"


@pytest.mark.parametrize(
    ("document", "sentences"),
    [
        (
            {"cron": "30 1 * * *", "tz": "America/New_York"},
            ["01:30 comes twice on 1 November in America/New_York; the fire runs once, at the first."],
        ),
        (
            {"cron": "30 1 * * *", "tz": "America/New_York", "dst_overlap": "both"},
            ["01:30 comes twice on 1 November in America/New_York; the fire runs both times."],
        ),
        (
            {"cron": "30 2 * * *", "tz": "America/New_York", "dst_gap": "skip"},
            ["02:30 does not exist on 8 March in America/New_York; that fire is left out."],
        ),
        (
            {"cron": "15 2 * * *", "tz": "Australia/Lord_Howe"},
            ["02:15 does not exist on 4 October in Australia/Lord_Howe; that fire runs at 02:30."],
        ),
        ({"cron": "30 2 * * MON", "tz": "Europe/Berlin"}, []),
        ({"daily": "02:30", "tz": "Europe/Berlin", "dst_gap": "skip", "dst_overlap": "both"}, []),
    ],
)
def test_hours_that_are_missing_or_come_twice(document: Any, sentences: list[str]) -> None:
    assert [said for _, said, _ in warnings(document)] == sentences


@pytest.mark.parametrize(
    ("time", "tz", "now", "hint"),
    [
        ("30 2", "Europe/Berlin", "2026-01-01", "choose a time before 02:00 or tz: UTC"),
        ("30 0", "America/Havana", "2026-01-01", "choose a time from 01:00 on or tz: UTC"),
        ("30 0", "America/Santiago", "2026-06-01", "choose a time from 01:00 on or tz: UTC"),
        ("30 23", "America/Santiago", "2026-02-01", "choose a time before 23:00 or tz: UTC"),
        ("30 1", "America/New_York", "2026-04-01", "choose a time from 02:00 on or tz: UTC"),
        ("30 12", "Pacific/Apia", "2011-12-01", "set tz: UTC"),
    ],
)
def test_the_time_advised_is_one_that_a_day_has(time: str, tz: str, now: str, hint: str) -> None:
    assert warnings({"cron": f"{time} * * *", "tz": tz}, now=now)[0][2] == hint


@pytest.mark.parametrize(
    "document",
    [
        {"daily": "09:00", "every_days": 3, "since": "2030-01-01"},
        {"daily": "09:00", "since": "2030-01-01"},
        {"weekly": "MON", "time": "09:00", "every_weeks": 2, "since": "2030-01-01"},
    ],
    ids=str,
)
def test_a_day_to_count_from_that_lies_ahead_holds_nothing_back(document: dict[str, Any]) -> None:
    assert planned(document, 1, since="2026-01-01") < ["2030"]
    assert warnings(document) == [
        (
            "FOL-1042",
            "since: 2030-01-01 holds nothing back: it says from which day to count, and fires come before it too.",
            "to begin then, add start: 2030-01-01",
        )
    ]
    assert warnings(document, Language.CHINESE)[0][1:] == (
        "since: 2030-01-01 只决定从哪一天数起，此前仍会触发。",
        "若要到那时才开始：加上 start: 2030-01-01",
    )
    assert warnings(document | {"start": "2030-01-01"}) == []
    assert warnings(document | {"since": "2026-01-01"}) == []
    assert warnings(document, now="2030-01-01") == []
    assert planned(document | {"start": "2030-01-01"}, 1)[0] >= "2030"


def test_structured_days_and_branches_are_looked_at_too() -> None:
    assert [code for code, _, _ in warnings({"weekly": "SUN", "time": "02:30", "tz": "Europe/Berlin"})] == [
        "FOL-1005"
    ] * 2
    branches = [{"cron": "0 9 1 * MON", "jitter": "1m"}, "*/7 * * * *"]
    assert [code for code, _, _ in warnings(branches)] == ["FOL-1003", "FOL-1035"]


@pytest.mark.parametrize(
    ("document", "sentence", "hint"),
    [
        (
            "0 9 1 * MON",
            "“0 9 1 * MON”在每月 1 日以及每周一都会触发（cron 的日与星期是“或”的关系）。",
            "只要第一个周一：MON#1",
        ),
        ("0 0 31 2 *", "“0 0 31 2 *”永远不会触发：没有这样的日期。", "每月最后一天：L"),
        ("*/7 * * * *", "“*/7”每小时从头计起，并不是均匀的每 7 分钟。", "均匀间隔：every: 7m"),
        ("0 0 31 * *", "2 月、4 月、6 月、9 月和 11 月没有 31 日，那时不触发。", "每月最后一天：L"),
        (
            {"cron": "30 2 * * *", "tz": "Europe/Berlin"},
            "Europe/Berlin 在 3 月 29 日没有 02:30；该次改在 03:00 触发。",
            "选择 02:00 之前的时间，或 tz: UTC",
        ),
    ],
    ids=str,
)
def test_warnings_in_chinese(document: Any, sentence: str, hint: str) -> None:
    assert warnings(document, Language.CHINESE)[0][1:] == (sentence, hint)
