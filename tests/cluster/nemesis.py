"""Chance breaks a cluster: kill, pause, cut, delay, reset, restarts of the store, some at the same time (F26)."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from tests.cluster.api import lasting
from tests.cluster.cluster import Cluster
from tests.servers.proxy import FaultProxy
from tests.servers.sql import SqlServer

AT_ONCE = 2  # faults, at most
ENOUGH_S = 6.0  # one every so often at least
DECK = ("kill", "kill", "pause", "pause", "cut", "cut one way", "delay", "reset", "store")  # dealt again and again
HANG = ("pause", "cut", "cut one way", "delay")  # what makes a server answer late or never

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
        """`to_store`: the line of s1. `to_servers`: the lines of w1."""
        self.done: Counter[str] = Counter()
        self._cluster = cluster
        self._store = store
        self._to_store = to_store
        self._to_servers = to_servers
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
                self._cluster.start_again(name)
                self.done["revived"] += 1

    async def _break_something(self) -> None:
        chance, servers = self._cluster.chance, self._cluster.servers
        self._deck = self._deck or chance.sample(DECK, len(DECK))
        what = self._deck.pop()
        hanging = any(node in servers and broken.what in HANG for node, broken in self._broken.items())
        if what == "store" and not hanging:
            await self._restart_store()
            return
        everybody = (*servers, *self._cluster.workers)
        node = chance.choice(everybody if what in ("kill", "pause") else ("s1", "w1"))
        # Before its session ends a worker has time to wait for one server that does not answer, not for two; and the
        # next one it asks must have a store.
        if what == "store" or (hanging and node in servers and what in HANG):
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
            return partial(self._start_again, node)
        self._cluster.pause(node)
        return partial(self._cluster.resume, node)

    def _start_again(self, node: str) -> None:
        self._cluster.start_again(node)

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
