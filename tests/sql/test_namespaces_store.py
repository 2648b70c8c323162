"""Namespaces in the tables."""

from functools import partial

import pytest

from foliot.ports.store.runs import Poll, TriggerRequest
from foliot.store.sql.firing.triggers import trigger
from foliot.store.sql.jobs.definitions import Definitions
from tests.conformance.building import PERSON, fire, make_due, put_in
from tests.conformance.routing import assign, routed_poll
from tests.conformance.working import trigger_in, worker
from tests.conformance.world import CHANCE
from tests.sql.world import World


async def test_in_a_lane_of_several_namespaces_each_run_is_looked_at(world: World) -> None:
    """Lanes made by an older Foliot have no namespace."""
    for namespace in ("pay", "toys"):
        await put_in(world, namespace)
    theirs, ours = await trigger_in(world, "pay", 2), await trigger_in(world, "toys", 2)
    lane = await world.value("SELECT min(lane) FROM runs")
    await world.change("UPDATE runs SET lane = :lane", lane=lane)
    anne, ben, eve = await worker(world), await worker(world), await worker(world)
    poll = Poll(session=eve.session, request_no=1, free=8, lanes=[lane], namespace="nothing")
    assert (await world.store.runs.lease([poll], limit=8)).grants[0].runs == ()
    polls = [
        poll,
        Poll(session=anne.session, request_no=1, free=8, lanes=[lane], namespace="toys"),
        Poll(session=ben.session, request_no=1, free=1, lanes=[lane], namespace="pay"),
    ]
    granted = await world.store.runs.lease(polls, limit=8)
    none, mine, his = ([run.run_id for run in grant.runs] for grant in granted.grants)
    assert (none, sorted(mine), his) == ([], ours, [theirs[0]])


@pytest.mark.parametrize("route", ["any", "round"])
async def test_a_fire_starts_within_two_leases_behind_four_hundred_triggers_of_another_namespace(
    world: World, route: str
) -> None:
    """L5, with four slots."""
    await put_in(world, "pay", place={"route": route})
    await put_in(world, "toys", schedule={"every": "1s"}, overlap="allow", place={"route": route})
    anne = await worker(world, slots=4)
    requests = [TriggerRequest(namespace="pay", job="tick", key=CHANCE.token(), by=PERSON) for _ in range(400)]
    await world.database.transact(partial(trigger, definitions=Definitions(), requests=requests))
    for lease in range(3):
        if lease == 1:
            await make_due(world, await world.store.lookups.job("toys", "tick"))
            assert (await fire(world)).created == 1
        await assign(world)
        granted = await world.store.runs.lease([await routed_poll(anne, 4)], limit=100)
        runs = granted.grants[0].runs
        assert len(runs) == 4, "every slot has a run"
        if "toys" in {run.namespace for run in runs}:
            assert lease > 0
            return
        await anne.complete(*runs)
    raise AssertionError("two leases went by")
