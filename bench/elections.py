"""Elections: how long nobody leads after the leader was killed, and how long a step-down takes, by coordinator.

    python -m bench elections [--on postgresql|mariadb] [--by store redis …] [--kills 20] [--timing prod|test] [--json]

Three servers as real processes. The leader is killed (SIGKILL) at an odd moment of its term; nobody leads until the
store has a later term of a server that lives. Each coordinator keeps its own servers on this machine too.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx2

from bench.harness import opened, parser_of, run
from foliot.app.settings import TIMINGS
from foliot.domain.instants import SECOND
from foliot_bench.benchmark import bar
from foliot_bench.moments import pause
from foliot_check.figures import spread
from tests.cluster.asking import asked
from tests.cluster.cluster import LEADER, Cluster
from tests.eventually import soon
from tests.servers.etcd import EtcdCluster
from tests.servers.redis import RedisSentinels, RedisServer
from tests.servers.zookeeper import Zookeeper

KILLS: Final = 20
SERVERS: Final = ("s1", "s2", "s3")
WITHIN_S: Final = 90.0
LOOK_EVERY_S: Final = 0.01
ELECTED_AFTER_TTL_S: Final = 2.0
STEP_DOWN_WITHIN_S: Final = 2.0
TERM: Final = "SELECT term FROM leases WHERE name = 'leader'"
EVERYBODY: Final = "SELECT count(DISTINCT name) FROM nodes WHERE kind = 'server' AND state = 'live'"


@contextmanager
def _file() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="flt-", dir="/tmp") as folder:  # the path of a socket is short
        yield f"file://{folder}/election"


@contextmanager
def _store() -> Iterator[str]:
    yield "store"


@contextmanager
def _urls(make: Callable[[], Any]) -> Iterator[str]:
    with make() as service:
        yield service.url


SERVICES: Final[Mapping[str, Callable[[], AbstractContextManager[str]]]] = {
    "store": _store,
    "file": _file,
    "redis": partial(_urls, RedisServer),
    "sentinel": partial(_urls, RedisSentinels),
    "etcd": partial(_urls, EtcdCluster),
    "zookeeper": partial(_urls, Zookeeper),
}


class Elections:
    """Three servers on one store that lose their leader again and again."""

    def __init__(self, cluster: Cluster, coordinator_url: str, *, timing: str) -> None:
        self._cluster = cluster
        self._options = ("--coord", coordinator_url, "--timing", timing)
        self._ttl_s = TIMINGS[timing].leader_ttl_us / SECOND

    async def begin(self) -> None:
        for name in SERVERS:
            self._cluster.start_server(name, options=self._options)
        await self._settled()

    async def killed_s(self) -> float:
        """Kill the leader; how long nobody led. The killed server is back when this returns."""
        await pause(self._cluster.chance.random() * self._ttl_s)  # a moment of the term like any other
        leader = await self._cluster.leader()
        term = await self._term()
        began_at = time.monotonic()
        self._cluster.processes[leader].kill()
        await self._led_after(term)
        took_s = time.monotonic() - began_at
        self._cluster.start_server(leader, options=self._options)
        await self._settled()
        return took_s

    async def stepped_down_s(self) -> float:
        """Ask the leader to step down; how long it took until another led."""
        leader = await self._cluster.leader()
        term = await self._term()
        headers = {"Authorization": f"Bearer {self._cluster.token}"}
        url = f"http://127.0.0.1:{self._cluster.port_of(leader)}/api/v1/cluster:step-down"
        async with httpx2.AsyncClient(headers=headers, timeout=WITHIN_S) as http:
            began_at = time.monotonic()
            asking = asyncio.create_task(http.post(url, json={"reason": "a benchmark"}))
            await self._led_after(term)
            took_s = time.monotonic() - began_at
            answer = await asking
        assert answer.status_code == 200, answer.text
        await self._settled()
        return took_s

    async def _term(self) -> int:
        return int(await asked(self._cluster.url, TERM))

    async def _led_after(self, term: int) -> None:
        """Wait for a later term of a server that lives."""

        async def is_led() -> bool:
            leader = await asked(self._cluster.url, LEADER)
            is_living = leader in self._cluster.processes and self._cluster.processes[leader].is_alive
            return is_living and await self._term() > term

        await soon(is_led, within_s=WITHIN_S, step_s=LOOK_EVERY_S, what="another leads")

    async def _settled(self) -> None:
        """Wait until all answer, and one of them has led for a term: a service that chose another hands over first."""
        for name in SERVERS:
            await self._cluster.answers(name, within_s=WITHIN_S)
        seen, since = 0, time.monotonic()

        async def is_settled() -> bool:
            nonlocal seen, since
            term = int(await asked(self._cluster.url, TERM) or 0)
            if term != seen:
                seen, since = term, time.monotonic()
            lasts = time.monotonic() - since > self._ttl_s
            return bool(lasts and await asked(self._cluster.url, EVERYBODY) == len(SERVERS))

        await soon(is_settled, within_s=WITHIN_S, step_s=0.1, what="one leads for good")


async def figures_of(url: str, name: str, *, kills: int, timing: str, folder: Path) -> Mapping[str, Any]:
    """What one coordinator's elections cost."""
    with SERVICES[name]() as coordinator_url, Cluster(url, folder) as cluster:
        elections = Elections(cluster, coordinator_url, timing=timing)
        await elections.begin()
        no_leader = [await elections.killed_s() for _ in range(kills)]
        step_down = [await elections.stepped_down_s() for _ in range(kills)]
    return {"no_leader_s": spread(no_leader), "step_down_s": spread(step_down)}


async def measured(options: argparse.Namespace) -> Mapping[str, Any]:
    ttl_s = TIMINGS[options.timing].leader_ttl_us / SECOND
    found: dict[str, Mapping[str, Any]] = {}
    # what the cluster says of itself is no part of the report
    with redirect_stdout(sys.stderr), tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
        async with opened(options.on) as (url, place, _):
            for name in options.by:
                print(f"{name} …", file=sys.stderr, flush=True)
                own = Path(folder) / name
                own.mkdir()
                found[name] = await figures_of(url, name, kills=options.kills, timing=options.timing, folder=own)
            settings = await place.settings()
    return {
        "kills": options.kills,
        "leader_ttl_s": ttl_s,
        "settings": settings,
        **found,
        "bars": bars(found, ttl_s),
    }


def bars(found: Mapping[str, Mapping[str, Any]], ttl_s: float) -> Sequence[Mapping[str, Any]]:
    """What is promised of every coordinator."""
    elected = [
        bar(f"{name}: nobody leads, p99 s", one["no_leader_s"]["p99"], at_most=ttl_s + ELECTED_AFTER_TTL_S)
        for name, one in found.items()
    ]
    handed = [
        bar(f"{name}: step-down, p99 s", one["step_down_s"]["p99"], at_most=STEP_DOWN_WITHIN_S)
        for name, one in found.items()
    ]
    return [*elected, *handed]


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--by", nargs="+", choices=SERVICES, default=list(SERVICES), help="these coordinators")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--timing", choices=TIMINGS, default="prod")
    run(measured, parser)
