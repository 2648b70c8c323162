"""What a run of each kind of handler costs, next to its bare client in the same run.

    python -m bench handlers [--runs 2000] [--rounds 5] [--kinds http,shell,sqlite,postgresql] [--json]

A whole worker executes the runs; its server is in the same process and costs next to nothing. The bare twins do the
same work with the same number at a time: aiohttp's client, a process started by asyncio, a statement on an open
connection. A ratio is the bare time by Foliot's, the median of rounds that alternate. *together* is one call for each
slot, of which the site answers none before all have come.
"""

import argparse
import asyncio
import json
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import aiohttp
import asyncpg

from bench.feeder import Feeder
from bench.harness import run
from bench.private import private
from foliot.app.handler_kinds import beside_python
from foliot.app.system import SystemChance, SystemClock
from foliot.worker.crew import Crew
from foliot.worker.settings import WorkerSettings

TOGETHER: Final = 2000
TOGETHER_PAGE: Final = b"/together/"
AT_ONCE: Final = {"http": 100, "shell": 2, "sql": 4}
RUNS: Final = {
    "http": 1.0,
    "shell": 0.1,
    "sqlite": 1.0,
    "postgresql": 1.0,
}  # of --runs: a process costs more than a call

ANSWER: Final = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}'

Bare = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Race:
    """One kind, and the same work without it."""

    kind: str
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    bare: Bare  # does so many
    slots: int
    offer: str | None = None

    async def measured(self, runs: int, rounds: int) -> dict[str, Any]:
        """Rounds in turn: Foliot, then the bare client."""
        feeder = Feeder(self.offer or self.kind, options=json.dumps(self.options))
        async with _worker(feeder, self) as _:
            await feeder.feed(self.slots)  # warm: connections, imports
            await self.bare(self.slots)
            ours, bare = [], []
            for _round in range(rounds):
                ours.append(await feeder.feed(runs))
                began_at = time.perf_counter()
                await self.bare(runs)
                bare.append(time.perf_counter() - began_at)
        ratios = [one / other for one, other in zip(bare, ours, strict=True)]
        return {
            "at_once": self.slots,
            "runs": runs,
            "per_s": round(runs / statistics.median(ours)),
            "bare_per_s": round(runs / statistics.median(bare)),
            "ratio": round(statistics.median(ratios), 3),
            "more_us": round((statistics.median(ours) - statistics.median(bare)) / runs * 1e6),
        }


@asynccontextmanager
async def _worker(feeder: Feeder, race: Race) -> AsyncIterator[None]:
    kinds = beside_python({race.kind: race.settings}).kinds
    settings = WorkerSettings(name="bench", own_slots={race.kind: race.slots})
    worker = Crew(lambda: feeder, SystemClock(), SystemChance(), settings, kinds=kinds)
    task = asyncio.create_task(worker.run(), name="worker")
    await feeder.ready.wait()
    try:
        yield
    finally:
        worker.stop()
        await task


async def _many(n: int, at_once: int, one: Callable[[], Awaitable[None]]) -> None:
    """Do something n times, so many at a time."""
    left = iter(range(n))

    async def some() -> None:
        for _ in left:
            await one()

    await asyncio.gather(*(some() for _ in range(at_once)))


# ------------------------------------------------------------------------------------------------------------ the kinds


class Page(asyncio.Protocol):
    """The site: it answers each request at once, and those for `/together/N` when N of them have come."""

    waiting: Final[list[asyncio.Transport]] = []

    def __init__(self) -> None:
        self.heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # that of uvloop has no such base

    def data_received(self, data: bytes) -> None:
        self.heard += data
        while b"\r\n\r\n" in self.heard:
            head, _, self.heard = self.heard.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            if path.startswith(TOGETHER_PAGE):
                self.hold(int(path.removeprefix(TOGETHER_PAGE)))
            else:
                self.transport.write(ANSWER)

    def hold(self, count: int) -> None:
        self.waiting.append(self.transport)
        if len(self.waiting) >= count:
            for transport in self.waiting:
                transport.write(ANSWER)
            self.waiting.clear()


