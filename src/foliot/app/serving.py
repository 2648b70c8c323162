"""One server of a cluster as a process: its store, its duties and its HTTP face, until told to stop."""

import asyncio
from collections.abc import Callable

from foliot.app.connections import Connection, ProxiedConnection
from foliot.app.faults import fault_point
from foliot.app.http import HttpFace, check_reach
from foliot.app.listening import HttpServer
from foliot.app.one_machine import check_one_machine
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemChance, SystemClock
from foliot.app.tls import Certificate
from foliot.store.sql.kernel.wakeups import open_wakeups
from foliot.store.sql.store import SqlStore


async def serve(
    settings: ServerSettings,
    stop: asyncio.Event,
    *,
    bootstrap_token: str | None = None,
    started: Callable[[str, str | None], None] = lambda _url, _token: None,
) -> None:
    """Run a server until `stop` is set. `started` is told its URL and, on an empty store, the first token."""
    check_reach(settings.host, is_protected=settings.is_protected or settings.insecure_http)
    clock, chance = SystemClock(), SystemChance()
    certificate = Certificate(settings.tls) if settings.tls else None
    http = HttpServer(settings.host, settings.port, certificate=certificate)
    store = await SqlStore.open(settings.store_url, clock=clock, chance=chance, point=fault_point(settings.fault_point))
    try:
        wakeups = open_wakeups(settings.store_url, clock=clock, chance=chance)
        server = Server(settings, store, clock=clock, chance=chance, wakeups=wakeups)
        server.metrics.watch_store(store.database.troubles)
        face = HttpFace(server)
        await check_one_machine(face.services)
        first_token = await face.begin(bootstrap_token)
        async with asyncio.TaskGroup() as tasks:
            http_stop = asyncio.Event()
            connection = ProxiedConnection if settings.behind_proxy else Connection
            tasks.create_task(http.serve(face.app, http_stop, clock=clock, connection=connection), name="http")
            await http.listens.wait()
            started(http.url, first_token)
            await server.run(stop)
            http_stop.set()
    finally:
        await store.close()
