"""Locks beside those of others: acquire and release a second, and how long one pair takes.

    python -m bench locks [--whole] [--clients 100] [--times 1000] [--seconds 30] [--only foliot,redis] [--write]

In one run, in turn, each on a server of its own: Foliot (its client over HTTP, a real server process on PostgreSQL),
redis-py's Lock, kazoo's Lock on three ZooKeeper servers, etcd's own lock by its JSON gateway, PostgreSQL's advisory
locks, and *rows*: the bare row work of one lock in SQL, without a line, without a server.

*one* is one client alone. *apart* is every client with a lock of its own. *together* is all clients after one lock,
each so many times; a kind that is not done after `--seconds` is stopped and counted until there. With `--whole`
Foliot is not stopped: it takes all 100 x 1000, however long that lasts. Two holders at once make it fail. One process
has all clients, on the machine of the servers.
"""

import argparse
import asyncio
import base64
import logging
import math
import os
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import aiohttp
import asyncpg
from kazoo.client import KazooClient
from redis.asyncio import Redis

from bench.harness import run
from bench.private import MeasuredPostgres
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.client.awaited.locks import AsyncLock
from foliot_bench.ground import ground
from foliot_bench.processes import cluster
from foliot_bench.report import machine
from tests.servers.etcd import Etcd
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import Zookeeper

TOKEN: Final = "bench-token-0123456789-abcdefghijklmnop"
LEASE_TTL_S: Final = 86_400  # of etcd: longer than any measurement
SECONDS: Final = 30.0
ALONE_S: Final = 3.0
APART_S: Final = 4.0
TTL_S: Final = 60
SESSIONS: Final = 10  # of kazoo: each has threads of its own, and serves several clients


class Client(ABC):
    """One client of one kind of lock. It holds at most one lock at a time."""

    @abstractmethod
    async def acquire(self, name: str) -> None: ...

    @abstractmethod
    async def release(self) -> None: ...


Connect = Callable[[int], Awaitable[Client]]


# ------------------------------------------------------------------------------------------------------------- kinds


class FoliotClient(Client):
    """As a user has it."""

    def __init__(self, foliot: AsyncFoliot) -> None:
        self._locks = foliot.locks
        self._held: AsyncLock | None = None

    async def acquire(self, name: str) -> None:
        self._held = await self._locks.acquire(name, ttl=TTL_S)

    async def release(self) -> None:
        assert self._held is not None
        await self._held.release()


@asynccontextmanager
async def foliot() -> AsyncIterator[Connect]:
    with CrowdedPostgres() as postgres:
        url = postgres.counted_database()
        async with ground(url), AsyncExitStack() as clients:
            with cluster(url, token=TOKEN) as processes:
                server = await processes.start_server()
                address = server.said().partition("listening on ")[2].split()[0]

                async def connect(_: int) -> Client:
                    client = AsyncFoliot(address, TOKEN, namespace="default", timeout="60s")
                    return FoliotClient(await clients.enter_async_context(client))

                yield connect


class RedisClient(Client):
    """`redis.asyncio.lock.Lock`: a key with a ttl; who waits looks again every 100 ms."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def acquire(self, name: str) -> None:
        self._lock = self._redis.lock(name, timeout=TTL_S)
        assert await self._lock.acquire()

    async def release(self) -> None:
        await self._lock.release()


@asynccontextmanager
async def redis() -> AsyncIterator[Connect]:
    with RedisServer() as server:
        async with AsyncExitStack() as clients:

            async def connect(_: int) -> Client:
                client = Redis(port=server.port)
                clients.push_async_callback(client.aclose)
                return RedisClient(client)

            yield connect


class KazooLocks(Client):
    """`kazoo.recipe.lock.Lock` in a thread."""

    def __init__(self, session: KazooClient, threads: ThreadPoolExecutor) -> None:
        self._session = session
        self._threads = threads

    async def acquire(self, name: str) -> None:
        self._lock = self._session.Lock(f"/bench/{name}")
        await asyncio.get_running_loop().run_in_executor(self._threads, self._lock.acquire)

    async def release(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, self._lock.release)


@asynccontextmanager
async def kazoo() -> AsyncIterator[Connect]:
    logging.getLogger("kazoo").setLevel(logging.ERROR)
    with Zookeeper() as servers, ThreadPoolExecutor(512) as threads:
        hosts = servers.url.partition("://")[2].partition("/")[0]
        sessions = [KazooClient(hosts, timeout=30.0) for _ in range(SESSIONS)]
        try:
            for session in sessions:
                await asyncio.to_thread(session.start)

            async def connect(number: int) -> Client:
                return KazooLocks(sessions[number % SESSIONS], threads)

            yield connect
        finally:
            for session in sessions:
                session.stop()
                session.close()


class EtcdClient(Client):
    """`/v3/lock/lock` and `/v3/lock/unlock` under a lease."""

    def __init__(self, http: aiohttp.ClientSession, lease: str) -> None:
        self._http = http
        self._lease = lease

    async def acquire(self, name: str) -> None:
        body = {"name": base64.b64encode(name.encode()).decode(), "lease": self._lease}
        self._key = (await _posted(self._http, "/v3/lock/lock", body))["key"]

    async def release(self) -> None:
        await _posted(self._http, "/v3/lock/unlock", {"key": self._key})


@asynccontextmanager
async def etcd() -> AsyncIterator[Connect]:
    connector = aiohttp.TCPConnector(limit=0)
    with Etcd() as server:
        async with aiohttp.ClientSession(server.url, connector=connector) as http:

            async def connect(_: int) -> Client:
                lease = await _posted(http, "/v3/lease/grant", {"TTL": LEASE_TTL_S})
                return EtcdClient(http, lease["ID"])

            yield connect


async def _posted(http: aiohttp.ClientSession, path: str, body: Mapping[str, Any]) -> Any:
    async with http.post(path, json=body) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.json()


class CrowdedPostgres(MeasuredPostgres):
    """One connection for each client."""

    def _command(self) -> list[str]:
        return [*super()._command(), "-c", "max_connections=400"]


class AdvisoryClient(Client):
    """`pg_advisory_lock` of a connection: no ttl and no token."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._name = ""

    async def acquire(self, name: str) -> None:
        self._name = name
        await self._connection.fetchval("SELECT pg_advisory_lock(hashtext($1))", name)

    async def release(self) -> None:
        await self._connection.fetchval("SELECT pg_advisory_unlock(hashtext($1))", self._name)


