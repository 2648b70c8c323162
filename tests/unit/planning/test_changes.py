"""New jobs, edits, pauses, resumes, deletions: the past is decided under what was, and nothing comes twice."""

import pytest

from foliot.domain.draft import RUNS_PER_PLAN
from foliot.domain.fire import CursorState, DueJob, Plan, SkipReason
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.plans import first_cursor, plan, plan_delete, plan_edit, plan_pause, plan_resume
from foliot.domain.policies import misfire
from foliot.domain.policies.misfire import Misfire
from foliot.domain.policies.overlap import Overlap
from foliot.domain.schedule import Schedule
from tests.unit.planning.situations import (
    accounted,
    at,
    carried_on,
    cron,
    due,
    every,
    fixed_delay,
    job,
    lunch,
    once,
    ranges,
    times,
    weekdays,
)

MINUTELY, HOURLY = cron("* * * * *"), cron("0 * * * *")
MORNING = at("2026-03-02 09:00")  # a Monday
POLICIES = {"latest": misfire.latest(), "all": misfire.all(within="1d"), "skip": misfire.skip}


class Broken(Schedule):
    """A schedule whose instants cannot be worked out any more."""

    __slots__ = ()

    def next_after(self, instant: int) -> int | None:
        raise ZeroDivisionError("the zone is gone")

    previous_before = next_after


# -------------------------------------------------------------------------------------------------------- new jobs


def test_a_new_job_has_no_past() -> None:
    first = first_cursor(job(MINUTELY), MORNING + 30 * SECOND)
    assert (first.runs, first.skips) == ((), ())
    assert (first.state, first.next_at, first.next_due_at) == (CursorState.ACTIVE, MORNING + MINUTE, MORNING + MINUTE)


def test_an_instant_that_is_now_is_past() -> None:
    assert first_cursor(job(MINUTELY), MORNING).next_due_at == MORNING + MINUTE


@pytest.mark.parametrize(
    ("schedule", "state", "next_due_at", "next_at"),
    [
        (None, "active", None, None),
        (once("2026-03-02 08:00"), "done", None, None),
        (once("2026-03-02 08:00", "2026-03-02 10:00"), "active", "2026-03-02 10:00", "2026-03-02 10:00"),
        (cron("0 9 * * *", start_at=at("2026-04-01 00:00")), "active", "2026-04-01 09:00", "2026-04-01 09:00"),
        (cron("0 9 * * *", end_at=at("2026-03-02 12:00")), "done", None, None),
        (cron("30 12,13 * * *", calendar=lunch()), "active", "2026-03-02 12:30", "2026-03-02 13:30"),
    ],
)
def test_where_a_schedule_begins(
    schedule: Schedule | None, state: str, next_due_at: str | None, next_at: str | None
) -> None:
    first = first_cursor(job(schedule), MORNING)
    assert first.state == state
    assert first.next_due_at == (next_due_at and at(next_due_at))
    assert first.next_at == (next_at and at(next_at))


def test_a_count_begins_full_and_jitter_delays_only_the_wake_up() -> None:
    schedule = cron("0 * * * *", count=5, jitter_us=10 * MINUTE)
    first = first_cursor(job(schedule), MORNING)
    assert (first.remaining, first.next_due_at) == (5, MORNING + HOUR)
    assert first.next_at == schedule.wake_at("tick", MORNING + HOUR) > MORNING + HOUR


# ----------------------------------------------------------------------------------------------------------- edits


def edited(before: DueJob, after: Schedule | None, now: int) -> tuple[Plan, Plan]:
    """Edit a job: the plan of its past, and the cursor of the new version."""
    past = plan_edit(before, now)
    return past, first_cursor(job(after, version=2), now, edited=before, past=past)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_an_edit_decides_the_past_under_the_old_version_and_begins_after_it(policy: Misfire) -> None:
    now = MORNING + 10 * MINUTE + 30 * SECOND
    past, new = edited(due(job(MINUTELY, misfire=policy), MORNING), cron("*/5 * * * *"), now)
    accounted(MINUTELY, past, MORNING, now)
    assert times(past)[-1] == "09:10:00"
    assert (new.runs, new.skips, new.next_due_at) == ((), (), MORNING + 15 * MINUTE)


