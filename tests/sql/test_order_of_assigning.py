"""In which order routes are asked about a backlog: by rank, and each lane in its turn."""

import pytest

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.store.sql.leasing import run_kinds, unassigned
from foliot.store.sql.leasing.unassigned import UNASSIGNED
from tests.conformance.building import every, fire, make_due, runs_of, save
from tests.conformance.routing import assign, lease
from tests.conformance.working import JOIN, TICK, Worker, trigger
from tests.sql.asked import Asked
from tests.sql.world import World

STEP = 10
ROUND = {"route": "round"}


async def of_both_lanes(world: World) -> Worker:
    return await Worker(world, slots=100).register(TICK, JOIN)


async def assigned(world: World, job: str) -> int:
    return sum(run.assigned_to is not None for run in await runs_of(world, job))


async def test_routes_are_asked_by_rank_and_not_by_priority_from_the_lowest(world: World) -> None:
    await save(world, "low", place={**ROUND, "priority": 1})
    await save(world, "high", place={**ROUND, "priority": 9})
    await of_both_lanes(world)
    await trigger(world, "low", 3 * STEP)
    await trigger(world, "high", STEP // 2)
    step = await assign(world, limit=STEP)
    assert (step.runs, step.more) == (STEP, True)
    assert await assigned(world, "high") == STEP // 2
    assert await assigned(world, "low") == STEP - STEP // 2


async def test_who_waits_for_longer_than_a_priority_is_worth_goes_first(world: World) -> None:
    await save(world, "low", place={**ROUND, "priority": 1})
    await save(world, "high", place={**ROUND, "priority": 2})
    await trigger(world, "low", STEP)
    await world.elapse(2 * MINUTE)
    await of_both_lanes(world)
    await trigger(world, "high", STEP)
    await assign(world, limit=STEP)
    assert (await assigned(world, "low"), await assigned(world, "high")) == (STEP, 0)


async def test_a_backlog_in_one_lane_keeps_no_route_of_another_waiting(world: World) -> None:
    """Whichever lane was there first."""
    for name, run in (("first", TICK), ("second", JOIN)):
        await save(world, name, run=run, place=ROUND)
    await of_both_lanes(world)
    await trigger(world, "first", 3 * STEP)
    await trigger(world, "second", 2)
    await assign(world, limit=STEP)
    assert (await assigned(world, "first"), await assigned(world, "second")) == (STEP - 2, 2)
    await trigger(world, "second", 3 * STEP)
    await assign(world, limit=STEP)
    assert (await assigned(world, "first"), await assigned(world, "second")) == (STEP - 2 + STEP // 2, 2 + STEP // 2)


async def test_full_lanes_keep_no_lane_behind_them_waiting(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few kinds of run one look sees."""
    monkeypatch.setattr(run_kinds, "KINDS_MAX", 1)
    handlers = [f"python:jobs:n{n}" for n in range(5)]
    for n, handler in enumerate(handlers):
        limits = {"concurrency": {"db": 1}} if n < 4 else {}
        await save(world, f"job{n}", run=handler, place={**ROUND, **limits})
    anne = await Worker(world, slots=100).register(*handlers)
    await trigger(world, "job0")
    await assign(world)
    assert len(await lease(anne)) == 1
    for n in range(5):
        await trigger(world, f"job{n}")
    await assign(world)
    assert [await assigned(world, f"job{n}") for n in range(1, 5)] == [0, 0, 0, 1]


async def waiting_in_lanes(world: World, n: int) -> None:
    """A run in each of so many routed lanes, and a worker that fits them all."""
    handlers = [f"python:jobs:n{number}" for number in range(n)]
    for number, handler in enumerate(handlers):
        await save(world, f"job{number}", run=handler, place=ROUND)
    await Worker(world, slots=100).register(*handlers)
    for number in range(n):
        await trigger(world, f"job{number}")


async def only_the_last_is_due(world: World) -> None:
    """The run of the last lane; the others start in an hour."""
    last = await world.value("SELECT max(lane) FROM runs")
    await world.change("UPDATE runs SET not_before = not_before + :later WHERE lane < :lane", later=HOUR, lane=last)


async def test_a_step_looks_at_a_bounded_number_of_kinds_where_each_is_a_statement(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unassigned, "KINDS_AT_ONCE", 5)
    await waiting_in_lanes(world, 12)
    asked = Asked(monkeypatch)
    got = 0
    while (step := await assign(world)).runs:
        got += step.runs
        assert asked.times[UNASSIGNED.each] <= 5
        assert asked.times[run_kinds.PRESENT_NEXT] <= 11
        asked.forget()
    assert got == 12


async def test_kinds_of_which_nothing_is_due_keep_no_other_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unassigned, "KINDS_AT_ONCE", 2)
    await waiting_in_lanes(world, 6)
    await only_the_last_is_due(world)
    assert (await assign(world)).runs == 1


async def test_a_step_that_found_nothing_due_is_followed_by_the_kinds_behind_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk stops behind what was looked at, so none is passed over."""
    monkeypatch.setattr(unassigned, "KINDS_AT_ONCE", 1)
    await waiting_in_lanes(world, unassigned.WALKS_MAX + 1)
    await only_the_last_is_due(world)
    steps = [(await assign(world)).runs for _ in range(2)]
    assert sum(steps) == 1


async def test_a_backlog_beside_others_is_not_read_deeper_when_there_is_enough_to_do(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers = [f"python:jobs:n{n}" for n in range(4)]
    for n, handler in enumerate(handlers):
        await save(world, f"job{n}", run=handler, place=ROUND)
    await Worker(world, slots=100).register(*handlers)
    for n in range(4):
        await trigger(world, f"job{n}", 3 * STEP if n == 0 else 1)
    asked = Asked(monkeypatch)
    first = await assign(world, limit=STEP)
    assert first.more
    assert first.runs >= STEP // 2
    assert asked.times[UNASSIGNED.each] <= len(handlers)
    while (await assign(world, limit=STEP)).more:
        pass
    assert await assigned(world, "job0") == 3 * STEP


async def test_every_run_of_a_backlog_is_decided_in_the_end(world: World) -> None:
    for priority in range(1, 11):
        await save(world, f"tick{priority}", place={**ROUND, "priority": priority})
    anne = await of_both_lanes(world)
    for priority in range(1, 11):
        await trigger(world, f"tick{priority}", 4 * STEP if priority == 5 else 1)
    got = steps = 0
    while (step := await assign(world, limit=STEP)).runs:
        got += step.runs
        steps += 1
    assert not step.more
    assert got == 4 * STEP + 9 == len(await lease(anne, 100))
    assert steps <= 6, "a kind with few runs takes no part of those with many"


async def test_catching_up_leaves_half_of_a_step_to_what_is_on_time(world: World) -> None:
    old = await every(world, "old", "10s", misfire={"all": "1h"}, overlap="allow", place=ROUND)
    await save(world, "fresh", place=ROUND)
    await make_due(world, old, late_us=400 * SECOND)
    await fire(world)
    await of_both_lanes(world)
    await world.elapse(5 * SECOND)
    missed = [run for run in await runs_of(world, "old") if run.catch_up]
    assert len(missed) > 2 * STEP
    await trigger(world, "fresh", STEP)
    await assign(world, limit=STEP)
    got = [run for name in ("old", "fresh") for run in await runs_of(world, name) if run.assigned_to is not None]
    assert len(got) == STEP
    assert 1 <= sum(run.catch_up for run in got) <= STEP // 2, "and it goes on"


async def test_late_work_of_a_worker_leaves_its_slots_to_what_is_on_time(world: World) -> None:
    """It was assigned first, and was due first."""
    old = await every(world, "old", "10s", misfire={"all": "1h"}, overlap="allow", place={"route": "first"})
    await save(world, "fresh", place={"route": "first"})
    await make_due(world, old, late_us=400 * SECOND)
    await fire(world)
    anne = await of_both_lanes(world)
    await assign(world)
    late = {run.run_id for run in await runs_of(world, "old") if run.catch_up}
    await world.elapse(5 * SECOND)
    fresh = {*await trigger(world, "fresh", 8)}
    await assign(world)
    got: list[set[int]] = []
    for _ in range(6):
        got.append({*await lease(anne, 4)})
        await anne.beat()
    assert fresh <= set().union(*got), (got, fresh)
    assert late & set().union(*got), "and late work goes on"
