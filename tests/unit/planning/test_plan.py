"""What `plan` decides: tables of cases, by policy and situation. 2 March 2026 is a Monday."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from foliot.domain.draft import FRESH, RUNS_PER_PLAN
from foliot.domain.fire import CursorState, PlannedRun, SkipReason
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.plans import plan
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import Schedule
from tests.unit.planning.situations import (
    HOURLY,
    MINUTELY,
    MORNING,
    accounted,
    at,
    carried_on,
    cron,
    due,
    every,
    job,
    lunch,
    missed,
    overlapped,
    ranges,
    times,
    weekdays,
)

LATEST, ALL, SKIP = misfire.latest(), misfire.all(), misfire.skip


@dataclass(frozen=True)
class Case:
    says: str
    schedule: Schedule
    now: str
    runs: list[str]
    skips: list[tuple[str, int, str]] = field(default_factory=list)
    first: str = MORNING
    misfire: Misfire = LATEST
    overlap: Overlap = Overlap.ALLOW
    next_at: str | None = None
    max_waiting: int | None = None
    seen: dict[str, Any] = field(default_factory=dict)


ON_TIME = [
    Case("at its instant", MINUTELY, "2026-03-02 09:00:00", ["09:00:00"], next_at="2026-03-02 09:01"),
    Case("some seconds late", MINUTELY, "2026-03-02 09:00:59", ["09:00:00"], next_at="2026-03-02 09:01"),
    Case("two at once", MINUTELY, "2026-03-02 09:01:00", ["09:00:00", "09:01:00"], next_at="2026-03-02 09:02"),
    Case("just not late", HOURLY, "2026-03-02 09:01:00", ["09:00:00"], next_at="2026-03-02 10:00"),
    Case("every second", every("1s"), "2026-03-02 09:00:02", ["09:00:00", "09:00:01", "09:00:02"]),
]

LATE = [
    Case(
        "latest: late by a minute and a bit",
        HOURLY, "2026-03-02 09:01:01", ["09:00:00+"], next_at="2026-03-02 10:00",
    ),
    Case(
        "latest: just when the next is due",
        HOURLY, "2026-03-02 10:00:00", ["10:00:00"], [missed(1, "09:00:00-09:00:00")],
    ),
    Case(
        "latest: the newest late one stands for the others",
        HOURLY, "2026-03-02 11:30", ["11:00:00+"], [missed(2, "09:00:00-10:00:00")], next_at="2026-03-02 12:00",
    ),
    Case(
        "latest: what is on time runs, and stands for the late ones",
        every("10s"), "2026-03-02 09:10:05",
        ["09:09:10", "09:09:20", "09:09:30", "09:09:40", "09:09:50", "09:10:00"], [missed(55, "09:00:00-09:09:00")],
        next_at="2026-03-02 09:10:10",
    ),
    Case(
        "latest: the window is over",
        cron("0 9 * * *"), "2026-03-02 10:00:01", [], [missed(1, "09:00:00-09:00:00")], next_at="2026-03-03 09:00",
    ),
    Case(
        "latest: exactly at the end of the window",
        cron("0 9 * * *"), "2026-03-02 10:00:00", ["09:00:00+"], next_at="2026-03-03 09:00",
    ),
    Case(
        "skip: late ones are left out, on-time ones run",
        MINUTELY, "2026-03-02 09:05:30", ["09:05:00"], [missed(5, "09:00:00-09:04:00")], misfire=SKIP,
    ),
    Case("skip: nothing else to run", HOURLY, "2026-03-02 09:30", [], [missed(1, "09:00:00-09:00:00")], misfire=SKIP),
    Case(
        "all: each gets a run",
        MINUTELY, "2026-03-02 09:04:30", ["09:00:00+", "09:01:00+", "09:02:00+", "09:03:00+", "09:04:00"], misfire=ALL,
    ),
    Case(
        "all: what is outside the window is left out",
        HOURLY, "2026-03-02 13:30", ["12:00:00+", "13:00:00+"], [missed(3, "09:00:00-11:00:00")],
        misfire=misfire.all(within="2h"),
    ),
    Case(
        "all: only the newest of them",
        HOURLY, "2026-03-02 13:30", ["12:00:00+", "13:00:00+"], [missed(3, "09:00:00-11:00:00")],
        misfire=misfire.all(within="1d", limit=2),
    ),
    Case(
        "all: the limit is for late ones, what is on time runs besides",
        MINUTELY, "2026-03-02 09:10:30", ["09:09:00+", "09:10:00"], [missed(9, "09:00:00-09:08:00")],
        misfire=misfire.all(within="1d", limit=1),
    ),
    Case(
        "all: nothing is inside the window",
        cron("0 9 * * *"), "2026-03-02 12:00", [], [missed(1, "09:00:00-09:00:00")], misfire=ALL,
    ),
]  # fmt: skip

OVERLAP = [
    Case(
        "skip: an open run is in the way", MINUTELY, "2026-03-02 09:00:01", [], [overlapped(1, "09:00:00-09:00:00")],
        overlap=Overlap.SKIP, seen={"open": 1},
    ),
    Case("skip: nothing is open", MINUTELY, "2026-03-02 09:00:01", ["09:00:00"], overlap=Overlap.SKIP),
    Case(
        "skip: also a run of this same plan is in the way",
        every("1s"), "2026-03-02 09:00:03", ["09:00:00"], [overlapped(3, "09:00:01-09:00:03")], overlap=Overlap.SKIP,
    ),
    Case(
        "skip: the newest of the late ones meets an open run",
        HOURLY, "2026-03-02 11:30", [], [missed(2, "09:00:00-10:00:00"), overlapped(1, "11:00:00-11:00:00")],
        overlap=Overlap.SKIP, seen={"open": 1},
    ),
    Case(
        "skip: of all the late ones the first gets the run",
        MINUTELY, "2026-03-02 09:04:30", ["09:00:00+"], [overlapped(4, "09:01:00-09:04:00")],
        overlap=Overlap.SKIP, misfire=ALL,
    ),
    Case(
        "queue: one runs, this one waits", MINUTELY, "2026-03-02 09:00:01", ["09:00:00"],
        overlap=Overlap.QUEUE, seen={"open": 1},
    ),
    Case(
        "queue: one waits already", MINUTELY, "2026-03-02 09:00:01", [], [overlapped(1, "09:00:00-09:00:00")],
        overlap=Overlap.QUEUE, seen={"open": 2, "waiting": 1},
    ),
    Case(
        "queue: of several at once one waits",
        every("1s"), "2026-03-02 09:00:03", ["09:00:00"], [overlapped(3, "09:00:01-09:00:03")], overlap=Overlap.QUEUE,
    ),
    Case(
        "queue_all: all wait", every("1s"), "2026-03-02 09:00:02", ["09:00:00", "09:00:01", "09:00:02"],
        overlap=Overlap.QUEUE_ALL, seen={"open": 900, "waiting": 899},
    ),
    Case(
        "queue_all: up to a thousand",
        every("1s"), "2026-03-02 09:00:02", ["09:00:00"], [("limit", 2, "09:00:01-09:00:02")],
        overlap=Overlap.QUEUE_ALL, seen={"open": 1000, "waiting": 999},
    ),
    Case(
        "replace: always a run", every("1s"), "2026-03-02 09:00:01", ["09:00:00", "09:00:01"],
        overlap=Overlap.REPLACE, seen={"open": 5, "waiting": 4},
    ),
    Case(
        "allow: side by side", every("1s"), "2026-03-02 09:00:01", ["09:00:00", "09:00:01"],
        overlap=Overlap.ALLOW, seen={"open": 5, "waiting": 4},
    ),
    Case(
        "max_waiting: up to the limit, runs of this plan among them",
        every("1s"), "2026-03-02 09:00:02", ["09:00:00"], [("limit", 2, "09:00:01-09:00:02")],
        overlap=Overlap.ALLOW, max_waiting=5, seen={"queued": 4},
    ),
    Case(
        "max_waiting: an open run is in the way before it", every("1s"), "2026-03-02 09:00:00", [],
        [("overlap", 1, "09:00:00-09:00:00")], overlap=Overlap.SKIP, max_waiting=1, seen={"open": 1, "queued": 1},
    ),
]  # fmt: skip

CALENDAR = [
    Case(
        "the weekend is one skip, found when Monday's fire is due",
        cron("0 9 * * *", calendar=weekdays()), "2026-03-02 09:00:01", ["09:00:00"],
        [("calendar", 2, "09:00:00-09:00:00")], first="2026-02-28 09:00", next_at="2026-03-03 09:00",
    ),
    Case(
        "the next wake-up leaves the weekend out",
        cron("0 9 * * *", calendar=weekdays()), "2026-02-27 09:00:01", ["09:00:00"],
        first="2026-02-27 09:00", next_at="2026-03-02 09:00",
    ),
    Case(
        "closed hours are a blackout",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 13:00:01", ["13:00:00"],
        [("blackout", 2, "12:00:00-12:30:00")], first="2026-03-02 12:00", next_at="2026-03-02 13:30",
    ),
    Case(
        "what the calendar ruled out was not missed",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 14:10", ["14:00:00+"],
        [missed(2, "11:00:00-11:30:00"), ("blackout", 2, "12:00:00-12:30:00"), missed(2, "13:00:00-13:30:00")],
        first="2026-03-02 11:00",
    ),
    Case(
        "the newest allowed one is before the closed hours",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 12:25", ["11:30:00+"],
        [missed(1, "11:00:00-11:00:00"), ("blackout", 1, "12:00:00-12:00:00")],
        first="2026-03-02 11:00", next_at="2026-03-02 13:00",
    ),
    Case(
        "all: runs on both sides of the closed hours",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 13:31:30", ["11:30:00+", "13:00:00+", "13:30:00+"],
        [("blackout", 2, "12:00:00-12:30:00")], first="2026-03-02 11:30", misfire=misfire.all(within="1d"),
    ),
    Case(
        "skip: the closed hours lie between missed ones",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 13:45", [],
        [missed(1, "11:30:00-11:30:00"), ("blackout", 2, "12:00:00-12:30:00"), missed(2, "13:00:00-13:30:00")],
        first="2026-03-02 11:30", misfire=SKIP,
    ),
    Case(
        "an open run on both sides of the closed hours",
        cron("*/30 * * * *", calendar=lunch()), "2026-03-02 13:31:30", [],
        [overlapped(1, "11:30:00-11:30:00"), ("blackout", 2, "12:00:00-12:30:00"), overlapped(2, "13:00:00-13:30:00")],
        first="2026-03-02 11:30", misfire=misfire.all(within="1d"), overlap=Overlap.SKIP, seen={"open": 1},
    ),
    Case(
        "nothing was missed at the weekend: on Monday each fire counts",
        every("10s", calendar=weekdays()), "2026-03-02 00:00:25", ["00:00:00", "00:00:10", "00:00:20"],
        [("calendar", 6, "23:59:00-23:59:50")], first="2026-03-01 23:59:00",
    ),
]  # fmt: skip

CASES = [*ON_TIME, *LATE, *OVERLAP, *CALENDAR]


AWAY = [58, 59, 60, 61, 63, 65, 66]
ON_TIME_OF_AWAY = {58: 12, 59: 12, 60: 13, 61: 12, 63: 12, 65: 13, 66: 12}  # of every 5 s, not older than 60 s


@pytest.mark.parametrize("away_s", AWAY)
@pytest.mark.parametrize("policy", [LATEST, ALL, SKIP], ids=lambda policy: str(policy.mode))
def test_a_second_more_of_an_outage_never_drops_what_is_on_time(policy: Misfire, away_s: int) -> None:
    now = at(MORNING) + away_s * SECOND
    decided = plan(due(job(every("5s"), misfire=policy), at(MORNING)), now)
    on_time = [run for run in decided.runs if not run.catch_up]
    late = away_s // 5 + 1 - len(on_time)
    assert len(on_time) == ON_TIME_OF_AWAY[away_s]
    assert late == (0 if away_s <= 60 else 1 + (away_s - 61) // 5)
    caught_up, left_out = (late, 0) if policy is ALL else (0, late)
    assert len(decided.runs) - len(on_time) == caught_up
    assert sum(skip.count for skip in decided.skips) == left_out
    accounted(every("5s"), decided, at(MORNING), now)


@pytest.mark.parametrize("overlap", list(Overlap))
def test_latest_names_the_fire_that_got_the_run(overlap: Overlap) -> None:
    decided = plan(due(job(every("5s"), overlap=overlap), at(MORNING)), at(MORNING) + 63 * SECOND)
    assert decided.skips[0].why == "missed; the fire of 2026-03-02T09:00:05Z runs instead"
    assert decided.runs[0].due_at == at(MORNING) + 5 * SECOND


@pytest.mark.parametrize(
    ("policy", "caught_up"), [(LATEST, ["09:00:55+"]), (ALL, [f"09:00:{s:02}+" for s in range(0, 60, 5)]), (SKIP, [])]
)
def test_with_nothing_on_time_the_policy_decides_all(policy: Misfire, caught_up: list[str]) -> None:
    over = every("5s", end_at=at(MORNING) + MINUTE)
    decided = plan(due(job(over, misfire=policy), at(MORNING)), at(MORNING) + 2 * MINUTE)
    assert times(decided) == caught_up


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_the_decision(case: Case) -> None:
    loaded = job(case.schedule, overlap=case.overlap, misfire=case.misfire, max_waiting=case.max_waiting)
    first, now = at(case.first), at(case.now)
    decided = plan(due(loaded, first, **case.seen), now)
    assert times(decided) == case.runs
    assert ranges(decided) == case.skips
    accounted(case.schedule, decided, first, now)
    assert decided.next_due_at == case.schedule.next_after(now)
    assert decided.state == CursorState.ACTIVE
    if case.next_at:
        assert decided.next_at == at(case.next_at)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_asking_again_decides_nothing(case: Case) -> None:
    loaded = job(case.schedule, overlap=case.overlap, misfire=case.misfire, max_waiting=case.max_waiting)
    before = due(loaded, at(case.first), **case.seen)
    after = carried_on(before, plan(before, at(case.now)))
    again = plan(after, at(case.now))
    assert (again.runs, again.skips) == ((), ())
    assert again[2:] == (*after.cursor[2:5], None, False, None)


def test_a_skip_names_the_fire_that_runs_instead() -> None:
    decided = plan(due(job(HOURLY), at(MORNING)), at("2026-03-02 11:30"))
    assert decided.skips[0].why == "missed; the fire of 2026-03-02T11:00:00Z runs instead"
    busy = plan(due(job(HOURLY, overlap=Overlap.SKIP), at(MORNING), open=1), at("2026-03-02 11:30"))
    assert busy.skips[0].why == "missed; the fire of 2026-03-02T11:00:00Z was due instead"
    assert busy.skips[1].why == "an earlier run was still open"


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (misfire.latest(within="2h"), "missed by more than 2h"),
        (misfire.all(within="2h"), "missed by more than 2h"),
        (SKIP, "missed, and missed fires are left out"),
    ],
)
def test_a_skip_says_which_rule_dropped_it(policy: Misfire, why: str) -> None:
    decided = plan(due(job(cron("0 9 * * *"), misfire=policy), at(MORNING)), at("2026-03-02 20:00"))
    assert [skip.why for skip in decided.skips] == [why]


def test_a_calendar_skip_says_which_rule_of_the_calendar() -> None:
    decided = plan(due(job(cron("0 9 * * *", calendar=weekdays())), at("2026-02-28 09:00")), at("2026-03-02 09:00"))
    assert (decided.skips[0].reason, decided.skips[0].why) == (SkipReason.CALENDAR, "weekdays: weekend")


# ------------------------------------------------------------------------------------------- nothing to decide


@pytest.mark.parametrize("step", [1, SECOND, 8 * HOUR, 400 * DAY])
def test_a_clock_that_stepped_back_decides_nothing_and_moves_nothing(step: int) -> None:
    waiting = due(job(MINUTELY), at(MORNING), remaining=4, open=1)
    decided = plan(waiting, at(MORNING) - step)
    assert decided == ((), (), "active", at(MORNING), at(MORNING), 4, False, None)


def test_a_cursor_put_off_by_trouble_waits_although_its_instant_has_come() -> None:
    put_off = due(job(MINUTELY), at(MORNING), next_at=at(MORNING) + MINUTE)
    assert plan(put_off, at(MORNING) + 30 * SECOND).runs == ()
    assert times(plan(put_off, at(MORNING) + MINUTE)) == ["09:00:00", "09:01:00"]


def test_a_job_without_a_schedule_or_at_its_end_has_nothing_due() -> None:
    for state, loaded in (("active", job(None)), ("done", job(MINUTELY))):
        decided = plan(due(loaded, None, next_at=at(MORNING), state=state), at(MORNING))
        assert (decided.runs, decided.skips, decided.next_at, decided.state) == ((), (), None, state)


# --------------------------------------------------------------------------------------------------------- jitter


def test_an_instant_is_due_when_its_jitter_is_over_and_its_run_bears_the_nominal_instant() -> None:
    schedule = cron("0 * * * *", jitter_us=10 * MINUTE)
    wake_at = schedule.wake_at("tick", at(MORNING))
    assert at(MORNING) < wake_at <= at(MORNING) + 10 * MINUTE
    waiting = due(job(schedule), at(MORNING), next_at=at(MORNING))
    early = plan(waiting, wake_at - 1)
    assert (early.runs, early.skips, early.next_at, early.next_due_at) == ((), (), wake_at, at(MORNING))
    decided = plan(waiting, wake_at)
    assert decided.runs == (PlannedRun(at(MORNING), f"s:{at(MORNING)}", wake_at),)
    assert decided.next_at == schedule.wake_at("tick", at("2026-03-02 10:00"))
    assert decided.next_due_at == at("2026-03-02 10:00")


@pytest.mark.parametrize("policy", [LATEST, ALL, SKIP])
def test_jitter_does_not_make_a_fire_late(policy: Misfire) -> None:
    schedule = cron("0 9 * * *", jitter_us=12 * HOUR)
    wake_at = schedule.wake_at("tick", at(MORNING))
    assert wake_at > at(MORNING) + MINUTE
    on_time = plan(due(job(schedule, misfire=policy), at(MORNING), next_at=wake_at), wake_at + MINUTE)
    assert times(on_time) == ["09:00:00"]
    late = plan(due(job(schedule, misfire=policy), at(MORNING), next_at=wake_at), wake_at + MINUTE + 1)
    assert times(late) == ([] if policy is SKIP else ["09:00:00+"])


# -------------------------------------------------------------------------------------- places, priorities, order


def test_a_run_is_put_behind_an_open_one_of_a_serial_job_and_behind_its_own_elders() -> None:
    for overlap, parked in (
        (Overlap.QUEUE_ALL, [False, True]),
        (Overlap.REPLACE, [False, True]),
        (Overlap.ALLOW, [False] * 2),
    ):
        decided = plan(due(job(every("1s"), overlap=overlap), at(MORNING)), at(MORNING) + SECOND)
        assert [run.parked for run in decided.runs] == parked
    behind = plan(due(job(MINUTELY, overlap=Overlap.QUEUE), at(MORNING), open=1), at(MORNING))
    assert behind.runs[0].parked


def test_runs_keep_the_order_of_their_instants_but_are_not_hidden_in_the_past() -> None:
    decided = plan(due(job(every("1s")), at(MORNING)), at(MORNING) + 20 * SECOND)
    now = at(MORNING) + 20 * SECOND
    assert [run.not_before for run in decided.runs] == [max(run.due_at, now - FRESH) for run in decided.runs]
    for late, not_before in (
        (SECOND, at(MORNING)),
        (FRESH, at(MORNING)),
        (30 * SECOND, at(MORNING) + 30 * SECOND - FRESH),
    ):
        assert plan(due(job(HOURLY), at(MORNING)), at(MORNING) + late).runs[0].not_before == not_before


def test_an_on_time_fire_hurries_the_waiting_catch_up_runs_in_front_of_it() -> None:
    def promotes(overlap: Overlap, now: int, **seen: Any) -> bool:
        return plan(due(job(HOURLY, overlap=overlap), at(MORNING), **seen), now).promote

    on_time, late = at(MORNING), at(MORNING) + 10 * MINUTE
    assert promotes(Overlap.QUEUE_ALL, on_time, open=1, waiting=1, catch_up=1)
    assert promotes(Overlap.SKIP, on_time, open=1, waiting=1, catch_up=1), "also one that is itself left out"
    assert not promotes(Overlap.QUEUE_ALL, late, open=1, waiting=1, catch_up=1), "a late one waits like them"
    assert not promotes(Overlap.QUEUE_ALL, on_time, open=1, waiting=1), "none is a catch-up run"
    assert not promotes(Overlap.ALLOW, on_time, open=1, waiting=1, catch_up=1), "nothing is in front side by side"


# --------------------------------------------------------------------------------------------- many at a time


def test_a_plan_makes_so_many_runs_and_the_next_goes_on_where_it_stopped() -> None:
    now = at(MORNING) + 4 * HOUR + 30 * SECOND
    loaded = job(MINUTELY, misfire=misfire.all(within="1d"))
    waiting, made, plans = due(loaded, at(MORNING)), [], 0
    while waiting.cursor.next_at is not None and waiting.cursor.next_at <= now:
        decided = plan(waiting, now)
        assert 0 < len(decided.runs) <= RUNS_PER_PLAN
        made += [run.due_at for run in decided.runs]
        plans += 1
        if decided.next_due_at is not None and decided.next_due_at <= now:
            assert decided.next_at == now
        waiting = carried_on(waiting, decided)
    assert made == list(range(at(MORNING), now, MINUTE))
    assert plans == 3


def test_the_limit_holds_across_the_plans_of_one_catch_up() -> None:
    now = at(MORNING) + 2 * DAY
    loaded = job(MINUTELY, misfire=misfire.all(within="7d", limit=250))
    waiting, late, skipped = due(loaded, at(MORNING)), 0, 0
    while waiting.cursor.next_at is not None and waiting.cursor.next_at <= now:
        decided = plan(waiting, now)
        late += sum(run.catch_up for run in decided.runs)
        skipped += sum(skip.count for skip in decided.skips)
        waiting = carried_on(waiting, decided)
    assert late == 250
    assert late + skipped + 2 == 2 * 24 * 60 + 1


@pytest.mark.parametrize("schedule", [every("1s", jitter_us=SECOND - 1), every("1m", jitter_us=7 * SECOND)])
@pytest.mark.parametrize("late_us", [0, 1, 400_000, SECOND, 6 * SECOND, MINUTE, 10 * MINUTE])
@pytest.mark.parametrize("overlap", [Overlap.ALLOW, Overlap.SKIP])
def test_the_straight_way_with_jitter_decides_as_the_long_one(
    schedule: Schedule, late_us: int, overlap: Overlap
) -> None:
    """A schedule with a count always takes the long way."""
    loaded = job(schedule, overlap=overlap)
    for n in range(50):
        first = at(MORNING) + n * MINUTE
        wake_at = schedule.wake_at(loaded.name, first)
        now = wake_at + late_us
        straight = plan(due(loaded, first, next_at=wake_at), now)
        at_length = plan(due(loaded, first, next_at=wake_at, remaining=1_000_000), now)
        assert straight == at_length._replace(remaining=None)
        assert [run.not_before for run in straight.runs] >= [wake_at if late_us < FRESH else now - FRESH]
