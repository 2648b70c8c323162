"""Two servers with all their duties, and programs that want one lock of them."""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from foliot.app.server import Server
from foliot.app.settings import ServerSettings, Timing
from foliot.domain.access import Principal, Scope
from foliot.domain.instants import MILLISECOND, SECOND
from foliot.domain.wakeups import LOCKS
from foliot.operations import locks
from foliot.operations.services import Services
from foliot.ports.store.locks import LockAnswer, LockState
from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK

WHO = Principal(name="till", scopes=frozenset({Scope.LOCK}), line="till")
TIMING = Timing(leader_ttl_us=2 * SECOND, tick_us=100 * MILLISECOND)
"""Two seconds are the shortest lease that etcd gives."""


@dataclass
class FencedTable:
    """What the lock protects. It refuses a token that is not above every one it has seen, and two writers at once."""

    tokens: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    writers: int = 0

    async def write(self, owner: int, token: int) -> None:
        self.writers += 1
        assert self.writers == 1, "two hold the lock"
        assert not self.tokens or token > self.tokens[-1], "an old token"
        await asyncio.sleep(0)  # others get their turn in the middle of the write
        self.tokens.append(token)
        self.owners.append(owner)
        self.writers -= 1


class Desk:
    """A server's desk for claims that wait (`ports.lock_desk.LockDesk`); it says when a claim stands in the line."""

    def __init__(self, server: Server, in_line: Callable[[str], None]) -> None:
        self._desk = server.lock_waiting
        self._in_line = in_line
        self.granted = self._desk.granted
        self.carry_out = self._desk.carry_out

    async def wait(self, claim: str, *, for_s: float) -> LockAnswer:
        self._in_line(claim)
        return await self._desk.wait(claim, for_s=for_s)


class Crowd:
    """Programs that take one lock again and again, each at one of the servers, in turn."""

    def __init__(self, servers: list[Server], *, programs: int, times: int) -> None:
        self.servers = servers
        self.table = FencedTable()
        self._times = times
        self._programs = programs
        self._behind: dict[str, int] = {}  # by claim: how many writes there were when it stood in the line
        self._desks = [
            replace(server.services, lock_desk=Desk(server, self._stands_in_line)) for server in self.servers
        ]

    @property
    def written(self) -> int:
        return len(self.table.tokens)

    def heard(self) -> list[int]:
        """How many wake-ups about locks each server has heard."""
        return [_heard(server) for server in self.servers]

    def is_within_earshot(self, since: Sequence[int] = (0, 0)) -> bool:
        """Whether each server has heard more than at `since` (`heard`); it sends one more wake-up from each."""
        for server in self.servers:
            server.lock_waiting.granted(["nobody"])
        return all(now > before for now, before in zip(self.heard(), since, strict=True))

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for program, services in zip(range(self._programs), itertools.cycle(self._desks), strict=False):
                group.create_task(self._program(program, services))

    async def _program(self, program: int, services: Services) -> None:
        for time in range(self._times):
            claim = f"p{program}t{time}"
            token = await self._hold(services, claim)
            self._check_fairness(program, claim)
            await self.table.write(program, token)
            await locks.give_back(services, WHO, "till", claim=claim, namespace="default")

    async def _hold(self, services: Services, claim: str) -> int:
        """Ask until the lock is held, as a client does."""
        while True:
            _, answer = await locks.claim_lock(
                services, WHO, "till", claim=claim, namespace="default", ttl_us=60 * SECOND, wait_us=locks.WAIT_MAX
            )
            if answer.state is LockState.HELD:
                assert answer.token is not None
                return answer.token

    def _stands_in_line(self, claim: str) -> None:
        self._behind.setdefault(claim, self.written)

    def _check_fairness(self, program: int, claim: str) -> None:
        """Whoever wrote twice while this claim stood in the line has overtaken it."""
        meanwhile = Counter(self.table.owners[self._behind.get(claim, self.written) :])
        assert max(meanwhile.values(), default=0) <= 1, (program, meanwhile)


def _heard(server: Server) -> int:
    name = "foliot_wakeups_heard_total"
    return int(server.metrics.registry.get_sample_value(name, {"topic": LOCKS}) or 0)


@asynccontextmanager
async def two_servers(store_url: str, coordinator_url: str) -> AsyncIterator[list[Server]]:
    """Servers that share a store and a coordination service, in this process; each has its own connections."""
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        servers: list[Server] = []
        tasks: list[asyncio.Task[None]] = []
        for name in ("s1", "s2"):
            settings = ServerSettings(
                store_url=store_url, node_name=name, timing=TIMING, coordinator_url=coordinator_url
            )
            store = await SqlStore.open(store_url, clock=CLOCK, chance=CHANCE)
            stack.push_async_callback(store.close)
            servers.append(Server(settings, store, clock=CLOCK, chance=CHANCE))
            tasks.append(asyncio.create_task(servers[-1].run(stop)))
        try:
            yield servers
        finally:
            stop.set()
            await asyncio.gather(*tasks)
