"""One server of a cluster as a process: its store, its duties and its HTTP face, until it is asked to stop."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace

from foliot.app.connections import HttpConnection, ProxiedConnection
from foliot.app.drills import drills_of
from foliot.app.faults import fault_point
from foliot.app.http import build_app, check_reach
from foliot.app.listener import HttpServer
from foliot.app.one_machine import check_one_machine
from foliot.app.plugins import known, load
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.stepped_clock import SteppedClock
from foliot.app.system import SystemChance, SystemClock
from foliot.app.tls import Certificate
from foliot.domain.drills import Faults
from foliot.operations.tokens import bootstrap
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store import OpenStore
from foliot.ports.store.replica import Replica
from foliot.store.sql.kernel.connect import BadStoreUrl, scheme_of
from foliot.store.sql.replica import SqlReplica


async def serve(
    settings: ServerSettings,
    stop: asyncio.Event,
    *,
    bootstrap_token: str | None = None,
    started: Callable[[str, str | None], None] = lambda _url, _token: None,
) -> None:
    """Run a server until `stop` is set. `started` is told its URL and, on an empty store, the first token."""
    check_reach(settings.host, is_protected=settings.is_protected or settings.insecure_http)
    chance = SystemChance()
    clock: Clock = SystemClock()
    faults = Faults(clock.monotonic) if settings.allows_drills else None
    if faults is not None:
        clock = SteppedClock(clock, faults)
    certificate = Certificate(settings.tls) if settings.tls else None
    http = HttpServer(settings.host, settings.port, certificate=certificate)
    if not settings.node_name:
        settings = replace(settings, node_name=f"{socket.gethostname()}-{http.port}")
    open_store = store_opener(settings.store_url)
    point = fault_point(settings.fault_point)
    replica = _replica_of(settings, clock, chance)
    store = await open_store(settings.store_url, clock=clock, chance=chance, point=point, faults=faults)
    try:
        drills = None if faults is None else drills_of(faults, kind="server")
        server = Server(settings, store, clock=clock, chance=chance, drills=drills, replica=replica)
        app = build_app(server)
        await check_one_machine(server.services)
        made_token = await bootstrap(server.services, given=bootstrap_token)
        async with asyncio.TaskGroup() as tasks:
            http_stop = asyncio.Event()
            connection = ProxiedConnection if settings.behind_proxy else HttpConnection
            tasks.create_task(http.serve(app, http_stop, clock=clock, connection=connection), name="http")
            await http.listens.wait()
            started(http.url, made_token if bootstrap_token is None else None)
            await server.run(stop)
            http_stop.set()
    finally:
        await store.close()
        if replica is not None:
            await replica.close()


def _replica_of(settings: ServerSettings, clock: Clock, chance: Chance) -> Replica | None:
    """The replica of the store, if the server has one. It is connected when it is needed."""
    if not settings.replica_url:
        return None
    return SqlReplica.open(settings.replica_url, of=settings.store_url, clock=clock, chance=chance)


def store_opener(url: str) -> OpenStore:
    """What opens the store of this URL, by its scheme."""
    scheme = scheme_of(url)
    if scheme not in known("foliot.stores"):
        raise BadStoreUrl(url, f'"{scheme}" is not a known kind of store')
    opener: OpenStore = load("foliot.stores", scheme)
    return opener
