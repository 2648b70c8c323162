"""A job left alone for ten years is planned without walking through them: counted by questions to the schedule."""

import pytest

from foliot.domain.draft import RUNS_PER_PLAN
from foliot.domain.instants import DAY, HOUR, SECOND
from foliot.domain.plans import plan, plan_delete, plan_edit, plan_pause, plan_resume
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import CATCH_UP_MAX, Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import Schedule
from tests.unit.planning.situations import at, carried_on, counting, cron, due, every, job, lunch, weekdays

TEN_YEARS = 3652 * DAY
THEN = at("2016-03-02 09:00")
NOW = THEN + TEN_YEARS + 30 * SECOND

SCHEDULES = {
    "every second": every("1s"),
    "every minute": cron("* * * * *"),
    "nightly in Berlin": cron("30 2 * * *", tz="Europe/Berlin"),
    "every second on weekdays": every("1s", calendar=weekdays()),
    "every second but at lunch": every("1s", calendar=lunch()),
    "every minute with jitter": cron("* * * * *", jitter_us=20 * SECOND),
}
POLICIES = {
    "latest": misfire.latest(),
    "latest of ten years": misfire.latest(within="3660d"),
    "all": misfire.all(),
    "all of ten years": misfire.all(within="3660d"),
    "skip": misfire.skip,
}
QUESTIONS_MAX = 1000  # for one plan; ten years have 315 million seconds and 3652 days


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("overlap", list(Overlap))
@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
def test_ten_years_are_decided_in_bounded_work(schedule: Schedule, policy: Misfire, overlap: Overlap) -> None:
    counted, asked = counting(schedule)
    waiting = due(job(counted, misfire=policy, overlap=overlap), THEN)
    plans, runs, decided_instants = 0, 0, 0
    while waiting.cursor.next_at is not None and waiting.cursor.next_at <= NOW:
        asked.clear()
        decided = plan(waiting, NOW)
        assert asked.total() <= QUESTIONS_MAX, asked
        assert len(decided.runs) <= RUNS_PER_PLAN
        plans += 1
        runs += len(decided.runs)
        decided_instants += len(decided.runs) + sum(skip.count for skip in decided.skips)
        waiting = carried_on(waiting, decided, open=min(runs, 1), waiting=0)
    assert plans <= CATCH_UP_MAX // RUNS_PER_PLAN + 2
    last = schedule.previous_before(NOW + 1)
    assert last is not None
    if schedule.wake_at("tick", last) > NOW:
        last = schedule.previous_before(last)
        assert last is not None
    assert decided_instants == schedule.count_between(THEN - 1, last)
    assert waiting.cursor.next_due_at == schedule.next_after(last)


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_edits_pauses_and_deletions_after_ten_years_are_bounded_too(schedule: Schedule, policy: Misfire) -> None:
    for change, state in (
        (plan_edit, "active"),
        (plan_pause, "active"),
        (plan_delete, "active"),
        (plan_resume, "paused"),
    ):
        counted, asked = counting(schedule)
        decided = change(due(job(counted, misfire=policy), THEN, state=state), NOW)
        assert asked.total() <= QUESTIONS_MAX, (change, asked)
        assert len(decided.runs) <= RUNS_PER_PLAN
        assert len(decided.skips) <= 40


def test_a_year_of_closed_lunches_is_recorded_exactly_at_first_and_then_in_one() -> None:
    schedule = every("1m", calendar=lunch())
    decided = plan(due(job(schedule), THEN), THEN + 365 * DAY)
    assert [str(skip.reason) for skip in decided.skips[:3]] == ["misfire", "blackout", "misfire"]
    rest = decided.skips[-1]
    assert (rest.reason, rest.to_at - rest.from_at > 300 * DAY) == ("misfire", True)
    assert rest.why.endswith("the calendar rules out some of them anyway")
    assert len(decided.skips) < 20
    assert sum(skip.count for skip in decided.skips) + len(decided.runs) == schedule.count_between(
        THEN - 1, THEN + 365 * DAY
    )


def test_a_calendar_that_never_allows_costs_no_wake_ups() -> None:
    from foliot.domain.schedule import Calendar

    schedule = every("1s", calendar=Calendar(name="never", only=frozenset()))
    counted, asked = counting(schedule)
    decided = plan(due(job(counted), THEN), NOW)
    assert asked.total() < 100
    assert [(str(skip.reason), skip.count) for skip in decided.skips] == [
        ("calendar", schedule.count_between(THEN - 1, NOW))
    ]
    assert decided.next_at is not None
    assert decided.next_at > NOW + 100 * 365 * DAY
    assert decided.next_due_at == NOW // SECOND * SECOND + SECOND


def test_a_skipped_second_costs_the_same_after_an_hour_as_after_ten_years() -> None:
    costs = []
    for gap in (2 * HOUR, TEN_YEARS):
        counted, asked = counting(every("1s"))
        plan(due(job(counted), THEN), THEN + gap)
        costs.append(asked.total())
    assert costs[0] == costs[1]
