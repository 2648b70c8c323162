"""The end of a schedule: its last instant, and a count that runs use up."""

from foliot.domain.fire import CursorState
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.plans import plan
from foliot.domain.policies import misfire
from foliot.domain.policies.overlap import Overlap
from tests.unit.planning.situations import (
    MINUTELY,
    MORNING,
    at,
    carried_on,
    cron,
    due,
    job,
    missed,
    once,
    overlapped,
    ranges,
    times,
    weekdays,
)


def test_after_the_last_instant_the_schedule_is_done() -> None:
    decided = plan(due(job(once(MORNING)), at(MORNING)), at(MORNING) + SECOND)
    assert times(decided) == ["09:00:00"]
    assert (decided.state, decided.next_at, decided.next_due_at) == (CursorState.DONE, None, None)


def test_a_one_off_that_was_missed_still_follows_the_policy() -> None:
    late = plan(due(job(once(MORNING)), at(MORNING)), at(MORNING) + 30 * MINUTE)
    assert times(late) == ["09:00:00+"]
    too_late = plan(due(job(once(MORNING)), at(MORNING)), at(MORNING) + 2 * HOUR)
    assert ranges(too_late) == [missed(1, "09:00:00-09:00:00")]
    assert too_late.state == CursorState.DONE


def test_an_end_that_the_calendar_rules_out_is_still_decided() -> None:
    """A schedule that ends on a Sunday: its weekend is recorded when it is over, not forgotten."""
    schedule = cron("0 9 * * *", calendar=weekdays(), end_at=at("2026-03-02 00:00"))
    friday = due(job(schedule), at("2026-02-27 09:00"))
    decided = plan(friday, at("2026-02-27 09:00"))
    assert decided.next_at == at("2026-03-01 09:00")
    ended = plan(carried_on(friday, decided), at("2026-03-01 09:00"))
    assert ranges(ended) == [("calendar", 2, "09:00:00-09:00:00")]
    assert ended.state == CursorState.DONE


def test_a_count_is_used_up_by_runs_not_by_skips() -> None:
    schedule = cron("* * * * *", count=3)
    busy = plan(due(job(schedule, overlap=Overlap.SKIP), at(MORNING), remaining=3, open=1), at(MORNING))
    assert (ranges(busy), busy.remaining, busy.state) == ([overlapped(1, "09:00:00-09:00:00")], 3, CursorState.ACTIVE)
    free = plan(due(job(schedule, overlap=Overlap.SKIP), at(MORNING), remaining=3), at(MORNING))
    assert (times(free), free.remaining, free.state) == (["09:00:00"], 2, CursorState.ACTIVE)


def test_the_last_of_a_count_ends_the_schedule_also_in_the_middle_of_a_stretch() -> None:
    decided = plan(
        due(job(cron("* * * * *", count=3), misfire=misfire.all()), at(MORNING), remaining=2), at(MORNING) + 10 * MINUTE
    )
    assert times(decided) == ["09:00:00+", "09:01:00+"]
    assert decided.skips == ()
    assert (decided.state, decided.next_at, decided.next_due_at, decided.remaining) == (CursorState.DONE, None, None, 0)


def test_a_count_that_is_used_up_starts_nothing() -> None:
    decided = plan(due(job(MINUTELY), at(MORNING), remaining=0), at(MORNING))
    assert (decided.runs, decided.skips, decided.state) == ((), (), CursorState.DONE)