def test_an_edit_does_not_fire_again_what_was_decided() -> None:
    """The new version has an instant that the old one just decided."""
    past, new = edited(due(job(HOURLY), MORNING), cron("0,30 * * * *"), MORNING + SECOND)
    assert times(past) == ["09:00:00"]
    assert new.next_due_at == MORNING + 30 * MINUTE


def test_an_edit_after_the_clock_stepped_back_does_not_decide_anything_twice() -> None:
    """The old version had decided up to 17:00 when store time stepped back to 09:30."""
    past, new = edited(due(job(HOURLY), at("2026-03-02 18:00")), cron("0,30 * * * *"), MORNING + 30 * MINUTE)
    assert (past.runs, past.skips) == ((), ())
    assert new.next_due_at == at("2026-03-02 17:30")


def test_intervals_stay_anchored_across_edits() -> None:
    now = MORNING + 7 * MINUTE
    for schedule in (every("15m"), every("15m", jitter_us=0)):
        _, new = edited(due(job(every("15m")), MORNING + 15 * MINUTE), schedule, now)
        assert new.next_due_at == MORNING + 15 * MINUTE


def test_what_one_plan_cannot_cover_becomes_one_edited_skip() -> None:
    now = MORNING + DAY
    past, new = edited(due(job(MINUTELY, misfire=misfire.all(within="2d")), MORNING), HOURLY, now)
    accounted(MINUTELY, past, MORNING, now)
    assert len(past.runs) == RUNS_PER_PLAN
    assert [(skip.reason, skip.count) for skip in past.skips if skip.reason == SkipReason.EDITED] == [
        (SkipReason.EDITED, past.skips[-1].count)
    ]
    assert past.skips[-1].to_at == now
    assert past.skips[-1].why == "not yet decided when the job was edited"
    assert new.next_due_at == now + HOUR


def test_an_edit_decides_what_jitter_still_holds_back() -> None:
    schedule = cron("0 * * * *", jitter_us=30 * MINUTE)
    wake_at = schedule.wake_at("tick", MORNING)
    assert wake_at > MORNING + SECOND
    before = due(job(schedule), MORNING, next_at=wake_at)
    past, _ = edited(before, schedule, MORNING + SECOND)
    assert [(run.due_at, run.not_before) for run in past.runs] == [(MORNING, wake_at)]
    assert plan(before, MORNING + SECOND).runs == (), "without the edit it would wait"


def test_an_edit_records_a_stretch_the_calendar_ruled_out() -> None:
    schedule = cron("0 9 * * *", calendar=weekdays())
    before = due(job(schedule), at("2026-02-28 09:00"), next_at=MORNING)
    past, new = edited(before, cron("0 9 * * *"), at("2026-03-01 12:00"))
    assert ranges(past) == [("calendar", 2, "09:00:00-09:00:00")]
    assert new.next_due_at == MORNING


def test_a_count_goes_on_across_edits() -> None:
    before = due(job(cron("* * * * *", count=10)), MORNING, remaining=4)
    past, new = edited(before, cron("*/2 * * * *", count=10), MORNING)
    assert (past.remaining, new.remaining) == (3, 3)
    more = first_cursor(job(cron("* * * * *", count=12)), MORNING, edited=before, past=past)
    assert more.remaining == 5
    fewer = first_cursor(job(cron("* * * * *", count=6)), MORNING, edited=before, past=past)
    assert (fewer.state, fewer.remaining) == (CursorState.DONE, 0)
    without = first_cursor(job(MINUTELY), MORNING, edited=before, past=past)
    assert without.remaining is None


def test_a_job_that_was_done_begins_anew_when_its_schedule_goes_on() -> None:
    before = due(job(once("2026-03-01 09:00")), None, state="done")
    past, new = edited(before, once("2026-03-03 09:00"), MORNING)
    assert (past.runs, past.skips) == ((), ())
    assert (new.state, new.next_due_at) == (CursorState.ACTIVE, at("2026-03-03 09:00"))


