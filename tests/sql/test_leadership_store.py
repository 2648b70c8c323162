"""The leader's tick in the tables."""

from foliot.domain.instants import HOUR, SECOND
from foliot.ports.store.nodes import SESSION_TTL_US
from tests.conformance.serving import LEADER_TTL
from tests.conformance.working import worker
from tests.sql.world import World


async def _meta(world: World) -> dict[str, int]:
    return dict((await world.rows("SELECT * FROM store_meta"))[0])


async def test_a_lease_from_before_a_step_back_of_the_clock_binds_nobody(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=LEADER_TTL)
    await world.change("UPDATE leases SET until = until + :hour", hour=HOUR)
    other = await nodes.campaign("b", ttl_us=LEADER_TTL)
    assert other is not None
    assert other.number == 2


async def test_a_regular_tick_grants_no_amnesty(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=LEADER_TTL)
    granted = (await _meta(world))["reap_after"]  # the very first tick of a store is after a gap
    for _ in range(4):
        await world.elapse(2 * SECOND)
        await nodes.campaign("a", ttl_us=LEADER_TTL)
    meta = await _meta(world)
    assert meta["reap_after"] == granted
    assert meta["last_tick_at"] > granted - SESSION_TTL_US


async def test_a_tick_after_a_gap_grants_amnesty(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=LEADER_TTL)
    await world.elapse(SESSION_TTL_US // 2 + SECOND)
    await nodes.campaign("b", ttl_us=LEADER_TTL)
    meta = await _meta(world)
    assert meta["reap_after"] == meta["last_tick_at"] + SESSION_TTL_US


async def test_a_step_back_of_the_clock_clamps_deadlines_from_the_future(world: World) -> None:
    anne = await worker(world)
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=LEADER_TTL)
    await world.change("UPDATE store_meta SET last_tick_at = last_tick_at + :hour", hour=HOUR)
    await world.change("UPDATE nodes SET until = until + :hour", hour=HOUR)
    await nodes.campaign("a", ttl_us=LEADER_TTL)
    meta = await _meta(world)
    until = await world.value("SELECT until FROM nodes WHERE id = :id", id=anne.session)
    assert until <= meta["last_tick_at"] + SESSION_TTL_US + SECOND
    assert meta["reap_after"] == meta["last_tick_at"] + SESSION_TTL_US
