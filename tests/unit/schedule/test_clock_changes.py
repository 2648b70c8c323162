"""The one rule for hours that are missing or come twice, and the ways to choose otherwise."""

import pytest

from foliot.domain.instants import DAY, isoformat
from foliot.domain.schedule import Cron, Daily, Gap, RepeatedTime, Weekly, schedule_from_document
from tests.unit.schedule.asking import fires, instant, planned, walk

BERLIN = "Europe/Berlin"


def utc_fires(text: str, since: str, n: int, **more: object) -> list[str]:
    trigger = Cron(text=text, tz=BERLIN, **more)  # type: ignore[arg-type]
    found = walk(trigger, instant(since) - 1)
    return [isoformat(next(found)) for _ in range(n)]


def test_a_fixed_time_in_the_gap_runs_right_after_it() -> None:
    assert fires("30 2 * * *", 3, since="2026-03-28", tz=BERLIN) == [
        "2026-03-28 02:30",
        "2026-03-29 03:00",
        "2026-03-30 02:30",
    ]


def test_several_fixed_times_in_one_gap_run_once() -> None:
    assert fires("*/10 2 * * *", 2, since="2026-03-29", tz=BERLIN) == ["2026-03-29 03:00", "2026-03-30 02:00"]
    assert fires("*/10 2,3 * * *", 3, since="2026-03-29", tz=BERLIN) == [
        "2026-03-29 03:00",
        "2026-03-29 03:10",
        "2026-03-29 03:20",
    ]
    assert fires("30 2,3 * * *", 3, since="2026-03-29", tz=BERLIN) == [
        "2026-03-29 03:00",
        "2026-03-29 03:30",
        "2026-03-30 02:30",
    ]


def test_a_gap_may_be_left_out() -> None:
    assert fires("30 2 * * *", 2, since="2026-03-29", tz=BERLIN, dst_gap=Gap.SKIP) == [
        "2026-03-30 02:30",
        "2026-03-31 02:30",
    ]


def test_a_fixed_time_that_comes_twice_runs_at_the_first() -> None:
    assert utc_fires("30 2 * * *", "2026-10-24T22:00:00Z", 2) == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (RepeatedTime.FIRST, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
        (RepeatedTime.SECOND, ["2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"]),
        (RepeatedTime.BOTH, ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]),
    ],
)
def test_which_pass_counts_can_be_chosen(overlap: RepeatedTime, expected: list[str]) -> None:
    assert utc_fires("30 2 * * *", "2026-10-24T22:00:00Z", 2, dst_overlap=overlap) == expected


@pytest.mark.parametrize("text", ["30 * * * *", "30 */1 * * *", "30 0/1 * * *", "30 0-23 * * *", "H(30-30)/30 * * * *"])
def test_every_hour_means_every_hour_that_passes(text: str) -> None:
    spring = utc_fires(text, "2026-03-29T00:00:00Z", 3)
    assert spring == ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"]
    autumn = utc_fires(text, "2026-10-25T00:00:00Z", 3)
    assert autumn == ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]


def test_choices_do_not_touch_schedules_without_given_hours() -> None:
    plain = utc_fires("*/20 * * * *", "2026-10-25T00:00:00Z", 12)
    chosen = utc_fires("*/20 * * * *", "2026-10-25T00:00:00Z", 12, dst_gap=Gap.AFTER, dst_overlap=RepeatedTime.FIRST)
    assert plain == chosen
    assert len(set(plain)) == 12


def test_a_step_that_names_one_hour_is_a_fixed_time() -> None:
    assert Cron(text="30 2/24 * * *", tz=BERLIN).expression.is_fixed_time
    assert fires("30 2/24 * * *", 1, since="2026-03-29", tz=BERLIN) == ["2026-03-29 03:00"]


def test_seconds_first_or_not_the_rule_is_the_same() -> None:
    for text in ("30 2 * * *", "0 30 2 * * *", "0 30 2 * * ?"):
        assert fires(text, 1, since="2026-03-29", tz=BERLIN) == ["2026-03-29 03:00"]


def test_structured_days_follow_the_same_rule() -> None:
    for trigger in (Daily(times=(9000,), tz=BERLIN), Weekly(weekdays=0b1, times=(9000,), tz=BERLIN)):
        assert trigger.next_after(instant("2026-03-29", BERLIN)) == instant("2026-03-29T01:00:00Z")
        assert trigger.next_after(instant("2026-10-25", BERLIN)) == instant("2026-10-25T00:30:00Z")
    assert planned({"daily": "02:30", "tz": BERLIN, "dst_gap": "skip"}, 1, since="2026-03-29", tz=BERLIN) == [
        "2026-03-30 02:30"
    ]


def test_an_instant_written_by_the_wall_clock_follows_it_too() -> None:
    schedule = schedule_from_document({"at": ["2026-03-29 02:30", "2026-10-25 02:30"], "tz": BERLIN})
    assert schedule.to_document()["at"] == ["2026-03-29T01:00:00Z", "2026-10-25T00:30:00Z"]


def test_intervals_know_no_zone() -> None:
    assert planned({"every": "6h"}, 3, since="2026-03-29") == [
        "2026-03-29 00:00",
        "2026-03-29 06:00",
        "2026-03-29 12:00",
    ]


def test_what_a_trigger_remembers_does_not_hide_the_gap() -> None:
    """Asked first about the day after, then about the very instant at which summer begins."""
    trigger, change = Cron(text="30 2 * * *", tz=BERLIN), instant("2026-03-29T01:00:00Z")
    trigger.next_after(instant("2026-03-30"))
    assert trigger.next_after(change - 1) == change
    trigger.due_mask(instant("2026-03-30") // DAY)
    assert trigger.due_mask(change // DAY) >> 3600 & 1
    assert trigger.next_after(change) == instant("2026-03-30T00:30:00Z")
