"""Routes on a server: what an installed package brings arrives at the planner."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import MINUTE
from foliot.domain.planner import Planner
from foliot.domain.routing import ROUTES, FittingWorker, Ready, Routed
from foliot.engine.lane_book import LaneBook
from foliot.engine.leasing import Leasing
from foliot.engine.pulse import Tide
from foliot.ports.store.assignment import Assigned
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.runs import RunStore
from foliot.ports.worker_link import HandlerOffer, Hello, Leased, LeasePoll
from tests.clocks import DrivenClock, settle
from tests.conformance.building import save
from tests.conformance.routing import ASK, team
from tests.conformance.working import Worker, trigger
from tests.installing import make_package
from tests.sql.world import CHANCE, World


def last_by_name(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """A route as a package would bring it."""
    last = max(candidates, key=lambda candidate: candidate.name)
    return Routed([last.session] * len(ready.fire_keys), f"last {last.name}")


async def test_a_route_of_an_installed_package_arrives_at_the_planner(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = make_package(
        tmp_path, group="foliot.routes", name="last_by_name", target="tests.engine.test_routes:last_by_name"
    )
    monkeypatch.syspath_prepend(str(packages))
    settings = ServerSettings(store_url=world.url, node_name="s1")
    planner = Server(settings, world.store, clock=SystemClock(), chance=CHANCE).services.plans
    assert isinstance(planner, Planner)
    assert {*planner.routes.names()} == {*ROUTES, "last_by_name"}
    candidates = [FittingWorker("s-b", "bert", 1), FittingWorker("s-a", "anne", 1)]
    ready = Ready(job_id=1, fire_keys=("s:1",), state=None)
    assert planner.route("last_by_name", ready, candidates) == Routed(["s-b"], "last bert")


async def test_leasing_asks_routes_first_and_gives_a_run_only_to_the_worker_that_is_named(world: World) -> None:
    await save(world, "tick", place={"route": "last"})
    anne, bert = await team(world, 2)
    clock = DrivenClock()
    tide = Tide(clock)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    told: list[str] = []
    leasing = Leasing(
        world.store.runs,
        LaneBook(world.store.jobs),
        tide,
        clock=clock,
        on_granted=lambda _: None,
        ask_route=ASK,
        on_assigned=lambda: told.append("others"),
    )
    of_anne = ask(leasing, anne)
    await settle()
    (run_id,) = await trigger(world)
    leasing.hint()
    await leasing.step()
    assert told == ["others"], "the worker that is meant asks another server"
    of_bert = ask(leasing, bert)
    await settle()
    await leasing.step()
    assert [run.run_id for run in (await of_bert).runs] == [run_id]
    assert not of_anne.done()
    leasing.stop()
    assert (await of_anne).runs == ()


async def test_a_clock_in_doubt_keeps_no_run_from_its_worker_that_is_due_all_the_same(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    (anne,) = await team(world, 1)
    clock = DrivenClock()
    tide = Tide(clock)
    (run_id,) = await trigger(world)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    now = await world.now()
    leasing = Leasing(
        world.store.runs,
        LaneBook(world.store.jobs),
        tide,
        clock=clock,
        on_granted=lambda _: None,
        doubt=lambda: ClockDoubt(believed=now + MINUTE, good_until=now + MINUTE, landed=now + MINUTE),
        ask_route=ASK,
    )
    answer = ask(leasing, anne)
    await settle()
    await leasing.step()
    leasing.stop()
    assert [run.run_id for run in (await answer).runs] == [run_id]


class CountedAssigning:
    """A store of runs that counts how often a server assigns."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs
        self.steps = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)

    async def assign(self, *args: Any, **how: Any) -> Assigned:
        self.steps += 1
        return await self._runs.assign(*args, **how)


