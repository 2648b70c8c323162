"""Servers of a cluster that elect by a coordination service, each by a way of its own, which tests break (F17)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import httpx2

from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.coordination.services import OneRedis, ThreeEtcd, ThreeZookeepers
from tests.coordination.ways import BehindProxies
from tests.eventually import soon
from tests.servers.fixtures import MakeProxy

RealService = OneRedis | ThreeEtcd | ThreeZookeepers
TERM = "SELECT term FROM leases WHERE name = 'leader'"
WITHIN_S = 90.0
LASTS_S = 3.0  # two terms of the test profile


class Electorate:
    """The servers of a cluster, and the service that they elect by."""

    def __init__(self, cluster: Cluster, service: RealService, make_proxy: MakeProxy) -> None:
        self.cluster = cluster
        self.service = service
        self._behind = BehindProxies(service, make_proxy)
        self._ways: list[str] = []  # the servers, as `BehindProxies.ways` has them

    def options_for(self, server: str) -> Sequence[str]:
        """What this server is started with, so that it has a way of its own to the service."""
        self._ways.append(server)
        return "--coord", self._behind.url()

    # -- faults ---------------------------------------------------------------------------------------------------

    async def its_leader_is_lost(self) -> None:
        """Another member of the service leads it. Redis has one member alone: it is away."""
        await self._during("leader killed", self.service.lose_leader, self.service.start)

    async def its_leader_hangs(self) -> None:
        thaws: list[Callable[[], None]] = []

        def freeze() -> None:
            thaws.append(self.service.freeze_leader())

        def thaw() -> None:
            thaws.pop()()

        await self._during("leader hangs", freeze, thaw)

    async def it_forgets_everything(self) -> None:
        await self._during("flushed", self.service.flush, self.service.start)

    async def the_leader_loses_its_way(self) -> None:
        """The server that leads is cut off from the service; the others and the service see each other."""
        leader = await self.cluster.leader()
        way = self._behind.ways[self._ways.index(leader)]
        await self._during("leader cut off", lambda: way.suffer(lambda proxy: proxy.cut()), way.heal)

    async def it_is_away_and_the_leader_is_killed(self) -> None:
        """The store elects the next leader. The cluster says what is missing until the service is back."""
        servers = self.cluster.servers
        away, back = [await self._noted(kind) for kind in ("coordinator.away", "coordinator.back")]
        term = await asked(self.cluster.url, TERM)
        self.cluster.note("coordinator", way="stopped")
        await asyncio.to_thread(self.service.stop)
        all_know = partial(self._has_noted, "coordinator.away", away + len(servers))
        await soon(all_know, within_s=WITHIN_S, what="every server notes that it is away")
        leader = await self.cluster.leader()
        self.cluster.kill(leader)
        left = [name for name in servers if name != leader]

        async def one_leads() -> str:
            leading = [name for name in left if await self.says(name, "foliot_leading")]
            return leading[0] if leading else ""

        heir = await soon(one_leads, within_s=WITHIN_S, what="another server leads")
        assert await asked(self.cluster.url, TERM) > term
        told = (await self._got(heir, "/api/v1/cluster")).json()
        assert "FOL-5047" in [trouble["code"] for trouble in told["troubles"]], told["troubles"]
        await soon(self._is_a_failover, within_s=WITHIN_S, what="the leader noted it as a failover")
        await asyncio.to_thread(self.service.start)
        others_know = partial(self._has_noted, "coordinator.back", back + len(left))
        await soon(others_know, within_s=WITHIN_S, what="they note that it is back")
        self.cluster.start_again(leader)
        await self.cluster.answers(leader)
        await self.agree()

    async def _during(self, what: str, strike: Callable[[], object], mend: Callable[[], object]) -> None:
        self.cluster.note("coordinator", way=what)
        await asyncio.to_thread(strike)
        await self.cluster.load(LASTS_S)
        await asyncio.to_thread(mend)
        await self.agree()

    # -- what is so -----------------------------------------------------------------------------------------------

    async def agree(self) -> None:
        """Wait until the leader is the server that the service chose, and every server reaches the service."""
        await soon(self._do_agree, within_s=WITHIN_S, what="the leader is the one that the service chose")
        await soon(self._is_reached, within_s=WITHIN_S, what="the status shows that every server reaches it")

    async def _do_agree(self) -> bool:
        """Whether one server says of itself that it leads, and that the service chose it; and no other says either."""
        self.cluster.check_processes()
        servers = self.cluster.servers
        both = [await self.says(name, "foliot_leading", "foliot_coordinator_chosen") for name in servers]
        leading = [await self.says(name, "foliot_leading") for name in servers]
        return both.count(True) == 1 and leading.count(True) == 1

    async def _is_reached(self) -> bool:
        told = (await self._got(self.cluster.servers[0], "/api/v1/cluster")).json()
        (seen,) = told["coordinators"]
        return bool(seen["servers"] == seen["reached_by"] == len(self.cluster.servers))

    async def says(self, server: str, *gauges: str) -> bool:
        """Whether each of these gauges of a server is 1."""
        lines = (await self._got(server, "/metrics")).text.splitlines()
        return all(any(line.startswith(gauge) and line.endswith(" 1.0") for line in lines) for gauge in gauges)

    async def _is_a_failover(self) -> bool:
        still_open = "type = 'coordination_unreachable' AND ended_at IS NULL"
        return await self.cluster.count(still_open, of="failovers") > 0

    async def _noted(self, kind: str) -> int:
        found: int = await asked(self.cluster.url, f"SELECT count(*) FROM events WHERE kind = '{kind}'")
        return found

    async def _has_noted(self, kind: str, least: int) -> bool:
        return await self._noted(kind) >= least

    async def _got(self, server: str, path: str) -> Any:
        async with httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {self.cluster.token}"}, timeout=60, trust_env=False
        ) as http:
            return await http.get(f"http://127.0.0.1:{self.cluster.port_of(server)}{path}")


Act = Callable[[Electorate], Awaitable[None]]
