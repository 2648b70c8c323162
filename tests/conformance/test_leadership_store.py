"""What goes with a term in the store: the tick and its amnesty (R8), clock steps (R7), wishes."""

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.conformance.serving import LEADER_TTL
from tests.conformance.world import World


async def test_times_may_be_longer_than_a_small_number_of_microseconds(world: World) -> None:
    """2³¹ µs are 35 minutes."""
    nodes = world.store.nodes
    for _ in range(2):
        term = await nodes.campaign("a", ttl_us=2 * HOUR, session_ttl_us=3 * HOUR)
        assert term is not None
        assert await world.store.runs.reap(judge, limit=10, term=term.number, session_ttl_us=3 * HOUR) == 0


async def _server(world: World, session: str) -> str:
    hello = Hello(session=session, name=session, group="", slots=0, handlers=())
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
    return session


async def test_what_the_old_term_writes_after_a_hand_over_is_over(world: World) -> None:
    nodes = world.store.nodes
    heir = await _server(world, "b")
    first = await nodes.campaign("a", ttl_us=LEADER_TTL)
    assert first is not None
    assert await nodes.appoint(heir, session="a", term=first.number, ttl_us=LEADER_TTL) == first.number + 1
    assert not await world.store.runs.reap(judge, limit=1, term=first.number)


async def test_the_pulse_tells_who_is_wanted_for_a_while(world: World) -> None:
    nodes = world.store.nodes
    assert (await world.store.firing.pulse()).heir is None
    for heir in ("b", "c"):
        await nodes.wish(heir, ttl_us=LEADER_TTL)
        assert (await world.store.firing.pulse()).heir == heir
    await world.elapse(LEADER_TTL + SECOND)
    assert (await world.store.firing.pulse()).heir is None
    assert (await world.store.firing.pulse()).leader is None, "a wish is nobody's lease"
