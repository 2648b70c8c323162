"""Failures of other schedulers that began with when a job is due: each one a test that they never happen here.

Named are the project and its thread. What concerns runs, leaders and stores is tested where those are.
"""

import time
from datetime import datetime, timedelta

import pytest
from croniter import croniter
from cronsim import CronSim

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, isoformat
from foliot.domain.schedule import Cron, Daily, Every, Gap, RepeatedTime, Trigger, schedule_from_document
from tests.property.clockwork import zone_of
from tests.unit.schedule.asking import fires, instant, walk

TEN_ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca",
    "Asia/Beirut", "America/Havana", "Pacific/Chatham", "Antarctica/Troll", "Africa/Cairo",
)  # fmt: skip
YEAR = (instant("2026-01-01"), instant("2027-01-01"))


def all_of(trigger: Trigger, since: int, until: int) -> list[int]:
    found = []
    for at in walk(trigger, since):
        if at > until:
            break
        found.append(at)
    return found


@pytest.mark.parametrize("tz", TEN_ZONES)
@pytest.mark.parametrize("text", ["30 2 * * *", "30 1 * * *", "0 0 * * *", "15 3 * * SUN", "0,30 0-3 * * *"])
def test_nomad_5410_and_celery_6438_no_storm_and_no_double_when_clocks_change(tz: str, text: str) -> None:
    """A year of transitions: no wall reading fires twice, no day more often than its times say."""
    trigger = Cron(text=text, tz=tz)
    found = all_of(trigger, *YEAR)
    per_day: dict[object, int] = {}
    for at in found:
        day = datetime.fromtimestamp(at // SECOND, zone_of(tz)).date()
        per_day[day] = per_day.get(day, 0) + 1
    most = trigger.wall.times.per_day
    assert max(per_day.values()) <= most
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("tz", TEN_ZONES)
def test_nomad_7289_never_stuck_at_a_gap(tz: str) -> None:
    """From every second round each change the search goes on to something later."""
    from foliot.domain.schedule.zones import zone

    for change in zone(tz).transitions(YEAR[0] // SECOND, YEAR[1] // SECOND):
        for text in ("30 2 * * *", "0 0 * * *", "* * * * *", "30 2 29 3 *"):
            trigger = Cron(text=text, tz=tz)
            for offset in range(-7300, 7300, 50):
                at = (change.at + offset) * SECOND
                following = trigger.next_after(at)
                assert following is not None
                assert following > at


def test_django_celery_beat_604_the_zone_of_the_schedule_decides_not_the_hosts() -> None:
    shanghai, utc = Cron(text="0 2 * * *", tz="Asia/Shanghai"), Cron(text="0 2 * * *")
    assert isoformat(shanghai.next_after(YEAR[0]) or 0) == "2026-01-01T18:00:00Z"
    assert isoformat(utc.next_after(YEAR[0]) or 0) == "2026-01-01T02:00:00Z"


def test_nomad_2721_a_schedule_read_anew_by_another_server_fires_at_the_same_instants() -> None:
    """Recovery reads the document; nothing of the zone, the dialect or the choices may get lost on the way."""
    for document in (
        {"cron": "30 2 * * *", "tz": "America/New_York", "dst_gap": "skip", "dst_overlap": "both"},
        {"cron": "0 30 1 ? * 1", "tz": "Europe/Berlin", "dialect": "quartz"},
        {"daily": "02:30", "tz": "Australia/Lord_Howe", "every_days": 3, "since": "2026-01-05"},
        {"cron": "H H * * *", "tz": "Asia/Kolkata"},
    ):
        first = schedule_from_document(document, job="settle")
        second = schedule_from_document(first.to_document(), job="settle")
        assert all_of(first, *YEAR) == all_of(second, *YEAR)


@pytest.mark.parametrize(
    "document",
    [{"every": "1s"}, "* * * * * *", "*/5 * * * *", "30 2 * * *", {"every": "1s", "calendar": "weekdays"}],
    ids=str,
)
def test_kubernetes_42649_a_year_of_missed_fires_is_counted_not_walked(document: object) -> None:
    """100 missed starts stopped a CronJob for good. Here the newest and the number are arithmetic, however many."""
    schedule = schedule_from_document(document)
    since, now = instant("2016-01-01"), instant("2026-01-01") + 17 * SECOND + 5
    begin = time.process_time()
    newest = schedule.previous_before(now + 1)
    missed = schedule.count_between(since, now)
    allowed = schedule.allowed_between(since, now)
    assert time.process_time() - begin < 2, "walking through 300 million seconds takes minutes"
    assert newest is not None
    assert newest <= now
    assert missed == schedule.count_between(since, newest)
    assert schedule.next_after(newest) is not None
    assert 0 < allowed <= missed
    if document == {"every": "1s"}:
        assert missed == 3653 * 86_400 + 17


def test_oban_1156_an_edited_schedule_is_not_due_before_it_was_edited() -> None:
    """The first instant of a new schedule lies after the edit, also when the edit is made at a due instant."""
    edited_at = instant("2026-01-01 02:00")
    for document in ("0 2 * * *", "* * * * *", {"every": "1h"}, {"daily": "02:00"}, {"at": "2026-01-01 02:00"}):
        following = schedule_from_document(document).next_after(edited_at)
        assert following is None or following > edited_at


def test_jobrunr_940_and_river_1035_a_restart_does_not_shift_an_interval() -> None:
    """Interval schedules hang on the epoch: built at 10:07 or at 10:14, due at 10:15."""
    for restarted_at in ("2026-01-01 10:07", "2026-01-01 10:14:59"):
        schedule = schedule_from_document({"every": "15m"})
        assert schedule.next_after(instant(restarted_at)) == instant("2026-01-01 10:15")


def test_procrastinate_1464_five_thousand_schedules_all_have_their_next_fire() -> None:
    now = instant("2026-01-01")
    schedules = [schedule_from_document({"cron": f"{n % 60} {n % 24} * * *"}, job=f"job-{n}") for n in range(5000)]
    due = [schedule.next_after(now) for schedule in schedules]
    assert all(at is not None and now < at <= now + DAY for at in due)


@pytest.mark.parametrize("text", ["30 2 * * *", "*/5 * * * *", "0 0 1 * *", "*/7 * * * * *"])
@pytest.mark.parametrize("tz", ["UTC", "Europe/Berlin", "America/Sao_Paulo"])
def test_pg_cron_105_a_clock_that_jumps_gets_the_same_answers(text: str, tz: str) -> None:
    """What a trigger remembers to be quick must never show: ±8 h, ±a year, in any order."""
    remembering = Cron(text=text, tz=tz)
    now = instant("2026-03-28 22:00")
    for step in (0, 8 * HOUR, -8 * HOUR, 365 * DAY, -365 * DAY, MINUTE, -40 * DAY, 3650 * DAY, 0, 1, -1):
        now += step
        fresh = Daily(times=(0,), tz=tz)  # forget: another trigger of the zone is asked first
        fresh.next_after(now)
        one_way = Cron(text=text, tz=tz).wall
        forgotten = type(one_way)(one_way.days, one_way.times, one_way.zone, one_way.gap, one_way.overlap)
        assert remembering.next_after(now) == forgotten.next_after(now)
        assert remembering.previous_before(now) == forgotten.previous_before(now)


# What the libraries compared in docs/decisions/own-cron.md do otherwise


def test_croniter_fires_a_fixed_time_twice_at_fall_back() -> None:
    start = datetime(2026, 11, 1, tzinfo=zone_of("America/New_York"))
    theirs = croniter("30 1 * * *", start, ret_type=datetime)
    both = [theirs.get_next() for _ in range(2)]
    assert both[1] - both[0] < timedelta(hours=2), "croniter is right now: say so in docs/decisions/own-cron.md"
    assert fires("30 1 * * *", 2, since="2026-11-01", tz="America/New_York") == ["2026-11-01 01:30", "2026-11-02 01:30"]


def test_cronsim_skips_a_six_field_time_in_the_gap() -> None:
    start = datetime(2026, 3, 29, tzinfo=zone_of("Europe/Berlin"))
    assert next(CronSim("0 30 2 * * *", start)).day == 30, "cronsim is right now: say so in docs/decisions/own-cron.md"
    assert fires("0 30 2 * * *", 1, since="2026-03-29", tz="Europe/Berlin") == ["2026-03-29 03:00"]


def test_quartz_skips_31w_in_shorter_months() -> None:
    assert fires("0 0 0 31W * ?", 3, since="2026-04-01") == ["2026-05-29 00:00", "2026-07-31 00:00", "2026-08-31 00:00"]


def test_apscheduler_counts_weekdays_from_monday() -> None:
    (friday,) = fires("0 0 * * 5", 1)
    assert datetime.fromisoformat(friday).strftime("%A") == "Friday"


def test_temporal_and_nomad_lose_or_double_a_fixed_time_unless_asked() -> None:
    """Both skip the gap and fire twice in the overlap; here that has to be said."""
    theirs = Cron(text="30 2 * * *", tz="Europe/Berlin", dst_gap=Gap.SKIP, dst_overlap=RepeatedTime.BOTH)
    ours = Cron(text="30 2 * * *", tz="Europe/Berlin")
    assert len(all_of(ours, *YEAR)) == 365
    assert len(all_of(theirs, *YEAR)) == 365
    assert [isoformat(at) for at in all_of(theirs, *YEAR) if at not in all_of(ours, *YEAR)] == ["2026-10-25T01:30:00Z"]
    assert [isoformat(at) for at in all_of(ours, *YEAR) if at not in all_of(theirs, *YEAR)] == ["2026-03-29T01:00:00Z"]


def test_intervals_do_not_drift() -> None:
    every = Every(interval_us=90 * MINUTE)
    found = all_of(every, *YEAR)
    assert all(at % (90 * MINUTE) == 0 for at in found)