async def serve() -> None:
    """Be the site, and tell its port."""
    server = await asyncio.get_running_loop().create_server(Page, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@asynccontextmanager
async def _site() -> AsyncIterator[str]:
    """The site, in a process of its own."""
    command = (sys.executable, "-m", "bench.handlers", "--serve")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.kill()
        await process.wait()


async def _http(runs: int, rounds: int) -> dict[str, Any]:
    async with _site() as site, aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        plain = _http_race(session, f"{site}/", AT_ONCE["http"])
        figures = await plain.measured(runs, rounds)
        together = _http_race(session, f"{site}/together/{TOGETHER}", TOGETHER)
        figures["together"] = await together.measured(TOGETHER, rounds)
    return figures


def _http_race(session: aiohttp.ClientSession, url: str, slots: int) -> Race:
    async def get() -> None:
        async with session.get(url) as answer:
            assert json.loads(await answer.read())["ok"]

    return Race(
        kind="http",
        options={"url": url, "expect": {"json": "$.ok == true"}},
        settings={"allow": ["loopback"]},
        bare=lambda n: _many(n, slots, get),
        slots=slots,
    )


async def _shell(runs: int, rounds: int) -> dict[str, Any]:
    async def start() -> None:
        process = await asyncio.create_subprocess_exec(
            "true", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        await process.communicate()
        assert process.returncode == 0

    slots = AT_ONCE["shell"]
    race = Race(
        kind="shell", options={"argv": ["true"]}, settings={}, bare=lambda n: _many(n, slots, start), slots=slots
    )
    return await race.measured(runs, rounds)


async def _sqlite(runs: int, rounds: int) -> dict[str, Any]:
    slots = AT_ONCE["sql"]
    with tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
        file = Path(folder) / "reports.db"
        connections = [sqlite3.connect(file, check_same_thread=False) for _ in range(slots)]

        def ask(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN")
            connection.execute("SELECT 1").fetchall()
            connection.execute("COMMIT")

        async def query() -> None:
            connection = connections.pop()
            await asyncio.to_thread(ask, connection)
            connections.append(connection)

        figures = await _sql_race(f"sqlite:///{file}", query).measured(runs, rounds)
        for connection in connections:
            connection.close()
    return figures


async def _postgresql(runs: int, rounds: int) -> dict[str, Any]:
    slots = AT_ONCE["sql"]
    with private("postgresql") as where:
        connections = [await asyncpg.connect(where.twin) for _ in range(slots)]

        async def query() -> None:
            connection = connections.pop()
            async with connection.transaction():
                await connection.fetch("SELECT 1")
            connections.append(connection)

        figures = await _sql_race(where.url or "", query).measured(runs, rounds)
        for connection in connections:
            await connection.close()
    return figures


def _sql_race(url: str, query: Callable[[], Awaitable[None]]) -> Race:
    slots = AT_ONCE["sql"]
    return Race(
        kind="sql",
        options={"connection": "reports", "query": "SELECT 1"},
        settings={"connections": {"reports": {"url": url, "pool_size": slots}}},
        bare=lambda n: _many(n, slots, query),
        slots=slots,
        offer="sql:reports",
    )


MEASURED: Final[Mapping[str, Callable[[int, int], Awaitable[dict[str, Any]]]]] = {
    "http": _http,
    "shell": _shell,
    "sqlite": _sqlite,
    "postgresql": _postgresql,
}


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each call that is open is a file
    kinds = options.kinds.split(",")
    return {kind: await MEASURED[kind](round(options.runs * RUNS[kind]), options.rounds) for kind in kinds}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kinds", default=",".join(MEASURED), help="these alone")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().serve:
        asyncio.run(serve())
    else:
        run(main, parser)