async def test_a_server_assigns_only_when_some_worker_asks_it_that_serves_a_lane_with_a_route(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    await save(world, "plain", run="python:jobs:plain")
    anne, bert = await team(world, 2)
    clock = DrivenClock()
    tide = Tide(clock)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    runs = CountedAssigning(world.store.runs)
    leasing = Leasing(
        cast("RunStore", runs), LaneBook(world.store.jobs), tide, clock=clock, on_granted=lambda _: None, ask_route=ASK
    )
    of_anne = ask(leasing, anne, "python:jobs:plain")
    await settle()
    await leasing.step()
    assert runs.steps == 0
    of_bert = ask(leasing, bert)
    await settle()
    await clock.advance(1)
    await leasing.step()
    assert runs.steps == 1
    leasing.stop()
    await asyncio.gather(of_anne, of_bert)


class FewAtATime(CountedAssigning):
    """A store of runs that assigns two with a step."""

    async def assign(self, *args: Any, **how: Any) -> Assigned:
        return await super().assign(*args, **{**how, "limit": 2})


async def test_in_a_crowd_no_rest_comes_between_two_steps_of_assigning(world: World) -> None:
    await save(world, "tick", place={"route": "first"})
    (anne,) = await team(world, 1)
    wanted = await trigger(world, n=6)
    clock = SystemClock()
    tide = Tide(clock)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    runs = cast("RunStore", FewAtATime(world.store.runs))
    leasing = Leasing(runs, LaneBook(world.store.jobs), tide, clock=clock, on_granted=lambda _: None, ask_route=ASK)
    leased: list[int] = []
    for _ in range(3):
        answer = ask(leasing, anne)
        await settle()
        await leasing.step()
        await settle()
        assert answer.done(), "it rested"
        leased += [run.run_id for run in answer.result().runs]
    assert sorted(leased) == sorted(wanted)


async def test_no_rest_comes_after_a_lease_of_many_runs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.engine.leasing.MANY_RUNS", 2)
    await save(world, "tick")
    (anne,) = await team(world, 1)
    clock = SystemClock()
    tide = Tide(clock)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    leasing = Leasing(world.store.runs, LaneBook(world.store.jobs), tide, clock=clock, on_granted=lambda _: None)
    for _ in range(3):
        wanted = await trigger(world, n=2)
        answer = ask(leasing, anne)
        await settle()
        await leasing.step()
        await settle()
        assert answer.done(), "it rested"
        assert [run.run_id for run in answer.result().runs] == wanted


class FailingAssigning(CountedAssigning):
    """A store of runs in which nobody can assign."""

    trouble: Exception

    async def assign(self, *args: Any, **how: Any) -> Assigned:
        del args, how
        self.steps += 1
        raise self.trouble


@pytest.mark.parametrize("trouble", [StoreBusy("busy"), StoreUnavailable("its transaction was ended"), ValueError()])
async def test_assigning_that_fails_keeps_no_worker_from_runs_without_a_route(world: World, trouble: Exception) -> None:
    await save(world, "tick", place={"route": "first"})
    await save(world, "plain", run="python:jobs:plain")
    anne, bert = await team(world, 2)
    await trigger(world)
    (plain,) = await trigger(world, "plain")
    clock = DrivenClock()
    tide = Tide(clock)
    tide.learn(await world.store.firing.pulse(), seen_at=clock.monotonic())
    runs = FailingAssigning(world.store.runs)
    runs.trouble = trouble
    leasing = Leasing(
        cast("RunStore", runs), LaneBook(world.store.jobs), tide, clock=clock, on_granted=lambda _: None, ask_route=ASK
    )
    of_anne, of_bert = ask(leasing, anne, "python:jobs:plain"), ask(leasing, bert)
    await settle()
    await leasing.step()
    assert runs.steps == 1
    assert [run.run_id for run in (await of_anne).runs] == [plain]
    leasing.stop()
    assert (await of_bert).runs == ()


def ask(leasing: Leasing, worker: Worker, offer: str = "python:jobs:tick") -> "asyncio.Task[Leased]":
    """A worker's poll, parked at the server."""
    offers = (HandlerOffer(name=offer),)
    leasing.introduce(
        Hello(session=worker.session, name=worker.name, group="default", slots=8, handlers=offers, labels={"zone": "a"})
    )
    poll = LeasePoll(session=worker.session, settled=0, request_no=1, free=8, wait_us=20_000_000)
    return asyncio.create_task(leasing.ask(poll))
