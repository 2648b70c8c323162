"""Intervals, instants, unions, bounds, lists and jitter."""

import pytest

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, isoformat
from foliot.domain.schedule import HORIZON, At, Cron, Every, FixedDelay, Schedule, Trigger, schedule_from_document
from tests.unit.schedule.asking import instant, planned


def test_every_counts_from_the_epoch_not_from_now() -> None:
    assert planned({"every": "15m"}, 3, since="2026-01-01 10:07") == [
        "2026-01-01 10:15",
        "2026-01-01 10:30",
        "2026-01-01 10:45",
    ]
    assert planned({"every": "15m", "phase": "5m"}, 2, since="2026-01-01 10:07") == [
        "2026-01-01 10:20",
        "2026-01-01 10:35",
    ]


def test_every_can_be_anchored_to_an_instant() -> None:
    anchored = {"every": "7h", "anchor": "2026-01-01 10:00"}
    assert planned(anchored, 3, since="2026-01-01 09:00") == [
        "2026-01-01 10:00",
        "2026-01-01 17:00",
        "2026-01-02 00:00",
    ]
    assert planned(anchored, 1, since="2025-12-31 09:00") == ["2025-12-31 13:00"]


def test_the_shortest_interval_is_a_second() -> None:
    every = Every(interval_us=SECOND)
    assert every.next_after(instant("2026-01-01")) == instant("2026-01-01") + SECOND
    assert every.next_after(instant("2026-01-01") + 1) == instant("2026-01-01") + SECOND
    assert every.count_between(0, DAY) == 86_400
    assert every.previous_before(0) is None
    assert every.next_after(-5) == every.next_after(-10 * SECOND) == 0
    assert every.next_after(HORIZON - SECOND) is None


def test_a_fixed_delay_has_no_instants_of_its_own() -> None:
    schedule = schedule_from_document({"every": "15m", "from_end": True})
    assert schedule.fixed_delay_us == 15 * MINUTE
    assert schedule.triggers == (FixedDelay(delay_us=15 * MINUTE),)
    assert schedule.next_after(0) is None
    assert schedule.previous_before(10**15) is None
    assert schedule.count_between(0, 10**15) == 0
    assert schedule.due_mask(20_000) == 0
    assert schedule_from_document({"every": "15m"}).fixed_delay_us is None


def test_given_instants_come_in_order_and_once() -> None:
    document = {"at": ["2026-03-01 10:00", "2026-02-01 10:00", "2026-02-01T01:00:00Z"], "tz": "Asia/Tokyo"}
    assert planned(document, 5, tz="Asia/Tokyo") == ["2026-02-01 10:00", "2026-03-01 10:00"]


def test_every_third_day_and_every_second_week() -> None:
    assert planned({"daily": "08:00", "every_days": 3, "since": "2026-01-02"}, 3) == [
        "2026-01-02 08:00",
        "2026-01-05 08:00",
        "2026-01-08 08:00",
    ]
    biweekly = {"weekly": ["MON", "THU"], "time": ["18:00", "08:00"], "every_weeks": 2, "since": "2026-01-05"}
    assert planned(biweekly, 5) == [
        "2026-01-05 08:00",
        "2026-01-05 18:00",
        "2026-01-08 08:00",
        "2026-01-08 18:00",
        "2026-01-19 08:00",
    ]


def test_a_list_is_a_union_without_doubles() -> None:
    assert planned(["0 2 * * *", "0 2,14 * * *", {"at": "2026-01-01 05:00"}], 4) == [
        "2026-01-01 02:00",
        "2026-01-01 05:00",
        "2026-01-01 14:00",
        "2026-01-02 02:00",
    ]


def test_start_is_inclusive_and_end_exclusive() -> None:
    bounded = {"cron": "0 2 * * *", "start": "2026-01-03 02:00", "end": "2026-01-05 02:00"}
    schedule = schedule_from_document(bounded)
    assert planned(bounded, 9) == ["2026-01-03 02:00", "2026-01-04 02:00"]
    assert schedule.count_between(0, HORIZON) == 2
    assert schedule.previous_before(HORIZON) == instant("2026-01-04 02:00")
    assert schedule.previous_before(instant("2026-01-03 02:00")) is None


def test_bounds_are_read_by_the_schedules_own_clock() -> None:
    bounded = {"daily": "00:00", "start": "2026-01-03", "end": "2026-01-05", "tz": "Asia/Shanghai"}
    assert planned(bounded, 9, tz="Asia/Shanghai") == ["2026-01-03 00:00", "2026-01-04 00:00"]


