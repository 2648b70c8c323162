"""What servers say of the store's clock, and when it is suspect (R7)."""

import asyncio

from foliot.domain.instants import HOUR, SECOND
from foliot.ports.store import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from foliot.store.sql.clock import trust
from tests.conformance.building import decider, every, make_due, runs_of
from tests.conformance.world import CHANCE, World

STEP = 120 * SECOND


async def servers(world: World, count: int) -> list[str]:
    sessions = [CHANCE.token() for _ in range(count)]
    for session in sessions:
        hello = Hello(session=session, name=f"server {session[:4]}", group="", slots=0, handlers=())
        await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
        assert await world.store.nodes.report_clock(session, ahead_us=0) is False
    return sessions


async def test_two_of_three_make_it_suspect_and_two_of_three_clear_it(world: World) -> None:
    one, two, three = await servers(world, 3)
    report = world.store.nodes.report_clock
    assert await report(one, ahead_us=STEP) is False
    before = await world.now()
    assert await report(two, ahead_us=STEP + SECOND) is True
    assert (await world.store.firing.pulse()).clock_suspect
    good = await world.value("SELECT last_good_time FROM store_meta")
    assert 0 <= before - good - STEP <= 10 * SECOND
    assert await report(three, ahead_us=0) is True
    assert await report(one, ahead_us=0) is False
    assert not (await world.store.firing.pulse()).clock_suspect


async def test_two_servers_are_no_majority(world: World) -> None:
    one, two = await servers(world, 2)
    assert await world.store.nodes.report_clock(one, ahead_us=STEP) is False
    assert await world.store.nodes.report_clock(two, ahead_us=STEP) is False


async def test_all_at_once_agree(world: World) -> None:
    sessions = await servers(world, 5)
    stores = [await world.open() for _ in sessions]
    await asyncio.gather(
        *(store.nodes.report_clock(session, ahead_us=STEP) for store, session in zip(stores, sessions, strict=True))
    )
    assert (await world.store.firing.pulse()).clock_suspect
    assert await world.database.transact(trust) is True
    assert await world.database.transact(trust) is False


async def test_nothing_is_decided_beyond_the_time_believed_in(world: World) -> None:
    job = await every(world, interval="1h", overlap="allow", misfire="all")
    assert job.next_at is not None
    await make_due(world, job)
    early = await world.store.firing.decide_due(decider(), limit=10, until=job.next_at - SECOND)
    assert (early.taken, early.created) == (0, 0)
    await world.elapse(3 * HOUR)  # a clock that ran ahead: only what is due by the time believed in is decided
    decided = await world.store.firing.decide_due(decider(), limit=10, until=job.next_at + SECOND)
    assert (decided.taken, decided.created, decided.now) == (1, 1, job.next_at + SECOND)
    assert [run["due_at"] for run in await runs_of(world)] == [job.next_due_at]
