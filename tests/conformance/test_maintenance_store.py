"""Maintenance: while it is on, no server decides, and everything else goes on."""

import asyncio

from foliot.domain.instants import HOUR, MINUTE, SECOND, isoformat
from foliot.domain.maintenance import Maintenance
from foliot.domain.run import Landing
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import EventFilter
from tests.conformance.building import PERSON, every, fire, make_due, runs_of, save, skips_of, wanted_backfill
from tests.conformance.working import lead, states_of, trigger, worker
from tests.conformance.world import World

SRE = Actor(name="sre", reason="database upgrade")


async def maintained(world: World) -> Maintenance | None:
    return (await world.store.lookups.cluster()).maintenance


async def test_nothing_is_decided_or_leased_and_what_runs_goes_on(world: World) -> None:
    job = await every(world, interval="1h")
    await save(world, "settle")
    anne = await worker(world)
    await trigger(world, "settle", 2)
    running = await anne.lease_one()
    nodes, other = world.store.nodes, await world.open()
    begun = await nodes.begin_maintenance(lasts_us=None, by=SRE)
    assert await maintained(world) == begun == Maintenance(since=begun.since, until=None, by="sre", reason=SRE.reason)
    now = await make_due(world, job, late_us=3 * HOUR + 5 * MINUTE)
    assert (await other.firing.pulse()).maintenance_until > now
    for store in (world.store, other):
        assert (await fire(world, store)).taken == 0
        assert (await fire(world, store, waiting=True)).taken == 0
    assert (await anne.beat(running)).alive
    assert await anne.lease() == ()
    assert await anne.complete(running) == [Landing.RECORDED]
    (late,) = await trigger(world, "settle")
    assert await anne.lease() == ()
    assert await states_of(world, "settle") == ["SUCCEEDED", "PENDING", "PENDING"]
    assert await runs_of(world) == []

    assert await nodes.end_maintenance() == begun
    assert await maintained(world) is None
    decided = await fire(world, other)
    assert (decided.created, decided.skipped) == (1, 3), "its misfire policy decides, as after an outage"
    assert [skip.reason for skip in await skips_of(world, job)] == ["misfire"]
    assert late in {run.run_id for run in await anne.lease()}
    assert await nodes.end_maintenance() is None, "it is over"


async def test_a_lease_whose_answer_was_lost_is_given_again(world: World) -> None:
    await save(world)
    anne = await worker(world)
    await trigger(world)
    (leased,) = await anne.lease()
    await world.store.nodes.begin_maintenance(lasts_us=None, by=PERSON)
    (again,) = await anne.lease(repeat=True)
    assert again.lease_id == leased.lease_id


async def test_it_ends_by_itself_and_may_be_prolonged(world: World) -> None:
    job = await every(world, interval="1h")
    nodes = world.store.nodes
    begun = await nodes.begin_maintenance(lasts_us=MINUTE, by=SRE)
    assert begun.until == begun.since + MINUTE
    await world.elapse(SECOND)
    longer = await nodes.begin_maintenance(lasts_us=2 * HOUR, by=PERSON)
    assert (longer.since, longer.by, longer.reason) == (begun.since, PERSON.name, PERSON.reason)
    await make_due(world, job)
    assert (await fire(world)).taken == 0
    await world.elapse(2 * HOUR)
    assert (await fire(world)).taken == 1
    assert await maintained(world) is None
    anew = await nodes.begin_maintenance(lasts_us=None, by=SRE)
    assert anew.since > begun.since, "this is another one"


async def test_a_backfill_makes_no_runs_meanwhile(world: World) -> None:
    job = await every(world, "tick", "1m", overlap="allow")
    await world.store.nodes.begin_maintenance(lasts_us=None, by=SRE)
    await world.store.backfills.add(await wanted_backfill(world, job))
    assert await world.store.backfills.advance(limit=10) == 0
    await world.store.nodes.end_maintenance()
    assert await world.store.backfills.advance(limit=10) > 0


async def test_one_that_ends_by_its_time_is_written_down_once_also_when_the_next_begins_first(world: World) -> None:
    term, nodes = await lead(world), world.store.nodes
    assert not await nodes.close_maintenance(term=term), "there was none"
    first = await nodes.begin_maintenance(lasts_us=MINUTE, by=SRE)
    assert not await nodes.close_maintenance(term=term), "it is on"
    await world.elapse(MINUTE + SECOND)
    assert not await nodes.close_maintenance(term=term - 1), "another server leads by now"
    others = [await world.open() for _ in range(2)]
    closed = await asyncio.gather(*(store.nodes.close_maintenance(term=term) for store in (world.store, *others)))
    assert sorted(closed) == [False, False, True]
    second = await nodes.begin_maintenance(lasts_us=MINUTE, by=SRE)
    await world.elapse(MINUTE + SECOND)
    await nodes.begin_maintenance(lasts_us=None, by=SRE)
    assert await nodes.end_maintenance() is not None
    assert not await nodes.close_maintenance(term=term), "a user ended it"
    events = (await world.store.journal.newest(EventFilter(), limit=10)).items
    told = [(event.kind, event.data["until"]) for event in events]
    assert first.until is not None
    assert second.until is not None
    assert told == [("maintenance.off", isoformat(second.until)), ("maintenance.off", isoformat(first.until))]