def test_a_paused_job_stays_paused_through_an_edit_and_its_paused_time_is_recorded() -> None:
    now = MORNING + 10 * MINUTE
    past, new = edited(due(job(MINUTELY), MORNING, state="paused", next_at=MORNING + DAY), HOURLY, now)
    assert ranges(past) == [("paused", 11, "09:00:00-09:10:00")]
    assert (new.state, new.next_at, new.next_due_at) == (CursorState.PAUSED, MORNING + DAY, MORNING + HOUR)


def test_a_schedule_that_cannot_be_worked_out_can_still_be_edited_paused_and_deleted() -> None:
    broken = job(Broken(triggers=MINUTELY.triggers))
    stuck = due(broken, MORNING)
    now = MORNING + HOUR
    past = plan_edit(stuck, now)
    assert [(skip.reason, skip.from_at, skip.to_at) for skip in past.skips] == [(SkipReason.EDITED, MORNING, now)]
    assert "ZeroDivisionError: the zone is gone" in past.skips[0].why
    assert first_cursor(job(MINUTELY), now, edited=stuck, past=past).next_due_at == now + MINUTE
    paused = plan_pause(stuck, now)
    assert (paused.state, paused.next_due_at, paused.skips) == (CursorState.PAUSED, MORNING, ())
    assert plan_delete(stuck, now).state == CursorState.DONE


# --------------------------------------------------------------------------------------------------- pause, resume


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_pause_decides_up_to_now_and_stands_still(policy: Misfire) -> None:
    now = MORNING + 5 * MINUTE + SECOND
    paused = plan_pause(due(job(MINUTELY, misfire=policy), MORNING), now)
    accounted(MINUTELY, paused, MORNING, now)
    assert (paused.state, paused.next_at, paused.next_due_at) == (CursorState.PAUSED, None, MORNING + 6 * MINUTE)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("gap", [30 * SECOND, 10 * MINUTE, 30 * DAY])
