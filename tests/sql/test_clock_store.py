"""The store's clock in the tables: what is written of it, and a person's trust."""

import asyncio

from foliot.domain.instants import HOUR, SECOND
from foliot.store.sql.cluster.clock import trust
from tests.conformance.serving import CLOCK_STEP, servers
from tests.sql.world import World


async def test_two_of_three_make_it_suspect_and_two_of_three_clear_it(world: World) -> None:
    one, two, three = await servers(world, 3)
    report = world.store.nodes.report_clock
    assert await report(one, ahead_us=CLOCK_STEP) is False
    before = await world.now()
    assert await report(two, ahead_us=CLOCK_STEP + SECOND) is True
    assert (await world.store.firing.pulse()).clock_suspect
    good = await world.value("SELECT last_good_time FROM store_meta")
    assert 0 <= before - good - CLOCK_STEP <= 10 * SECOND
    assert await report(three, ahead_us=0) is True
    assert await report(one, ahead_us=0) is False
    assert not (await world.store.firing.pulse()).clock_suspect


async def test_an_offset_that_was_trusted_is_not_doubted_and_another_is(world: World) -> None:
    sessions = await servers(world, 3)
    report = world.store.nodes.report_clock
    for session in sessions:
        await report(session, ahead_us=CLOCK_STEP, offset_us=-CLOCK_STEP)
    pulse = await world.store.firing.pulse()
    assert (pulse.clock_suspect, pulse.clock_ahead_us) == (True, CLOCK_STEP)
    assert await world.database.transact(trust) is True
    for session in sessions:  # they go by a flag that is gone
        assert await report(session, ahead_us=CLOCK_STEP, offset_us=-CLOCK_STEP, suspect=True) is False
    assert await report(sessions[0], ahead_us=0, offset_us=-CLOCK_STEP) is False
    for session in sessions:
        await report(session, ahead_us=0, offset_us=0)
    assert not (await world.store.firing.pulse()).clock_suspect
    for session in sessions:
        await report(session, ahead_us=0, offset_us=HOUR)
    assert (await world.store.firing.pulse()).clock_suspect


async def test_all_at_once_agree(world: World) -> None:
    sessions = await servers(world, 5)
    stores = [await world.open() for _ in sessions]
    await asyncio.gather(
        *(
            store.nodes.report_clock(session, ahead_us=CLOCK_STEP)
            for store, session in zip(stores, sessions, strict=True)
        )
    )
    assert (await world.store.firing.pulse()).clock_suspect
    assert await world.database.transact(trust) is True
    assert await world.database.transact(trust) is False
