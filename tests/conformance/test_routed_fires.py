"""Routes are asked in the transaction of a fire: the run is assigned from its first moment on."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from foliot.domain.health import USUAL_RULES
from foliot.domain.routing import FittingWorker, Ready, Routed
from foliot.ports.store import Store
from foliot.ports.store.assignment import Routing
from foliot.ports.store.firing import Decided
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.lookups import RunRow
from tests.conformance.building import every, fire, job_of, make_due, runs_of
from tests.conformance.routing import ASK, assign, lease, team
from tests.conformance.working import trigger
from tests.conformance.world import World

ROUTING = Routing(ASK, USUAL_RULES)


async def fire_routed(world: World, store: Store | None = None, **how: Any) -> Decided:
    """Decide what is due, and ask the routes at once."""
    return await fire(world, store, routing=ROUTING, **how)


async def come_due(world: World, *names: str) -> None:
    """Let the next instant of these jobs come; they fire every second, so workers live on."""
    await make_due(world, *[await job_of(world, name) for name in names])


async def each_second(world: World, name: str = "tick", **document: Any) -> None:
    """A job that fires every second."""
    await every(world, name, "1s", **document)


async def the_run_of(world: World, name: str) -> RunRow:
    (run,) = await runs_of(world, name)
    return run


async def test_a_fire_is_meant_for_the_worker_that_its_route_names_and_only_that_one_gets_it(world: World) -> None:
    await each_second(world, place={"route": "last"})
    anne, bert = await team(world, 2)
    await come_due(world, "tick")
    decided = await fire_routed(world)
    assert (decided.taken, decided.created, decided.duplicates, len(decided.lateness_us)) == (1, 1, 0, 1)
    run = await the_run_of(world, "tick")
    assert (run.state, run.assigned_to) == ("PENDING", bert.session)
    assert run.assigned_until is not None
    assert (await assign(world)).runs == 0, "nothing waits for its route"
    assert await lease(anne) == []
    assert await lease(bert) == [run.run_id]


async def test_a_job_without_a_route_fires_beside_one_that_has_one(world: World) -> None:
    await each_second(world, "routed", place={"route": "first"})
    await each_second(world, "plain")
    anne, bert = await team(world, 2)
    await come_due(world, "routed", "plain")
    assert (await fire_routed(world)).created == 2
    assert (await the_run_of(world, "routed")).assigned_to == anne.session
    assert (await the_run_of(world, "plain")).assigned_to is None
    assert len(await lease(bert)) == 1


async def test_turns_are_exact_over_fires_and_triggers_whoever_asks_the_route(world: World) -> None:
    await each_second(world, place={"route": "round"}, overlap="allow")
    other = await world.open()
    workers = await team(world, 3)
    for number in range(6):
        await come_due(world, "tick")
        await fire_routed(world, other if number % 2 else None)
        if number == 3:
            await trigger(world)
        await assign(world)
    told = Counter(run.assigned_to for run in await runs_of(world))
    assert sorted(told.values()) == [2, 2, 3]
    assert told.keys() == {one.session for one in workers}


async def test_what_nobody_fits_waits_for_its_route_until_workers_ask(world: World) -> None:
    await each_second(world, place={"route": "first"})
    await come_due(world, "tick")
    assert (await fire_routed(world)).created == 1
    assert (await the_run_of(world, "tick")).assigned_to is None
    (anne,) = await team(world, 1)
    assert (await assign(world)).runs == 1
    assert len(await lease(anne)) == 1


async def test_a_fire_behind_a_live_run_of_its_job_is_not_assigned_before_its_turn(world: World) -> None:
    await each_second(world, place={"route": "first"}, overlap="queue_all")
    await team(world, 1)
    for _ in range(2):
        await come_due(world, "tick")
        await fire_routed(world)
    first, second = sorted(await runs_of(world), key=lambda run: run.run_id)
    assert first.assigned_to is not None
    assert second.assigned_to is None


async def test_full_lanes_get_no_more_assigned_runs_by_fires(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.store.sql.leasing.full_lanes.ENOUGH", 1)
    monkeypatch.setattr("foliot.store.sql.leasing.full_lanes.MOST", 1)
    monkeypatch.setattr("foliot.store.sql.leasing.full_lanes.MOST_PER_SLOT", 0)
    for name in ("j0", "j1"):
        await every(world, name, "1h", place={"route": "first"})
    await make_due(world, await job_of(world, "j0"), await job_of(world, "j1"))
    await team(world, 1)
    for _ in range(2):
        await fire_routed(world, limit=1)
    runs = [await the_run_of(world, f"j{number}") for number in range(2)]
    assert [run.assigned_to is not None for run in runs] == [True, False]


async def test_a_fire_that_its_limit_keeps_from_starting_is_meant_for_nobody_yet(world: World) -> None:
    for name in ("j0", "j1"):
        await every(world, name, "1h", place={"route": "first", "concurrency": {"db": 1}})
    await make_due(world, await job_of(world, "j0"), await job_of(world, "j1"))
    (anne,) = await team(world, 1)
    await fire_routed(world)
    runs = [await the_run_of(world, f"j{number}") for number in range(2)]
    assert sorted(run.assigned_to is not None for run in runs) == [False, True]
    assert len(await lease(anne)) == 1
    assert (await assign(world)).runs == 0


async def test_of_heavy_fires_one_of_a_lane_waits_for_what_comes_free(world: World) -> None:
    """The routes of the others decide when they may start."""
    heavy: dict[str, Any] = {"route": "first", "concurrency": {"db": 2}, "takes": {"db": 2}}
    (anne,) = await team(world, 1)
    for together in (["j0"], ["j1", "j2"], ["j3"]):
        for name in together:
            await each_second(world, name, place={**heavy, "priority": int(name[1]) + 1})
        await come_due(world, *together)
        await fire_routed(world)
        if together == ["j0"]:
            assert len(await lease(anne)) == 1
    runs = [await the_run_of(world, f"j{number}") for number in range(1, 4)]
    assert sum(run.assigned_to is not None for run in runs) == 1
    assert (await assign(world)).runs == 0


async def test_sharded_and_broadcast_fires_go_on_as_before(world: World) -> None:
    await each_second(world, "sharded", place={"route": "first"}, shards=2)
    await each_second(world, "broadcast", shards="each_worker")
    await team(world, 2)
    await come_due(world, "sharded", "broadcast")
    assert (await fire_routed(world)).created >= 2
    (whole,) = await runs_of(world, "broadcast")
    assert (whole.state, whole.assigned_to) == ("PENDING", None)


async def test_a_route_finds_what_it_kept_at_the_fire_before(world: World) -> None:
    await each_second(world, place={"route": "sticky"}, overlap="allow")
    await team(world, 2)
    for _ in range(3):
        await come_due(world, "tick")
        await fire_routed(world)
    told = [run.assigned_to for run in await runs_of(world)]
    assert (len(told), len({*told})) == (3, 1), "the same worker while it lives"


async def test_a_move_by_load_in_a_fire_is_in_the_journal_once_with_both_scores(world: World) -> None:
    await each_second(world, place={"route": "least_load"}, overlap="allow")
    other = await world.open()
    anne, bert = await team(world, 2)
    told: list[str | None] = []
    for store, of_anne, of_bert in ((None, 0.2, 0.8), (other, 0.9, 0.3), (None, 0.9, 0.3)):
        await anne.beat(load={"cpu": of_anne, "memory": of_anne})
        await bert.beat(load={"cpu": of_bert, "memory": of_bert})
        await come_due(world, "tick")
        assert (await fire_routed(world, store)).created == 1
        told = [run.assigned_to for run in await runs_of(world)]
    assert told == [anne.session, bert.session, bert.session], "it stays where it moved to"
    found = (await world.store.journal.newest(EventFilter(subject="tick"), limit=9)).items
    (event,) = [one for one in found if one.kind == "job.moved"]
    assert event.by == "least_load"
    assert event.data == {"from": anne.name, "to": bert.name, "score_from": 0.9, "score_to": 0.3}


async def test_a_fire_does_not_fail_for_its_route(world: World) -> None:
    await each_second(world, "a", place={"route": "first"})
    await each_second(world, "b", place={"route": "last"})
    anne, bert = await team(world, 2)
    await come_due(world, "a", "b")

    def breaks(name: str, ready: Ready, candidates: Sequence[FittingWorker], /) -> Routed:
        if name == "first":
            raise RuntimeError("broken")
        return ASK(name, ready, candidates)

    assert (await fire(world, routing=Routing(breaks, USUAL_RULES))).created == 2
    assert (await the_run_of(world, "a")).assigned_to is None
    assert (await the_run_of(world, "b")).assigned_to == bert.session
    assert (await assign(world)).sessions == {anne.session}