def test_paused_time_is_one_skip_and_not_caught_up(policy: Misfire, gap: int) -> None:
    now = MORNING + gap
    resumed = plan_resume(due(job(MINUTELY, misfire=policy), MORNING, state="paused"), now)
    assert resumed.runs == ()
    assert [(skip.reason, skip.count, skip.why) for skip in resumed.skips] == [
        ("paused", gap // MINUTE + 1, "the job was paused")
    ]
    accounted(MINUTELY, resumed, MORNING, now)
    assert (resumed.state, resumed.next_due_at) == (CursorState.ACTIVE, MINUTELY.next_after(now))


def test_a_pause_without_an_instant_leaves_no_trace() -> None:
    resumed = plan_resume(due(job(HOURLY), MORNING, state="paused"), MORNING - MINUTE)
    assert (resumed.skips, resumed.next_at, resumed.state) == ((), MORNING, CursorState.ACTIVE)


@pytest.mark.parametrize(
    ("policy", "runs", "skipped"),
    [
        ("latest", ["09:10:00"], 10),
        ("all", [f"09:{m:02}:00+" for m in range(10)] + ["09:10:00"], 0),
        ("skip", ["09:10:00"], 10),
    ],
)
def test_with_catch_up_paused_time_follows_the_misfire_policy(policy: str, runs: list[str], skipped: int) -> None:
    now = MORNING + 10 * MINUTE + 30 * SECOND
    resumed = plan_resume(due(job(MINUTELY, misfire=POLICIES[policy]), MORNING, state="paused"), now, catch_up=True)
    assert times(resumed) == runs
    assert sum(skip.count for skip in resumed.skips) == skipped
    assert all(skip.reason == SkipReason.MISFIRE for skip in resumed.skips)
    accounted(MINUTELY, resumed, MORNING, now)


def test_a_pause_with_an_end_resumes_by_itself() -> None:
    until = MORNING + 10 * MINUTE
    paused = due(job(MINUTELY), MORNING, state="paused", next_at=until)
    assert plan(paused, until - 1)[:2] == ((), ())
    resumed = plan(paused, until)
    assert ranges(resumed) == [("paused", 10, "09:00:00-09:09:00")]
    assert times(resumed) == ["09:10:00"], "the instant of its end is no longer paused"
    assert resumed.state == CursorState.ACTIVE


def test_what_came_after_the_end_of_a_pause_was_missed_not_paused() -> None:
    until, now = MORNING + 10 * MINUTE, MORNING + 20 * MINUTE + 30 * SECOND
    resumed = plan(due(job(MINUTELY), MORNING, state="paused", next_at=until), now)
    assert ranges(resumed) == [("paused", 10, "09:00:00-09:09:00"), ("misfire", 10, "09:10:00-09:19:00")]
    assert times(resumed) == ["09:20:00"]


def test_a_pause_set_until_later_and_a_pause_of_a_paused_job() -> None:
    paused = plan_pause(due(job(HOURLY), MORNING), MORNING - MINUTE, until=MORNING + DAY)
    assert (paused.state, paused.next_at, paused.next_due_at) == (CursorState.PAUSED, MORNING + DAY, MORNING)
    longer = plan_pause(
        due(job(HOURLY), MORNING, state="paused", next_at=MORNING + DAY), MORNING, until=MORNING + 2 * DAY
    )
    assert (longer.next_at, longer.next_due_at, longer.skips) == (MORNING + 2 * DAY, MORNING, ())
    ended = plan_pause(due(job(HOURLY), MORNING, state="paused", next_at=MORNING + HOUR), MORNING + HOUR)
    assert ranges(ended) == [("paused", 1, "09:00:00-09:00:00")]
    assert times(ended) == ["10:00:00"]
    assert ended.state == CursorState.PAUSED


def test_a_schedule_that_ends_while_paused_is_done_when_resumed() -> None:
    schedule = cron("0 * * * *", end_at=MORNING + 3 * HOUR)
    resumed = plan_resume(due(job(schedule), MORNING, state="paused"), MORNING + DAY)
    assert (ranges(resumed), resumed.state) == ([("paused", 3, "09:00:00-11:00:00")], CursorState.DONE)


def test_resuming_what_runs_changes_nothing() -> None:
    running = due(job(HOURLY), MORNING)
    assert plan_resume(running, MORNING + DAY)[:5] == ((), (), "active", MORNING, MORNING)


@pytest.mark.parametrize("schedule", [HOURLY, fixed_delay("1h")])
def test_a_pause_of_a_finished_schedule_is_kept_by_edits_and_ends_with_the_resume(schedule: Schedule) -> None:
    done = due(job(schedule), None, state="done", remaining=0)
    paused = plan_pause(done, MORNING, until=MORNING + DAY)
    assert (paused.state, paused.next_at, paused.next_due_at) == (CursorState.PAUSED, MORNING + DAY, None)
    waiting = carried_on(done, paused)
    edited = first_cursor(job(MINUTELY), MORNING, edited=waiting, past=plan_edit(waiting, MORNING))
    assert (edited.state, edited.next_due_at) == (CursorState.PAUSED, MORNING + MINUTE)
    assert plan_resume(waiting, MORNING + HOUR).state == CursorState.DONE
    assert plan(waiting, MORNING + DAY).state == CursorState.DONE


def test_an_edit_that_ends_the_schedule_of_a_paused_job_keeps_the_pause() -> None:
    paused = due(job(HOURLY), MORNING, state="paused", next_at=MORNING + DAY)
    over = job(cron("0 * * * *", end_at=MORNING - DAY))
    edited = first_cursor(over, MORNING - HOUR, edited=paused, past=plan_edit(paused, MORNING - HOUR))
    assert (edited.state, edited.next_at, edited.next_due_at) == (CursorState.PAUSED, MORNING + DAY, None)


def test_what_a_pause_leaves_undecided_was_missed_not_paused() -> None:
    backlog = due(job(every("1s"), misfire=misfire.all(within="1d")), MORNING)
    now = MORNING + 600 * SECOND
    paused = plan_pause(backlog, now)
    assert [(str(skip.reason), skip.why) for skip in paused.skips] == [
        ("misfire", "missed; not yet decided when the job was paused")
    ]
    accounted(every("1s"), paused, MORNING, now)
    assert plan_resume(carried_on(backlog, paused), now + MINUTE).skips[0].count == 60, "only paused time was paused"


def test_pausing_and_resuming_again_and_again_accounts_for_every_instant() -> None:
    waiting, decided, now = due(job(MINUTELY), MORNING), 0, MORNING
    for n in range(20):
        now += 95 * SECOND
        changed = plan_pause(waiting, now) if n % 2 == 0 else plan_resume(waiting, now)
        decided += len(changed.runs) + sum(skip.count for skip in changed.skips)
        waiting = carried_on(waiting, changed)
    assert decided == MINUTELY.count_between(MORNING - 1, now)


# ---------------------------------------------------------------------------------------------------------- delete


def test_a_deleted_job_starts_nothing_and_says_what_it_left_out() -> None:
    now = MORNING + 5 * MINUTE
    deleted = plan_delete(due(job(MINUTELY), MORNING), now)
    assert deleted.runs == ()
    assert ranges(deleted) == [("edited", 6, "09:00:00-09:05:00")]
    assert deleted.skips[0].why == "not yet decided when the job was deleted"
    assert (deleted.state, deleted.next_at, deleted.next_due_at) == (CursorState.DONE, None, None)


def test_a_deleted_paused_job_was_paused() -> None:
    deleted = plan_delete(due(job(MINUTELY), MORNING, state="paused"), MORNING + MINUTE)
    assert ranges(deleted) == [("paused", 2, "09:00:00-09:01:00")]
    assert deleted.state == CursorState.DONE


# ----------------------------------------------------------------------------------------------------- fixed delay


def test_a_fixed_delay_fires_first_at_the_next_whole_second_or_at_its_start() -> None:
    assert first_cursor(job(fixed_delay("10m")), MORNING + 1).next_due_at == MORNING + SECOND
    later = first_cursor(job(fixed_delay("10m", start_at=MORNING + DAY)), MORNING)
    assert (later.next_at, later.next_due_at) == (MORNING + DAY, MORNING + DAY)
    over = first_cursor(job(fixed_delay("10m", end_at=MORNING)), MORNING)
    assert over.state == CursorState.DONE


def test_a_fire_of_a_fixed_delay_leaves_the_next_to_the_end_of_its_run() -> None:
    decided = plan(due(job(fixed_delay("10m")), MORNING), MORNING + SECOND)
    assert times(decided) == ["09:00:00"]
    assert (decided.state, decided.next_at, decided.next_due_at) == (CursorState.ACTIVE, None, None)


@pytest.mark.parametrize(
    ("say", "loaded", "now", "seen", "skip"),
    [
        ("overlap", job(fixed_delay("10m"), overlap=Overlap.SKIP), MORNING, {"open": 1}, "overlap"),
        ("too late", job(fixed_delay("10m")), MORNING + 2 * HOUR, {}, "misfire"),
        ("late ones left out", job(fixed_delay("10m"), misfire=misfire.skip), MORNING + 2 * MINUTE, {}, "misfire"),
        ("calendar", job(fixed_delay("10m", calendar=lunch())), at("2026-03-02 12:00"), {}, "blackout"),
    ],
)
def test_a_skipped_fire_of_a_fixed_delay_comes_again_after_the_delay(
    say: str, loaded: object, now: int, seen: dict[str, int], skip: str
) -> None:
    first = now if say in {"overlap", "calendar"} else MORNING
    decided = plan(due(loaded, first, **seen), now + 1)  # type: ignore[arg-type]
    assert [(str(one.reason), one.count) for one in decided.skips] == [(skip, 1)]
    assert decided.runs == ()
    assert decided.next_due_at == decided.next_at == now + 10 * MINUTE + SECOND, "whole seconds, never too early"


def test_a_late_fire_of_a_fixed_delay_is_caught_up_once() -> None:
    decided = plan(due(job(fixed_delay("10s")), MORNING), MORNING + 30 * MINUTE)
    assert times(decided) == ["09:00:00+"]
    assert decided.skips == ()


def test_a_fixed_delay_ends_with_its_bounds_and_its_count() -> None:
    last = plan(due(job(fixed_delay("10m", count=1)), MORNING, remaining=1), MORNING)
    assert (times(last), last.state, last.remaining) == (["09:00:00"], CursorState.DONE, 0)
    ending = job(fixed_delay("10m", end_at=MORNING + 5 * MINUTE), overlap=Overlap.SKIP)
    assert plan(due(ending, MORNING, open=1), MORNING).state == CursorState.DONE
    assert plan(due(ending, MORNING + 5 * MINUTE), MORNING + 6 * MINUTE)[:3] == ((), (), CursorState.DONE)


@pytest.mark.parametrize("told_apart", [True, False])
def test_an_edit_leaves_a_fixed_delay_to_the_end_of_its_live_run(told_apart: bool) -> None:
    seen = {"open": 1, "scheduled": 1} if told_apart else {"open": 1}
    before = due(job(fixed_delay("10m")), None, state="active", **seen)  # type: ignore[arg-type]
    new = first_cursor(job(fixed_delay("20m")), MORNING, edited=before, past=plan_edit(before, MORNING))
    assert (new.state, new.next_at, new.next_due_at) == (CursorState.ACTIVE, None, None)


def test_an_edit_of_a_fixed_delay_neither_restarts_it_nor_cuts_it_short() -> None:
    """The last run ended at 08:55, so the next is due 10 minutes later; the edit comes at 09:00."""
    before = due(job(fixed_delay("10m")), MORNING + 5 * MINUTE, open=1, scheduled=0)
    past = plan_edit(before, MORNING)
    for delay, next_due_at in (("10m", 5 * MINUTE), ("20m", 15 * MINUTE), ("1m", 0)):
        new = first_cursor(job(fixed_delay(delay)), MORNING, edited=before, past=past)
        assert new.next_due_at == MORNING + next_due_at


def test_an_edit_that_fires_a_due_fixed_delay_leaves_the_next_to_that_run() -> None:
    before = due(job(fixed_delay("10m")), MORNING)
    past = plan_edit(before, MORNING)
    assert times(past) == ["09:00:00"]
    assert first_cursor(job(fixed_delay("10m")), MORNING, edited=before, past=past).next_at is None


@pytest.mark.parametrize(
    ("first", "seen", "catch_up", "skips", "next_due_at"),
    [
        ("2026-03-02 08:50", {}, False, [("paused", 1, "08:50:00-08:50:00")], MORNING + 10 * MINUTE),
        ("2026-03-02 09:05", {}, False, [], MORNING + 5 * MINUTE),
        (None, {"open": 1}, False, [], None),
        (None, {"open": 1, "scheduled": 0}, False, [], MORNING + 10 * MINUTE),
        (None, {}, True, [], MORNING),
    ],
)
def test_resuming_a_fixed_delay(
    first: str | None, seen: dict[str, int], catch_up: bool, skips: list[object], next_due_at: int | None
) -> None:
    paused = due(job(fixed_delay("10m")), first and at(first), state="paused", **seen)  # type: ignore[arg-type]
    resumed = plan_resume(paused, MORNING, catch_up=catch_up)
    assert ranges(resumed) == skips
    assert (resumed.state, resumed.next_due_at) == (CursorState.ACTIVE, next_due_at)


def test_resuming_a_fixed_delay_with_catch_up_fires_at_once() -> None:
    paused = due(job(fixed_delay("10m")), MORNING - 30 * MINUTE, state="paused")
    resumed = plan_resume(paused, MORNING, catch_up=True)
    assert times(resumed) == ["08:30:00+"]
    assert (resumed.state, resumed.next_at) == (CursorState.ACTIVE, None)