def test_entries_of_a_list_keep_their_own_settings() -> None:
    entries = [
        {"cron": "0 2 * * *", "calendar": "weekdays", "jitter": "30s"},
        {"cron": "0 14 * * *", "end": "2026-01-04"},
    ]
    schedule = schedule_from_document(entries)
    assert planned(entries, 5) == [
        "2026-01-01 02:00",
        "2026-01-01 14:00",
        "2026-01-02 02:00",
        "2026-01-02 14:00",
        "2026-01-03 14:00",
    ]
    assert schedule.ruling(instant("2026-01-03 02:00")).why == "weekdays: weekend"
    assert schedule.ruling(instant("2026-01-03 14:00")).is_allowed
    assert schedule.wake_at("settle", instant("2026-01-01 14:00")) == instant("2026-01-01 14:00")
    wakes = {schedule.wake_at(f"job-{n}", instant("2026-01-01 02:00")) for n in range(20)}
    assert len(wakes) > 15
    assert schedule.count_between(instant("2026-01-01") - 1, instant("2026-02-01")) == 31 + 3
    assert schedule.allowed_between(instant("2026-01-01") - 1, instant("2026-02-01")) == 22 + 3


def test_equal_settings_share_one_schedule() -> None:
    entries = [{"cron": "0 2 * * *", "jitter": "5s"}, {"every": "1h", "jitter": "5s"}]
    schedule = schedule_from_document(entries)
    assert [type(one) for one in schedule.triggers] == [Cron, Every]
    assert schedule.jitter_us == 5 * SECOND


def test_jitter_is_constant_spread_and_bounded() -> None:
    schedule = schedule_from_document({"every": "1h", "jitter": "10m"})
    due_at = instant("2026-01-01 10:00")
    delays = [schedule.wake_at(f"job-{n}", due_at) - due_at for n in range(500)]
    assert schedule.wake_at("settle", due_at) == schedule.wake_at("settle", due_at)
    assert 0 <= min(delays) < 30 * SECOND
    assert 9 * MINUTE + 30 * SECOND < max(delays) <= 10 * MINUTE
    assert abs(sum(delays) / 500 - 5 * MINUTE) < 30 * SECOND


def test_jitter_differs_from_fire_to_fire_and_stops_before_the_next() -> None:
    schedule = schedule_from_document({"every": "10s", "jitter": "1h"})
    dues = [instant("2026-01-01") + n * 10 * SECOND for n in range(200)]
    wakes = [schedule.wake_at("settle", due_at) for due_at in dues]
    assert all(due_at <= wake_at < due_at + 10 * SECOND for due_at, wake_at in zip(dues, wakes, strict=True))
    assert len({wake_at - due_at for due_at, wake_at in zip(dues, wakes, strict=True)}) > 190


def test_jitter_does_not_leave_the_bounds() -> None:
    schedule = schedule_from_document({"daily": "02:00", "jitter": "2h", "end": "2026-01-02 02:01"})
    due_at = instant("2026-01-02 02:00")
    assert all(due_at <= schedule.wake_at(f"job-{n}", due_at) < due_at + MINUTE for n in range(50))


def test_jitter_does_not_leave_the_bounds_of_its_entry_of_a_list() -> None:
    entries = [{"daily": "02:00", "jitter": "2h", "end": "2026-01-02 02:01"}, {"daily": "14:00"}]
    schedule, due_at = schedule_from_document(entries), instant("2026-01-02 02:00")
    assert all(due_at <= schedule.wake_at(f"job-{n}", due_at) < due_at + MINUTE for n in range(50))


def test_without_jitter_the_wake_up_is_the_due_instant() -> None:
    schedule = schedule_from_document("0 2 * * *")
    assert schedule.wake_at("settle", instant("2026-01-01 02:00")) == instant("2026-01-01 02:00")


@pytest.mark.parametrize(
    "trigger",
    [
        Cron(text="*/7 * * * * *"),
        Every(interval_us=7 * SECOND),
        At(instants=(0, HOUR)),
        Cron(text="30 2 * * *", tz="Asia/Tokyo"),
    ],
    ids=["cron", "every", "at", "zone"],
)
def test_a_day_mask_says_what_next_after_says(trigger: Trigger) -> None:
    for day in (0, 1, 20_454):
        mask, found = trigger.due_mask(day), []
        at = trigger.next_after(day * DAY - 1)
        while at is not None and at < (day + 1) * DAY:
            found.append((at - day * DAY) // SECOND)
            at = trigger.next_after(at)
        assert [second for second in range(86_400) if mask >> second & 1] == found


def test_triggers_are_values() -> None:
    assert Cron(text="0 2 * * *") == Cron(text="0 2 * * *")
    assert Cron(text="0 2 * * *") != Cron(text="0 2 * * *", tz="Asia/Tokyo")
    assert len({schedule_from_document("0 2 * * *"), schedule_from_document("0 2 * * *")}) == 1
    assert "wall" not in repr(Cron(text="0 2 * * *"))
    assert schedule_from_document({"every": "90s"}) == Schedule(triggers=(Every(interval_us=90 * SECOND),))


def test_ten_years_of_a_union_are_counted_exactly() -> None:
    """Every 5 and every 7 seconds: inclusion and exclusion by hand."""
    schedule = schedule_from_document([{"every": "5s"}, {"every": "7s"}])
    since, until = instant("2016-01-01"), instant("2026-01-01")
    fives, sevens, both = ((until // SECOND) // n - (since // SECOND) // n for n in (5, 7, 35))
    assert schedule.count_between(since, until) == fives + sevens - both
    assert isoformat(schedule.next_after(since) or 0) == "2016-01-01T00:00:01Z"  # a multiple of seven
