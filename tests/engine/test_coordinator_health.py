"""A coordination service that goes and comes: status, metrics and journal say so, once."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.domain.access import INTERNAL
from foliot.domain.failover import FailoverOutcome, FailoverType
from foliot.engine.failovers import FailoverUpkeep
from foliot.engine.journal import NodeNotes
from foliot.engine.node_look import NodeLook
from foliot.operations.nodes import ClusterState, cluster_status
from foliot.ports.store.failovers import FailoverFilter
from foliot.ports.store.journal import EventFilter
from tests.clocks import DrivenClock
from tests.sql.world import CHANCE, World


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="flt-", dir="/tmp") as made:
        folder = Path(made) / "run"
        folder.mkdir()
        yield folder


@pytest.fixture
async def server(world: World, clock: DrivenClock, folder: Path) -> AsyncIterator[Server]:
    """A server that elects by a file, and leads."""
    url = f"file://{folder}/election"
    settings = ServerSettings(store_url=world.url, node_name="s1", timing=TEST_TIMING, coordinator_url=url)
    server = Server(settings, world.store, clock=clock, chance=CHANCE)
    await server.presence.step()
    async with server._listening():
        await server.pulsing.step()
        await server.leading.step()  # it says its session to the coordinator
        await clock.advance(1)
        await server.leading.step()
        assert server.leadership.term is not None
        yield server


async def test_a_service_that_is_away_is_seen_everywhere_and_noted_once(
    server: Server, clock: DrivenClock, folder: Path
) -> None:
    store = server.store
    look = NodeLook(store.lookups, clock)
    notes = NodeNotes(store.lookups, store.journal, tide=server.tide, on_nodes=look.learn)
    upkeep = FailoverUpkeep(store.failovers, look.latest, server.tide)
    term = server.leadership.term or 0

    async def seen(after_s: float) -> ClusterState:
        await clock.advance(after_s)
        await server.presence.step()
        for _ in range(2):
            await notes.chronicle(term)
            await upkeep.keep(term)
        return await cluster_status(server.services, INTERNAL)

    async def noted() -> list[tuple[str, str, object]]:
        found = await server.store.journal.newest(EventFilter(), limit=50)
        return [(one.kind, one.subject, one.data) for one in found.items if one.kind.startswith("coordinator.")]

    well = await seen(1)
    (state,) = well.coordinators()
    assert (state.name, state.servers, state.reached_by) == ("file", 1, 1)
    assert state.latency_s is not None
    assert well.troubles() == []
    assert b'foliot_coordinator_up{backend="file"} 1.0' in server.metrics.render()

    folder.rename(folder.with_name("away"))
    away = await seen(5)
    (trouble,) = away.troubles()
    assert trouble.code == "FOL-5047"
    assert "1 of 1 servers cannot reach the coordinator file" in str(trouble)
    assert b'foliot_coordinator_up{backend="file"} 0.0' in server.metrics.render()
    assert await noted() == [("coordinator.away", "s1", {"coordinator": "file"})]
    (failed,) = await store.failovers.open(limit=10)
    assert (failed.type, failed.subject) == (FailoverType.COORDINATION_UNREACHABLE, "file")
    assert list(failed.affected.nodes) == ["s1"]
    assert failed.evidence["silent_us"] >= TEST_TIMING.leader_ttl_us

    folder.with_name("away").rename(folder)
    back = await seen(5)
    assert back.troubles() == []
    assert sorted(kind for kind, _, _ in await noted()) == ["coordinator.away", "coordinator.back"]
    (failed,) = (await store.failovers.list(FailoverFilter(), limit=10)).items
    assert failed.outcome is FailoverOutcome.RECOVERED
