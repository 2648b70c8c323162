"""Everything at once: kill, pause, cut, delay, reset and store restarts, as chance has it; its seed is shown (F26)."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cluster.api import lasting
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.recording import record_mariadb, record_postgresql
from tests.eventually import soon
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.servers.sql import SqlServer, apart
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

LASTS_S: dict[Size, float] = {"short": 20.0, "full": 600.0}
AT_ONCE = 2  # faults, at most
ENOUGH_S = 6.0  # one every so often at least
DECK = ("kill", "kill", "pause", "pause", "cut", "cut one way", "delay", "reset", "store")  # dealt again and again
HANG = ("pause", "cut", "cut one way", "delay")  # what makes a server answer late or never
SERVERS = ("s1", "s2", "s3")
WORKERS = ("w1", "w2", "w3")

Heal = Callable[[], None]


class Broken(NamedTuple):
    """What was done to a node, when it is mended, and how."""

    what: str
    mend_at: float
    heal: Heal


class Nemesis:
    """Breaks things one after another, some at the same time, and mends each after a while."""

    def __init__(
        self, cluster: Cluster, store: SqlServer, to_store: FaultProxy, to_servers: Sequence[FaultProxy]
    ) -> None:
        self.done: Counter[str] = Counter()
        self._cluster = cluster
        self._store = store
        self._to_store = to_store  # of s1
        self._to_servers = to_servers  # of w1
        self._deck: list[str] = []
        self._broken: dict[str, Broken] = {}

    async def rage(self, for_s: float) -> None:
        """Break and mend for so long, and often enough; then mend what is left, and see that everybody is there."""
        until, enough = time.monotonic() + for_s, for_s / ENOUGH_S
        async for _ in lasting(5 * for_s, every_s=0.2):
            if time.monotonic() >= until and self.done.total() >= enough:
                break
            self._mend(until=time.monotonic())
            self._revive()
            if len(self._broken) < AT_ONCE and self._cluster.chance.random() < 0.2:
                await self._break_something()
        self._mend(until=float("inf"))
        async for _ in lasting(3.0):
            self._revive()

    def start_all(self) -> None:
        """The workers; the servers are there."""
        for name in WORKERS:
            self._start(name)

    def _mend(self, until: float) -> None:
        for node, broken in list(self._broken.items()):
            if broken.mend_at <= until:
                del self._broken[node]
                broken.heal()
                self._cluster.note("healed", node=node)

    def _revive(self) -> None:
        """As whoever keeps services running does: a server that found no store when it started has left."""
        for name, process in list(self._cluster.processes.items()):
            if not process.is_alive and name not in self._broken:
                assert "Traceback" not in self._cluster.tail(name, 100), self._cluster.tail(name, 100)
                self._start(name)
                self.done["revived"] += 1

    def _start(self, name: str) -> None:
        if name in SERVERS:
            url = self._to_store.url(self._cluster.url) if name == "s1" else ""
            self._cluster.start_server(name, url=url)
        else:
            through = ",".join(f"http://127.0.0.1:{proxy.port}" for proxy in self._to_servers)
            self._cluster.start_worker(name, server=through if name == "w1" else "")

    async def _break_something(self) -> None:
        chance = self._cluster.chance
        self._deck = self._deck or chance.sample(DECK, len(DECK))
        what = self._deck.pop()
        hanging = any(node in SERVERS and broken.what in HANG for node, broken in self._broken.items())
        if what == "store" and not hanging:
            await self._restart_store()
            return
        node = chance.choice((*SERVERS, *WORKERS) if what in ("kill", "pause") else ("s1", "w1"))
        # Before its session ends a worker has time to wait for one server that does not answer, not for two; and the
        # next one it asks must have a store.
        if what == "store" or (hanging and node in SERVERS and what in HANG):
            self._deck.insert(0, what)
            return
        if node in self._broken or not self._cluster.processes[node].is_alive:
            return
        self.done[what] += 1
        lasts_s = chance.uniform(0.5, 6.0)
        heal = self._kill_or_pause(what, node) if what in ("kill", "pause") else self._spoil(what, node)
        self._broken[node] = Broken(what, time.monotonic() + lasts_s, heal)

    def _kill_or_pause(self, what: str, node: str) -> Heal:
        if what == "kill":
            self._cluster.kill(node)
            return partial(self._start, node)
        self._cluster.pause(node)
        return partial(self._cluster.resume, node)

    def _spoil(self, what: str, node: str) -> Heal:
        lines = [self._to_store] if node == "s1" else self._to_servers
        self._cluster.note(what, node=node)
        for line in lines:
            match what:
                case "cut":
                    line.cut()
                case "cut one way":
                    line.cut(self._cluster.chance.choice(("up", "down")))
                case "delay":
                    line.delay(self._cluster.chance.uniform(0.1, 2.0))
                case "reset":
                    line.reset()

        def heal() -> None:
            for line in lines:
                line.heal()

        return heal

    async def _restart_store(self) -> None:
        way = self._cluster.chance.choice(("kill", next(iter(self._store.stop_signals))))
        self.done[f"store {way}"] += 1
        self._cluster.note("store", way=way)
        await asyncio.to_thread(self._store.kill if way == "kill" else partial(self._store.stop, way))
        async for _ in lasting(self._cluster.chance.uniform(0.0, 3.0)):
            pass
        await asyncio.to_thread(self._store.restart)


@contextmanager
def stormy(make: Callable[..., SqlServer], folder: Path) -> Iterator[tuple[Cluster, Nemesis]]:
    """A database server of its own, three servers and three workers; s1's store and w1's servers are behind proxies."""
    with make(fast=True) as store:  # survives kill -9; only a power cut is left out
        url = store.database(migrate)
        if url.startswith("mysql"):
            record_mariadb(url)
        else:
            apart(lambda: asyncio.wait_for(record_postgresql(url), 30))
        with FaultProxy(store.port) as to_store, Cluster(url, folder) as cluster:
            for name in SERVERS:
                cluster.start_server(name, url=to_store.url(url) if name == "s1" else "")
            with ExitStack() as lines:
                to_servers = [lines.enter_context(FaultProxy(cluster.port_of(name))) for name in SERVERS]
                nemesis = Nemesis(cluster, store, to_store, to_servers)
                nemesis.start_all()
                yield cluster, nemesis


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(Postgres, "short", id="postgresql-short"),
        pytest.param(Postgres, "full", id="postgresql-full", marks=pytest.mark.matrix),
        pytest.param(MariaDB, "full", id="mariadb-full", marks=pytest.mark.matrix),
    ],
)
async def test_f26_a_random_mix(make: Callable[..., SqlServer], size: Size, tmp_path: Path) -> None:
    with stormy(make, tmp_path) as (cluster, nemesis):
        await cluster.wait_for_runs(15)
        await nemesis.rage(LASTS_S[size])
        print("done:", dict(nemesis.done))
        cluster.figures["faults"] = dict(nemesis.done)
        succeeded = await cluster.count("state = 'SUCCEEDED'")
        await soon(partial(goes_on, cluster, succeeded + 10), within_s=60, what="work goes on")
        await cluster.judged("F26")
        assert nemesis.done.total() >= LASTS_S[size] / ENOUGH_S, nemesis.done


async def goes_on(cluster: Cluster, count: int) -> bool:
    return await cluster.count("state = 'SUCCEEDED'") >= count
