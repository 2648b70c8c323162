"""Namespaces in the tables."""

from foliot.ports.store.runs import Poll
from tests.conformance.building import put_in
from tests.conformance.working import trigger_in, worker
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
