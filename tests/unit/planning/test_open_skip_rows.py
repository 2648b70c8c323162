"""Open skip rows: a skip that goes on extends its row; a run or another reason closes it."""

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.plans import plan
from foliot.domain.policies.overlap import Overlap
from tests.unit.planning.situations import (
    HOURLY,
    MINUTELY,
    MORNING,
    at,
    carried_on,
    due,
    every,
    job,
)


def test_a_skip_that_goes_on_extends_the_open_row() -> None:
    loaded = job(MINUTELY, overlap=Overlap.SKIP)
    minute = due(loaded, at(MORNING), open=1)
    extends = []
    for n in range(4):
        decided = plan(minute, at(MORNING) + n * MINUTE)
        extends.append(decided.skips[0].extends)
        minute = carried_on(minute, decided, open=1)
        assert (minute.cursor.skip_from, minute.cursor.skip_reason) == (at(MORNING), "overlap")
    assert extends == [False, True, True, True]


def test_a_run_closes_the_open_row() -> None:
    loaded = job(MINUTELY, overlap=Overlap.SKIP)
    busy = due(loaded, at(MORNING), open=1)
    free = carried_on(busy, plan(busy, at(MORNING)))
    ran = carried_on(free, plan(free, at(MORNING) + MINUTE), open=1)
    assert (ran.cursor.skip_from, ran.cursor.skip_reason) == (None, None)
    assert not plan(ran, at(MORNING) + 2 * MINUTE).skips[0].extends


def test_a_skip_behind_a_run_of_the_same_plan_is_a_row_of_its_own() -> None:
    loaded = job(every("1s"), overlap=Overlap.SKIP)
    before = due(loaded, at(MORNING), skip_from=at(MORNING) - HOUR, skip_reason="overlap")
    decided = plan(before, at(MORNING) + 2 * SECOND)
    assert [(len(decided.runs), skip.extends) for skip in decided.skips] == [(1, False)]
    assert carried_on(before, decided).cursor.skip_from == at(MORNING) + SECOND


def test_a_skip_that_a_run_of_the_same_plan_follows_is_closed() -> None:
    before = due(job(HOURLY), at(MORNING))
    after = carried_on(before, plan(before, at("2026-03-02 11:30")))
    assert (after.cursor.skip_from, after.cursor.skip_reason) == (None, None)


def test_another_reason_opens_a_row_of_its_own() -> None:
    missed_before = due(job(MINUTELY, overlap=Overlap.SKIP), at(MORNING), skip_from=1, skip_reason="misfire", open=1)
    decided = plan(missed_before, at(MORNING))
    assert [skip.extends for skip in decided.skips] == [False]
    assert carried_on(missed_before, decided).cursor.skip_from == at(MORNING)


def test_nothing_decided_leaves_the_open_row_as_it_is() -> None:
    idle = due(job(MINUTELY), at(MORNING), skip_from=5, skip_reason="overlap")
    after = carried_on(idle, plan(idle, at(MORNING) - 1))
    assert (after.cursor.skip_from, after.cursor.skip_reason) == (5, "overlap")
