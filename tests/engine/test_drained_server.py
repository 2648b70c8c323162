"""A server that a user drained: it fires, leases and leads no more, and serves users until it is taken back."""

import asyncio

import httpx2
import pytest

from foliot.api.app import build_api
from foliot.app.server import Server
from foliot.domain.access import INTERNAL
from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.engine.leasing import ServerDrained
from foliot.operations.nodes import drain, find_node, undrain
from foliot.ports.worker_link import Leased, Leaving
from tests.conformance.building import every, make_due
from tests.engine.conftest import MakeServer
from tests.engine.test_duties import hello, parked, poll
from tests.sql.rows import runs_of
from tests.sql.world import World


async def begin(server: Server) -> None:
    """It is there: it beats, and knows the store's time."""
    for _ in range(2):
        await server.presence.step()
    await server.pulsing.step()


async def decide(server: Server) -> None:
    """One step of each duty that decides, as the loop does them."""
    for duty in server.deciding:
        await duty.step()


def leads(server: Server) -> bool:
    return server.leadership.term is not None


async def readiness(server: Server) -> tuple[int, str]:
    app = build_api(server.services, wants_no_traffic=server.wants_no_traffic)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://foliot") as http:
        answer = await http.get("/readyz")
    return answer.status_code, answer.text


async def left_at(server: Server) -> float | None:
    """What its last beat says: 1, nothing is left; None: it does not know of a drain."""
    node, _ = await find_node(server.services, INTERNAL, server.settings.node_name)
    return node.row.load.get("drained")


async def test_a_drained_server_lets_go_of_everything_and_comes_back(world: World, make_server: MakeServer) -> None:
    await make_due(world, await every(world, interval="1h"), late_us=SECOND)
    one, other = make_server("s1"), make_server("s2")
    for server in (one, other):
        await begin(server)
    await one.leading.step()
    assert leads(one)
    await one.workers.register(hello(), by=INTERNAL)
    waiting = await parked(one, poll())

    await drain(other.services, INTERNAL, "s1", reason="a new disk")
    assert (await one.presence.step(), await left_at(one)) == (0.5, None), "the beat that learns of it says nothing yet"
    assert await asyncio.wait_for(waiting, 10) == Leased(request_no=1), "its workers go elsewhere at once"
    with pytest.raises(ServerDrained):
        await one.workers.lease(poll(2), by=INTERNAL)
    assert (await one.presence.step(), await left_at(one)) == (0.5, 0.0), "it leads still, so it beats again soon"
    await one.leading.step()
    assert not leads(one)
    assert await one.presence.step() > 0.5
    assert await left_at(one) == 1.0
    await other.leading.step()
    assert leads(other), "leadership was given up, not left to run out"

    await decide(one)
    assert await runs_of(world) == [], "it fires nothing"
    assert await readiness(one) == (503, "drained\n")
    assert "foliot_drained 1.0" in one.metrics.render().decode()

    await undrain(other.services, INTERNAL, "s1")
    await one.presence.step()
    assert await readiness(one) == (200, "ready\n")
    await decide(one)
    assert len(await runs_of(world)) == 1, "what was due is decided now"


async def test_a_drain_outlives_the_session_of_its_server(world: World, make_server: MakeServer) -> None:
    """The server was cut off for long: the others gave its session up, and a new one begins."""
    one, other = make_server("s1"), make_server("s2")
    for server in (one, other):
        await begin(server)
    await drain(other.services, INTERNAL, "s1")
    await one.presence.step()
    await world.store.nodes.leave(Leaving(session=one.session.id), judge)
    for _ in ("it learns that its session is over", "it registers anew", "it beats"):
        await one.presence.step()
    assert one.role.is_drained
    node, _ = await find_node(other.services, INTERNAL, "s1")
    assert (node.row.session, node.row.state) == (one.session.id, "draining")
    await undrain(other.services, INTERNAL, "s1")
    await one.presence.step()
    assert not one.role.is_drained
