"""Three days before and after every change of the clock, in every kind of zone: nothing lost, nothing doubled."""

from datetime import UTC, date, datetime, timedelta

import pytest

from foliot.domain.schedule import Cron, Daily, Gap, RepeatedTime, Weekly
from tests.property.clockwork import SECOND, ZONES, Meaning, due_by_readings, transitions_of, zone_of
from tests.property.walking import masked, walked, walked_back

DAY_S = 86_400
FIRST, PAST = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (2024, 2027))
QUICK = ("Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca", "Antarctica/Troll")

# Odd changes of the past: days skipped, half hours, changes at midnight, three hours at once, rules abolished.
ODD = {
    "Pacific/Apia": "2011-12-30", "Pacific/Fakaofo": "2011-12-31", "Pacific/Kwajalein": "1993-08-21",
    "Pacific/Kiritimati": "1994-12-31", "Asia/Pyongyang": "2015-08-14", "America/Caracas": "2016-05-01",
    "Antarctica/Casey": "2020-03-07", "Antarctica/Vostok": "1994-02-01", "Asia/Kathmandu": "1985-12-31",
    "America/Sao_Paulo": "2018-11-04", "Asia/Amman": "2022-02-25", "Asia/Damascus": "2022-03-25",
    "Europe/Volgograd": "2020-12-26", "Asia/Almaty": "2024-02-29", "America/Nuuk": "2023-03-26",
    "Africa/Juba": "2021-01-31", "Asia/Dhaka": "2009-12-31", "Europe/Istanbul": "2016-03-27",
    "Australia/Lord_Howe": "1981-02-28", "Africa/Monrovia": "1972-01-07", "America/Danmarkshavn": "1996-01-01",
}  # fmt: skip


def every_day(_: date) -> bool:
    return True


