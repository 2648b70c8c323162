"""Leadership: a term that only rises, held by one, and the tick that goes with it (R16, R8, R7)."""

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.conformance.working import worker
from tests.sql.world import World

TTL = 5 * SECOND


async def _meta(world: World) -> dict[str, int]:
    return dict((await world.rows("SELECT * FROM store_meta"))[0])


async def test_one_wins_and_the_other_does_not(world: World) -> None:
    nodes = world.store.nodes
    term = await nodes.campaign("a", ttl_us=TTL)
    assert term is not None
    assert term.number == 1
    assert TTL - SECOND < term.until - term.now <= TTL
    assert await nodes.campaign("b", ttl_us=TTL) is None


async def test_the_holder_renews_its_term(world: World) -> None:
    nodes = world.store.nodes
    first = await nodes.campaign("a", ttl_us=TTL)
    await world.elapse(3 * SECOND)
    again = await nodes.campaign("a", ttl_us=TTL)
    assert first is not None
    assert again is not None
    assert again.number == first.number
    assert again.until >= first.until + 3 * SECOND


async def test_times_may_be_longer_than_a_small_number_of_microseconds(world: World) -> None:
    """2³¹ µs are 35 minutes."""
    nodes = world.store.nodes
    for _ in range(2):
        term = await nodes.campaign("a", ttl_us=2 * HOUR, session_ttl_us=3 * HOUR)
        assert term is not None
        assert await world.store.runs.reap(judge, limit=10, term=term.number, session_ttl_us=3 * HOUR) == 0


async def test_a_term_that_ran_out_is_followed_by_a_higher_one(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    await world.elapse(TTL + SECOND)
    other = await nodes.campaign("b", ttl_us=TTL)
    assert other is not None
    assert other.number == 2
    assert await nodes.campaign("a", ttl_us=TTL) is None


async def test_who_let_its_own_term_run_out_gets_a_new_one(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    await world.elapse(TTL + SECOND)
    again = await nodes.campaign("a", ttl_us=TTL)
    assert again is not None
    assert again.number == 2


async def test_stepping_down_lets_another_win_at_once(world: World) -> None:
    nodes = world.store.nodes
    term = await nodes.campaign("a", ttl_us=TTL)
    assert term is not None
    await nodes.resign("a", term=term.number + 1)  # not a term it holds
    assert await nodes.campaign("b", ttl_us=TTL) is None
    await nodes.resign("a", term=term.number)
    other = await nodes.campaign("b", ttl_us=TTL)
    assert other is not None
    assert other.number == 2


async def test_a_lease_from_before_a_step_back_of_the_clock_binds_nobody(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    await world.change("UPDATE leases SET until = until + :hour", hour=HOUR)
    other = await nodes.campaign("b", ttl_us=TTL)
    assert other is not None
    assert other.number == 2


async def test_a_regular_tick_grants_no_amnesty(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    granted = (await _meta(world))["reap_after"]  # the very first tick of a store is after a gap
    for _ in range(4):
        await world.elapse(2 * SECOND)
        await nodes.campaign("a", ttl_us=TTL)
    meta = await _meta(world)
    assert meta["reap_after"] == granted
    assert meta["last_tick_at"] > granted - SESSION_TTL_US


async def test_a_tick_after_a_gap_grants_amnesty(world: World) -> None:
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    await world.elapse(SESSION_TTL_US // 2 + SECOND)
    await nodes.campaign("b", ttl_us=TTL)
    meta = await _meta(world)
    assert meta["reap_after"] == meta["last_tick_at"] + SESSION_TTL_US


async def test_a_step_back_of_the_clock_clamps_deadlines_from_the_future(world: World) -> None:
    anne = await worker(world)
    nodes = world.store.nodes
    await nodes.campaign("a", ttl_us=TTL)
    await world.change("UPDATE store_meta SET last_tick_at = last_tick_at + :hour", hour=HOUR)
    await world.change("UPDATE nodes SET until = until + :hour", hour=HOUR)
    await nodes.campaign("a", ttl_us=TTL)
    meta = await _meta(world)
    until = await world.value("SELECT until FROM nodes WHERE id = :id", id=anne.session)
    assert until <= meta["last_tick_at"] + SESSION_TTL_US + SECOND
    assert meta["reap_after"] == meta["last_tick_at"] + SESSION_TTL_US


async def _server(world: World, session: str) -> str:
    hello = Hello(session=session, name=session, group="", slots=0, handlers=())
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
    return session


async def test_leadership_is_handed_over_under_the_next_term(world: World) -> None:
    nodes = world.store.nodes
    heir = await _server(world, "b")
    first = await nodes.campaign("a", ttl_us=TTL)
    assert first is not None
    assert await nodes.appoint(heir, session="a", term=first.number, ttl_us=TTL) == first.number + 1
    assert await nodes.campaign("a", ttl_us=TTL) is None, "who led does not win it back"
    second = await nodes.campaign(heir, ttl_us=TTL)
    assert second is not None
    assert second.number == first.number + 1
    assert not await world.store.runs.reap(judge, limit=1, term=first.number), "what the old term writes is over"


async def test_an_heir_who_does_not_come_is_not_waited_for(world: World) -> None:
    nodes = world.store.nodes
    heir = await _server(world, "b")
    first = await nodes.campaign("a", ttl_us=TTL)
    assert first is not None
    await nodes.appoint(heir, session="a", term=first.number, ttl_us=TTL)
    await world.elapse(TTL + SECOND)
    again = await nodes.campaign("a", ttl_us=TTL)
    assert again is not None
    assert again.number == first.number + 2


async def test_nobody_is_appointed_who_is_not_a_live_server_or_in_a_term_that_is_over(world: World) -> None:
    nodes = world.store.nodes
    heir, anne = await _server(world, "b"), await worker(world)
    first = await nodes.campaign("a", ttl_us=TTL)
    assert first is not None
    assert await nodes.appoint("nobody", session="a", term=first.number, ttl_us=TTL) is None
    assert await nodes.appoint(anne.session, session="a", term=first.number, ttl_us=TTL) is None
    assert await nodes.appoint(heir, session="a", term=first.number + 1, ttl_us=TTL) is None
    assert await nodes.appoint(heir, session="x", term=first.number, ttl_us=TTL) is None, "it is not its to give"
    await world.elapse(SESSION_TTL_US + SECOND)
    assert await nodes.appoint(heir, session="a", term=first.number, ttl_us=TTL) is None, (
        "it has been silent for too long"
    )


async def test_the_pulse_tells_who_is_wanted_for_a_while(world: World) -> None:
    nodes = world.store.nodes
    assert (await world.store.firing.pulse()).heir is None
    for heir in ("b", "c"):
        await nodes.wish(heir, ttl_us=TTL)
        assert (await world.store.firing.pulse()).heir == heir
    await world.elapse(TTL + SECOND)
    assert (await world.store.firing.pulse()).heir is None
    assert (await world.store.firing.pulse()).leader is None, "a wish is nobody's lease"
