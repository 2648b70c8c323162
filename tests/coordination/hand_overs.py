"""How long a lock takes from one server to the other, with each backend: `python -m tests.coordination.hand_overs`.

The store is MariaDB, which has no NOTIFY. Two programs take turns, each at its own server. For each backend this prints
how long a hand-over took, from the call that gives the lock back until the other program has it, and how often the
servers looked at claims that wait.
"""

import asyncio
import logging
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from foliot.app.server import Server
from foliot.domain.instants import SECOND
from foliot.operations import locks
from foliot.ports.store.locks import LockState
from tests.coordination.arena import CLOCK
from tests.coordination.lock_crowd import WHO, Crowd, two_servers
from tests.coordination.services import own_prefix
from tests.eventually import soon
from tests.servers.etcd import EtcdCluster
from tests.servers.mariadb import MariaDB
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper
from tests.sql.world import migrate

HAND_OVERS = 200
HOLD_S = 0.02
"""Long enough for the other program to stand in the line."""


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with MariaDB(fast=True) as mariadb, services() as urls:
        for name, url in urls.items():
            taken, looks = asyncio.run(measured(mariadb.database(migrate), url))
            median, p99 = statistics.median(taken), statistics.quantiles(taken, n=100)[98]
            figures = f"median {median * 1000:6.1f} ms  p99 {p99 * 1000:6.1f} ms  looks {looks / len(taken):.2f}"
            print(f"{name:<12}{figures}")


@contextmanager
def services() -> Iterator[dict[str, str]]:
    """The coordinators to compare, by name."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="flt-", dir="/tmp"))
        redis = stack.enter_context(RedisServer())
        etcd = stack.enter_context(EtcdCluster())
        zookeeper = stack.enter_context(Zookeeper())
        yield {
            "store": "store",
            "file": f"file://{Path(folder)}/election",
            "redis": f"{redis.url}?prefix={own_prefix()}",
            "etcd": f"{etcd.url}?prefix={own_prefix()}",
            "zookeeper": f"{zookeeper.url}?prefix={own_prefix()}",
        }


async def measured(store_url: str, coordinator_url: str) -> tuple[list[float], int]:
    """Seconds of each hand-over, and how often both servers looked."""
    async with two_servers(store_url, coordinator_url) as servers:
        if coordinator_url != "store":
            await soon(Crowd(servers, programs=0, times=0).is_within_earshot)
        looks = [counted(server) for server in servers]
        taken: list[float] = []
        given_at: list[float] = []
        turns = [asyncio.create_task(turn(server, given_at, taken)) for server in servers]
        await asyncio.gather(*turns)
        return taken, sum(count() for count in looks)


def counted(server: Server) -> Callable[[], int]:
    """Count how often a server looks at claims that wait."""
    looks: list[int] = []
    look = server.store.locks.look

    async def counting(claims: object) -> object:
        looks.append(1)
        return await look(claims)  # type: ignore[arg-type]

    server.store.locks.look = counting  # type: ignore[method-assign,assignment]
    return lambda: len(looks)


async def turn(server: Server, given_at: list[float], taken: list[float]) -> None:
    for time in range(HAND_OVERS // 2):
        claim = f"{server.settings.node_name}t{time}"
        while True:
            _, answer = await locks.claim_lock(
                server.services, WHO, "till", claim=claim, namespace="default", ttl_us=60 * SECOND, wait_us=20 * SECOND
            )
            if answer.state is LockState.HELD:
                break
        if given_at:
            taken.append(CLOCK.monotonic() - given_at[-1])
        await CLOCK.wait(asyncio.Event(), for_s=HOLD_S)
        given_at.append(CLOCK.monotonic())
        await locks.give_back(server.services, WHO, "till", claim=claim, namespace="default")


if __name__ == "__main__":
    main()
