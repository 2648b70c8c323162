"""Runs that a route meant for a worker keep to the turns of namespaces (L5) and to the half of catch-up (R10)."""

from typing import Any

from foliot.domain.instants import SECOND
from tests.conformance.building import every, fire, make_due, put_in, runs_of, save
from tests.conformance.routing import assign, lease
from tests.conformance.working import trigger, trigger_in, worker
from tests.conformance.world import World

ROUTED: dict[str, Any] = {"place": {"route": "round"}}


async def test_a_routed_backlog_of_one_namespace_delays_no_other(world: World) -> None:
    await put_in(world, "pay", **ROUTED)
    await put_in(world, "toys")
    anne = await worker(world)
    await trigger_in(world, "pay", 40)
    (small,) = await trigger_in(world, "toys", 1)
    await assign(world)
    assert small in [run for _ in range(3) for run in await lease(anne, 1)]


async def test_a_routed_job_that_catches_up_leaves_slots_to_what_is_on_time(world: World) -> None:
    old = await every(world, "old", "10s", misfire={"all": "1h"}, overlap="allow", **ROUTED)
    await save(world, "tick")
    await make_due(world, old, late_us=300 * SECOND)
    await fire(world)
    await world.elapse(5 * SECOND)
    anne = await worker(world)
    fresh = await trigger(world, n=3)
    assert sum(run.catch_up for run in await runs_of(world, "old")) > 15
    await assign(world)
    got = [await lease(anne, 2) for _ in range(6)]
    assert {*fresh} <= {run for some in got for run in some}, got
    assert [len(some) for some in got] == [2] * 6
    assert len({*got[0], *got[1], *got[2]} - {*fresh}) >= 2, "catch-up goes on meanwhile"
