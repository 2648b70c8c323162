"""A server that is told to stop says so at once, however long its last steps take (R18)."""

import asyncio

from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING, ServerSettings
from foliot.app.system import SystemClock
from tests.eventually import soon
from tests.sql.world import CHANCE, World


async def test_it_is_stopping_from_the_first_moment(world: World) -> None:
    settings = ServerSettings(store_url=world.url, node_name="s1", timing=TEST_TIMING)
    server = Server(settings, world.store, clock=SystemClock(), chance=CHANCE)
    stop, hangs, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow() -> float:
        hangs.set()
        await go_on.wait()
        return 1.0

    server.presence.step = slow  # type: ignore[method-assign]  # a store that takes its time
    running = asyncio.create_task(server.run(stop))
    await asyncio.wait_for(hangs.wait(), 60)
    assert not server.is_stopping
    stop.set()
    await soon(lambda: server.is_stopping, within_s=60)
    assert not running.done()
    go_on.set()
    await asyncio.wait_for(running, 60)
