"""Servers of a cluster, as their store sees them, for tests."""

from foliot.domain.instants import SECOND
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.conformance.world import CHANCE, World

CLOCK_STEP = 120 * SECOND
LEADER_TTL = 5 * SECOND


async def servers(world: World, count: int) -> list[str]:
    sessions = [CHANCE.token() for _ in range(count)]
    for session in sessions:
        hello = Hello(session=session, name=f"server {session[:4]}", group="", slots=0, handlers=())
        await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)
        assert await world.store.nodes.report_clock(session, ahead_us=0) is False
    return sessions
