"""Batches: one bad job stops nobody, and catch-up runs come a few at a time."""

from functools import partial
from itertools import pairwise

import pytest

from foliot.domain.fire import TROUBLE_REST, Cursor, Decide, DueJob, Plan
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.pacer import CatchUpPacer
from foliot.domain.planner import Planner
from foliot.domain.plans import decide_batch, plan
from foliot.domain.policies import misfire
from foliot.domain.schedule import Schedule
from tests.unit.planning.situations import at, cron, due, every, job

MORNING = at("2026-03-02 09:00")
MINUTELY = cron("* * * * *")


class Broken(Schedule):
    __slots__ = ()

    def next_after(self, instant: int) -> int | None:
        raise ZeroDivisionError("x" * 10_000)


def test_a_batch_is_planned_job_by_job_in_order() -> None:
    batch = [due(job(MINUTELY), MORNING - n * MINUTE) for n in range(2)]
    decide: Decide = partial(decide_batch, pacer=CatchUpPacer())
    assert decide(MORNING, batch) == [plan(one, MORNING) for one in batch]
    assert decide(MORNING, []) == []


def test_one_bad_job_never_stops_its_batch() -> None:
    cursor = Cursor(5, 2, "active", MORNING, MORNING, 9, 3, MORNING - HOUR, "overlap")
    bad = DueJob(cursor, job(Broken(triggers=MINUTELY.triggers)), due(job(MINUTELY), MORNING).seen)
    before, troubled, after = decide_batch(
        MORNING, [due(job(MINUTELY), MORNING), bad, due(job(MINUTELY), MORNING)], pacer=CatchUpPacer()
    )
    assert len(before.runs) == len(after.runs) == 1
    assert troubled[:2] == ((), ())
    assert (troubled.state, troubled.next_at, troubled.next_due_at, troubled.remaining) == (
        "active",
        MORNING + TROUBLE_REST,
        MORNING,
        3,
    )
    assert troubled.trouble is not None
    assert troubled.trouble.startswith("ZeroDivisionError: xxx")
    assert len(troubled.trouble) <= 500


def test_a_bug_that_must_end_the_process_does() -> None:
    class Stop(Schedule):
        __slots__ = ()

        def next_after(self, instant: int) -> int | None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide_batch(MORNING, [due(job(Stop(triggers=MINUTELY.triggers)), MORNING)], pacer=CatchUpPacer())


def catch_ups(plans: list[Plan]) -> list[int]:
    return [run.not_before for one in plans for run in one.runs if run.catch_up]


def test_catch_up_runs_are_spread_across_jobs_and_batches() -> None:
    pacer = CatchUpPacer(rate_per_s=50)
    hourly = job(cron("0 * * * *"), misfire=misfire.all(within="1d"))
    now = MORNING + 10 * HOUR + 30 * MINUTE
    first = catch_ups(decide_batch(now, [due(hourly, MORNING) for _ in range(10)], pacer=pacer))
    second = catch_ups(decide_batch(now + SECOND, [due(hourly, MORNING) for _ in range(10)], pacer=pacer))
    slots = [*first, *second]
    assert len(slots) == 220
    assert slots[0] == now
    assert [b - a for a, b in pairwise(slots)] == [20_000] * 219


def test_a_pause_in_the_catching_up_earns_no_burst() -> None:
    pacer = CatchUpPacer(rate_per_s=10)
    late = due(job(cron("0 * * * *")), MORNING)
    now = MORNING + 30 * MINUTE
    slots = [catch_ups(decide_batch(now + n * MINUTE // 2, [late] * 3, pacer=pacer)) for n in range(3)]
    for n, batch in enumerate(slots):
        start = now + n * MINUTE // 2
        assert batch == [start, start + 100_000, start + 200_000]


@pytest.mark.parametrize("step", [8 * HOUR, 400 * DAY])
def test_a_clock_that_stepped_back_does_not_put_catch_up_off_by_the_step(step: int) -> None:
    pacer = CatchUpPacer(rate_per_s=1)
    now = MORNING + 30 * MINUTE
    decide_batch(now, [due(job(cron("0 * * * *")), MORNING)] * 5, pacer=pacer)
    earlier = now - step
    slots = catch_ups(decide_batch(earlier, [due(job(cron("0 * * * *")), MORNING - step)], pacer=pacer))
    assert slots == [earlier + 5 * SECOND], "behind the five before it, not in the old future"


def test_runs_on_time_are_not_paced() -> None:
    pacer = CatchUpPacer(rate_per_s=1)
    decide_batch(MORNING + HOUR // 2, [due(job(cron("0 * * * *")), MORNING)] * 100, pacer=pacer)
    (decided,) = decide_batch(MORNING, [due(job(every("1s")), MORNING)], pacer=pacer)
    assert [run.not_before for run in decided.runs] == [MORNING]


def test_jobs_that_are_resumed_with_a_catch_up_share_the_pace_of_their_server() -> None:
    planner = Planner(CatchUpPacer(rate_per_s=1))
    loaded = job(MINUTELY, misfire=misfire.all())
    paused = due(loaded, MORNING, state="paused")
    now = MORNING + 10 * MINUTE
    plans = [planner.resume(catch_up=True).plan(paused, now) for _ in range(2)]
    starts = [run.not_before for plan in plans for run in plan.runs if run.catch_up]
    assert len(starts) > 10
    assert [later - earlier for earlier, later in pairwise(starts)] == [SECOND] * (len(starts) - 1)