def values(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


HOURS, MINUTES = frozenset(range(24)), frozenset(range(60))
EXPRESSIONS = (
    Meaning("30 2 * * *", values(0), values(30), values(2), every_day, True),
    Meaning("0 0 * * *", values(0), values(0), values(0), every_day, True),
    Meaning("15,45 0-3 * * *", values(0), values(15, 45), values(0, 1, 2, 3), every_day, True),
    Meaning("*/10 1,2,23 * * *", values(0), frozenset(range(0, 60, 10)), values(1, 2, 23), every_day, True),
    Meaning("5 */3 * * *", values(0), values(5), frozenset(range(0, 24, 3)), every_day, False),
    Meaning("20 * * * *", values(0), values(20), HOURS, every_day, False),
    Meaning("* * * * *", values(0), MINUTES, HOURS, every_day, False),
    Meaning("30 1 * * 0", values(0), values(30), values(1), lambda d: d.isoweekday() == 7, True),
    Meaning("59 23 28-31 * *", values(0), values(59), values(23), lambda d: d.day >= 28, True),
    Meaning(
        "0 2 * * 6L", values(0), values(0), values(2), lambda d: d.weekday() == 5 and (d + timedelta(7)).day <= 7, True
    ),
)


def check_round(tz: str, at: int, meaning: Meaning, gap: str, overlap: str, margin: timedelta) -> None:
    trigger = Cron(text=meaning.text, tz=tz, dst_gap=Gap(gap), dst_overlap=RepeatedTime(overlap))
    first, past = at - 3 * DAY_S, at + 3 * DAY_S
    expected = due_by_readings(meaning, zone_of(tz), first, past, gap=gap, overlap=overlap, margin=margin)
    assert walked(trigger, first, past) == expected
    assert walked_back(trigger, first, past) == expected
    assert masked(trigger, first, past) == expected
    assert trigger.count_between(first * SECOND - 1, past * SECOND - 1) == len(expected)


def policies() -> list[tuple[str, str]]:
    return [(gap, overlap) for gap in ("after", "skip") for overlap in ("first", "second", "both")]


@pytest.mark.parametrize("tz", QUICK)
def test_round_every_change_of_a_year(tz: str) -> None:
    for at in transitions_of(tz, FIRST, FIRST + 366 * DAY_S):
        for meaning in EXPRESSIONS:
            check_round(tz, at, meaning, "after", "first", timedelta(hours=3))


@pytest.mark.slow
@pytest.mark.parametrize("tz", QUICK)
@pytest.mark.parametrize("seconds", [7, 20])
def test_dense_seconds_round_every_change_of_a_year(tz: str, seconds: int) -> None:
    """More times a day than are listed one by one, over the edge of a stretch, with every choice."""
    step = frozenset(range(0, 60, seconds))
    fixed = Meaning(f"*/{seconds} * 23,0-4 * * *", step, MINUTES, values(23, 0, 1, 2, 3, 4), every_day, True, "spring")
    every = Meaning(f"*/{seconds} * * * * *", step, MINUTES, HOURS, every_day, False, "spring")
    for at in transitions_of(tz, FIRST, FIRST + 366 * DAY_S):
        for gap, overlap in policies():
            for meaning in (fixed, every):
                trigger = Cron(text=meaning.text, tz=tz, dst_gap=Gap(gap), dst_overlap=RepeatedTime(overlap))
                first, past = at - 4000, at + 4000
                expected = due_by_readings(meaning, zone_of(tz), first, past, gap=gap, overlap=overlap)
                assert walked(trigger, first, past) == expected
                assert walked_back(trigger, first, past) == expected
                assert masked(trigger, first, past) == expected
                assert trigger.count_between(first * SECOND - 1, past * SECOND - 1) == len(expected)


@pytest.mark.slow
@pytest.mark.parametrize("tz", ZONES)
def test_round_every_change_of_three_years(tz: str) -> None:
    for i, at in enumerate(transitions_of(tz, FIRST, PAST)):
        for j, meaning in enumerate(EXPRESSIONS):
            check_round(tz, at, meaning, "after", "first", timedelta(hours=3))
            gap, overlap = policies()[(i + j) % 6]
            if meaning.is_fixed_time:
                check_round(tz, at, meaning, gap, overlap, timedelta(hours=3))


@pytest.mark.slow
@pytest.mark.parametrize(("tz", "day"), ODD.items(), ids=ODD)
def test_round_odd_changes_of_the_past(tz: str, day: str) -> None:
    around = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    changes = transitions_of(tz, around - 3 * DAY_S, around + 3 * DAY_S)
    assert changes, "the clock did not change then"
    for i, meaning in enumerate(EXPRESSIONS):
        check_round(tz, changes[0], meaning, "after", "first", timedelta(hours=27))
        gap, overlap = policies()[i % 6]
        check_round(tz, changes[0], meaning, gap, overlap, timedelta(hours=27))


def fires_by_day(trigger: Cron | Daily | Weekly, tz: str, first: int, days: int) -> dict[date, int]:
    zone, counts = zone_of(tz), dict[date, int]()
    at = trigger.next_after(first * SECOND - 1)
    while at is not None and at < (first + days * DAY_S) * SECOND:
        day = datetime.fromtimestamp(at // SECOND, zone).date()
        counts[day] = counts.get(day, 0) + 1
        at = trigger.next_after(at)
    return counts


@pytest.mark.parametrize("tz", QUICK)
@pytest.mark.parametrize("minute", [0, 15, 30, 45])
@pytest.mark.parametrize("hour", [0, 1, 2, 3])
def test_a_daily_fixed_time_comes_once_on_every_day(tz: str, hour: int, minute: int) -> None:
    """Three years in zones that change at 0, 1, 2 and 3 o'clock: each day has exactly one fire."""
    midnight = int(datetime(2024, 1, 2, tzinfo=zone_of(tz)).timestamp())
    for trigger in (Cron(text=f"{minute} {hour} * * *", tz=tz), Daily(times=(hour * 3600 + minute * 60,), tz=tz)):
        counts = fires_by_day(trigger, tz, midnight, 1090)
        assert set(counts.values()) == {1}
        assert len(counts) >= 1089


def test_structured_days_follow_the_same_rule_as_cron() -> None:
    for tz in QUICK:
        cron = Cron(text="30 2 * * MON,SUN", tz=tz)
        weekly = Weekly(weekdays=0b11, times=(9000,), tz=tz)
        assert walked(cron, FIRST, PAST) == walked(weekly, FIRST, PAST)