@asynccontextmanager
async def advisory() -> AsyncIterator[Connect]:
    async with _connections() as connect:

        async def connected(_: int) -> Client:
            return AdvisoryClient(await connect())

        yield connected


class RowClient(Client):
    """What any lock in SQL rows costs at least: a token that rises, a claim that comes and goes, each committed."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._name = ""
        self._token = 0

    async def acquire(self, name: str) -> None:
        self._name = name
        async with self._connection.transaction():
            self._token = await self._connection.fetchval(
                "INSERT INTO rows_locks VALUES ($1, 1) "
                "ON CONFLICT (name) DO UPDATE SET token = rows_locks.token + 1 RETURNING token",
                name,
            )
            await self._connection.execute("INSERT INTO rows_claims VALUES ($1, $2)", name, self._token)

    async def release(self) -> None:
        async with self._connection.transaction():
            await self._connection.execute("UPDATE rows_locks SET token = token + 1 WHERE name = $1", self._name)
            await self._connection.execute(
                "DELETE FROM rows_claims WHERE name = $1 AND token = $2", self._name, self._token
            )


@asynccontextmanager
async def rows() -> AsyncIterator[Connect]:
    async with _connections() as connect:
        first = await connect()
        await first.execute("CREATE TABLE rows_locks (name text PRIMARY KEY, token bigint NOT NULL)")
        await first.execute("CREATE TABLE rows_claims (name text, token bigint, PRIMARY KEY (name, token))")

        async def connected(_: int) -> Client:
            return RowClient(await connect())

        yield connected


@asynccontextmanager
async def _connections() -> AsyncIterator[Callable[[], Awaitable[Any]]]:
    with CrowdedPostgres() as postgres:
        url = postgres.database()
        async with AsyncExitStack() as opened:

            async def connect() -> Any:
                connection = await asyncpg.connect(url)
                opened.push_async_callback(connection.close)
                return connection

            yield connect


KINDS: Final = {
    "foliot": foliot,
    "redis": redis,
    "kazoo": kazoo,
    "etcd": etcd,
    "advisory": advisory,
    "rows": rows,
}
EXCLUDES: Final = frozenset(KINDS) - {"rows"}


# --------------------------------------------------------------------------------------------------------- measuring


class Pairs:
    """Acquisitions with their releases, until the time is over."""

    def __init__(self, *, until: float, excludes: bool) -> None:
        self._until = until
        self._excludes = excludes
        self._holders: dict[str, int] = {}
        self.took_s: list[float] = []

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self._until

    async def one(self, client: Client, name: str) -> None:
        began_at = time.perf_counter()
        await client.acquire(name)
        self._holders[name] = self._holders.get(name, 0) + 1
        assert not self._excludes or self._holders[name] == 1, f"two hold {name}"
        await asyncio.sleep(0)  # whoever else believes to hold it gets a turn
        self._holders[name] -= 1
        await client.release()
        self.took_s.append(time.perf_counter() - began_at)

    async def many(self, client: Client, name: str, times: int) -> None:
        for _ in range(times):
            if self.is_over:
                return
            await self.one(client, name)


async def _measured(clients: list[Client], names: list[str], *, times: int, for_s: float, excludes: bool) -> Any:
    began_at = time.perf_counter()
    pairs = Pairs(until=began_at + for_s, excludes=excludes)
    tasks = [asyncio.create_task(pairs.many(one, name, times)) for one, name in zip(clients, names, strict=True)]
    # Whoever waits when the time is over still gets the lock: nobody takes it again.
    await asyncio.gather(*tasks)
    lasted_s = time.perf_counter() - began_at
    ordered = sorted(pairs.took_s)
    return {
        "pairs": len(ordered),
        "per_s": round(len(ordered) / lasted_s),
        "p50_ms": _ms(statistics.median(ordered)),
        "p99_ms": _ms(ordered[int(0.99 * (len(ordered) - 1))]),
        "worst_ms": _ms(ordered[-1]),
    }


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)


async def _kind(name: str, options: argparse.Namespace) -> Mapping[str, Any]:
    excludes = name in EXCLUDES
    async with KINDS[name]() as connect:
        clients = [await connect(number) for number in range(options.clients)]
        own = [f"own-{number}" for number in range(options.clients)]
        for client, lock in zip(clients, own, strict=True):  # connections are open, rows are there
            await client.acquire(lock)
            await client.release()
        shares = min(1.0, options.seconds / SECONDS)
        endless = 10**9
        one = await _measured(clients[:1], own[:1], times=endless, for_s=ALONE_S * shares, excludes=excludes)
        apart = await _measured(clients, own, times=endless, for_s=APART_S * shares, excludes=excludes)
        crowd = ["crowd"] * options.clients
        is_whole = options.whole and name == "foliot"
        for_s = math.inf if is_whole else options.seconds
        together = await _measured(clients, crowd, times=options.times, for_s=for_s, excludes=excludes)
        assert not is_whole or together["pairs"] == options.clients * options.times
        return {"one": one, "apart": apart, "together": together}


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    """Measure each kind in turn."""
    names = options.only.split(",") if options.only else list(KINDS)
    found: dict[str, Any] = {
        "clients": options.clients,
        "times": options.times,
        "seconds": options.seconds,
        "whole": options.whole,
    }
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        found[name] = await _kind(name, options)
    if options.write:
        for page in PAGES:
            page.write_text(with_table(page.read_text("utf-8"), found), "utf-8")
    return found


# ------------------------------------------------------------------------------------------------------------- tables

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = (ROOT / "README.md", ROOT / "docs" / "reference" / "performance.md")
BEGIN: Final = "<!-- figures of locks: made by python -m bench locks --write -->"
END: Final = "<!-- end of the figures of locks -->"
CALLED: Final = {
    "foliot": "**Foliot**, over HTTP, on PostgreSQL",
    "redis": "redis-py's Lock",
    "kazoo": "kazoo's Lock, 3 ZooKeeper servers",
    "etcd": "etcd's lock, by its JSON gateway",
    "advisory": "PostgreSQL advisory locks",
    "rows": "bare rows in PostgreSQL, without a line",
}


def with_table(page: str, found: Mapping[str, Any]) -> str:
    """A page with the figures between its marks: pairs a second, and p99 of a pair."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, "the page has no place for the figures"
    assert end, "the place for the figures has no end"
    clients = found["clients"]
    heads = ["one client", f"{clients} clients, own locks", f"{clients} clients, one lock"]
    lines = [f"| acquire and release | {' | '.join(heads)} |", "| --- | --- | --- | --- |"]
    for name, words in CALLED.items():
        if name in found:
            lines.append(f"| {words} | {' | '.join(_cell(found[name][how]) for how in ('one', 'apart', 'together'))} |")
    measured = f"({datetime.now(UTC):%Y-%m-%d}, {machine()}, load average {os.getloadavg()[2]:.1f} meanwhile.)"
    notes = [_whole(found), measured] if found["whole"] else [measured]
    return "\n".join([before + BEGIN, "", *lines, "", *notes, "", END]) + after


def _whole(found: Mapping[str, Any]) -> str:
    told = found["foliot"]["together"]
    return (
        f"Foliot's clients took the one lock {told['pairs']:,} times, {found['times']:,} each; those of the others as "
        f"often as they came to it in {found['seconds']:g} s."
    )


def _cell(told: Mapping[str, Any]) -> str:
    return f"{told['per_s']:,}/s, p99 {told['p99_ms']:,.0f} ms"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--times", type=int, default=1000, help="how often each client takes the one lock")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the longest time for that, of each kind")
    parser.add_argument("--whole", action="store_true", help="Foliot takes all of it: about 25 minutes")
    parser.add_argument("--only", default="", help="these kinds, with commas")
    parser.add_argument("--write", action="store_true", help="write the tables of README.md and performance.md")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    return parser


if __name__ == "__main__":
    run(main, _parser())
