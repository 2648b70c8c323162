"""A worker dies or is overloaded: what waits for it is routed to others, and so is what a dead one was executing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.routing import consistent_hash
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.building import save
from tests.conformance.routing import assign, lease, routed_poll, team
from tests.conformance.working import BEAT_EVERY_US, Worker, attempts_of, lead, run_of, trigger
from tests.conformance.world import World


async def let_wait(world: World, workers: Sequence[Worker]) -> None:
    """These live on and take nothing: the time of what is meant for them passes."""
    for _ in range(4):
        await world.elapse(8 * SECOND)
        for one in workers:
            await one.beat()


async def silence(world: World, *others: Worker) -> None:
    """Everyone but these falls silent for longer than a session lives. So does a leader: its term is over, too."""
    for _ in range(3):
        await world.elapse(SESSION_TTL_US // 2)
        for one in others:
            await one.beat()


async def test_the_run_of_a_reaped_worker_and_what_waited_for_it_are_routed_again(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert, cleo = await team(world, 3)
    executed, waits = await trigger(world, n=2)
    await assign(world)
    granted = await world.store.runs.lease([await routed_poll(anne, 1)], limit=1)
    (run,) = granted.grants[0].runs
    assert run.run_id == executed
    await anne.beat(run)
    await silence(world, bert, cleo)
    term = await lead(world)
    assert await world.store.runs.reap(judge, limit=10, term=term) == 1
    back = await run_of(world, executed)
    assert (back.state, back.deaths, back.assigned_to) == ("PENDING", 1, None)
    assigned = await assign(world, again=True)
    assert assigned.runs == 2
    assert assigned.sessions == {bert.session}
    assert await lease(bert) == [waits], "a run that a worker died of is leased alone"
    assert await lease(bert) == [executed]
    assert await lease(cleo) == []
    assert [attempt.cause for attempt in await attempts_of(world, executed)] == ["lost"]


async def test_before_it_is_reaped_only_what_waits_is_routed_again(world: World) -> None:
    """What it executes may still be going on: that is the leader's to say."""
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    executed, waits = await trigger(world, n=2)
    await assign(world)
    assert await lease(anne, 1) == [executed]
    await silence(world, bert)
    assert (await assign(world, again=True)).sessions == {bert.session}
    assert await lease(bert) == [waits]
    assert (await run_of(world, executed)).state == "RUNNING"


async def test_a_key_moves_from_a_dead_worker_and_stays_where_it_went(world: World) -> None:
    await save(world, "tick", place={"route": {"name": "sticky", "by": "film"}})
    workers = {one.session: one for one in await team(world, 3)}
    film = '{"film": "solaris"}'
    await trigger(world, params=film)
    (home,) = (await assign(world)).sessions
    dead = workers.pop(home)
    (first,) = await lease(dead)
    await silence(world, *workers.values())
    term = await lead(world)
    await world.store.runs.reap(judge, limit=10, term=term)
    (second,) = (await assign(world, again=True)).sessions
    assert second in workers
    assert await lease(workers[second]) == [first]
    anew = await Worker(world).register()
    await trigger(world, params=film)
    assert (await assign(world)).sessions == {second}, f"not {anew.name}, which came meanwhile"


class CountedRing(consistent_hash._Ring):
    """A ring, and how many there are."""

    made: ClassVar[Counter[int]] = Counter()  # by the number of workers

    def __init__(self, names: Sequence[str]) -> None:
        self.made[len(names)] += 1
        super().__init__(names)


async def test_keys_are_routed_again_round_the_ring_of_all_workers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ring without each worker that let its runs wait would be as many rings as there are workers."""
    monkeypatch.setattr(consistent_hash, "_Ring", CountedRing)
    monkeypatch.setattr(CountedRing, "made", Counter())
    await save(world, "tick", place={"route": {"name": "consistent_hash", "by": "key"}})
    workers = await team(world, 12)
    runs = [run_id for key in range(48) for run_id in await trigger(world, params=f'{{"key": {key}}}')]
    before = await assign(world)
    homes = {run_id: (await run_of(world, run_id)).assigned_to for run_id in runs}
    assert len(before.sessions) > 6
    await let_wait(world, workers)
    assert (await assign(world, again=True)).runs == len(runs)
    for run_id, home in homes.items():
        assert (await run_of(world, run_id)).assigned_to not in {home, None}
    assert CountedRing.made.keys() <= {12}


async def test_a_step_asks_routes_only_so_often_and_the_next_one_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.store.sql.leasing.route_step.WORK_MAX", 10)
    for number in range(7):
        await save(world, f"tick-{number}", place={"route": "round"})
    workers = await team(world, 4)
    for number in range(7):
        await trigger(world, f"tick-{number}", 3)
    steps = [await assign(world) for _ in range(5)]
    assert [step.runs for step in steps] == [6, 6, 6, 3, 0], "ten are two jobs with four workers"
    assert [step.more for step in steps] == [True, True, True, False, False]
    monkeypatch.setattr("foliot.store.sql.leasing.route_step.WORK_MAX", 1)
    await let_wait(world, workers)
    again = [await assign(world, again=not at) for at in range(29)]
    assert all(step.runs for step in again if step.more), "every step decides something"
    assert sum(step.runs for step in again) == 21
    assert not again[-1].more


async def test_a_worker_that_comes_back_under_a_new_session_gets_its_turn(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await assign(world)
    await silence(world, bert)
    term = await lead(world)
    await world.store.runs.reap(judge, limit=10, term=term)
    again = Worker(world)
    again.name = anne.name
    await again.register()
    await world.elapse(SECOND)
    assert (await assign(world, again=True)).sessions == {again.session}, "it is the first by name again"
    assert await lease(again) == [run_id]


async def test_what_an_overloaded_worker_leaves_waiting_goes_to_another(world: World) -> None:
    """It is short of memory, so it gets half of its slots. What it cannot take in time is meant for somebody else."""
    await save(world, "tick", place={"route": "first"})
    anne, bert = await team(world, 2)
    waiting = await trigger(world, n=8)
    assert (await assign(world)).sessions == {anne.session}, "all were meant for it while it was well"
    for _ in range(3):
        await world.elapse(BEAT_EVERY_US)
        await bert.beat()
        answer = await anne.beat(load={"cpu": 0.2, "memory": 0.97})
    assert (answer.health, answer.slots) == ("WARNING", 4)
    poll = replace(await routed_poll(anne, 8), free_in_warning=answer.slots)
    (grant,) = (await world.store.runs.lease([poll], limit=100)).grants
    assert [run.run_id for run in grant.runs] == waiting[:4]
    assert await lease(bert) == [], "they are still the other's"
    for _ in range(6):
        await world.elapse(BEAT_EVERY_US)
        await bert.beat()
        await anne.beat(*grant.runs, load={"cpu": 0.2, "memory": 0.97})
    again = await assign(world, again=True)
    assert again.runs == 4
    assert again.sessions == {bert.session}
    assert await lease(bert) == waiting[4:]


async def test_a_new_run_is_meant_for_one_that_is_well(world: World) -> None:
    await save(world, "tick", place={"route": "failover"})
    anne, bert = await team(world, 2)
    for _ in range(3):
        await world.elapse(BEAT_EVERY_US)
        await bert.beat()
        await anne.beat(load={"cpu": 0.2, "memory": 0.97})
    (run_id,) = await trigger(world)
    assert (await assign(world)).sessions == {bert.session}
    assert await lease(bert) == [run_id]
