"""API under load: fifty clients read while 200 runs a second execute, on a server whose API pool has 4 connections.

Told are the latencies of reads beside those of an idle server, what was answered, how old a beat ever got and how late
fires were. A beat that is late, a status that is neither 200, 429 nor 503, or a run that is missed makes it fail.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import aiohttp

from bench.harness import parser_of, run
from bench.private import private
from foliot.app.http import build_app
from foliot.app.listener import HttpServer
from foliot.app.run_loop import run_for_long
from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.signals import stop_on_signals
from foliot.app.system import SystemChance, SystemClock
from foliot.observability.log_lines import configure_logging
from foliot.operations.tokens import bootstrap
from foliot.store.sql.kernel.connect import POOL_SIZES, open_database
from foliot.store.sql.kernel.database import Pool
from foliot.store.sql.store import SqlStore
from foliot_bench.ground import HANDLER, Ground, ground
from foliot_bench.processes import Cluster, cluster
from tests.servers.ports import free_ports

JOBS: Final = 200
CLIENTS: Final = 50
API_POOL: Final = 4
BEAT_EVERY_S: Final = 5.0
WARNING_S: Final = 7.5  # half a session's time: the age of a beat at which a node is no longer ONLINE
CLUSTER: Final = "/api/v1/cluster"
PATHS: Final = (
    "/api/v1/jobs?limit=50",
    "/api/v1/runs?limit=50",
    "/api/v1/runs?limit=20&state=running",
    "/api/v1/jobs/job-7",
    "/api/v1/jobs/job-7/stats",
    CLUSTER,
)
TOKEN: Final = "bench-token-0123456789-abcdefghijklmnop"


async def main(options: argparse.Namespace) -> Mapping[str, Any]:
    """Measure idle, then under load, then beyond the limit."""
    with private(options.on) as places:
        assert places.url is not None, "two processes share the store: PostgreSQL or MariaDB"
        async with ground(places.url) as ours:
            with cluster(places.url, token=TOKEN) as processes:
                return await _measured(places.url, options.seconds, ours, processes)


async def _measured(store: str, seconds: float, ours: Ground, processes: Cluster) -> Mapping[str, Any]:
    port = free_ports(1)[0]
    processes.know_server("server", port)
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.api", "--serve", str(port), "--db", store
    )
    url = f"http://127.0.0.1:{port}"
    connector = aiohttp.TCPConnector(limit=0)  # as many connections as clients
    try:
        async with aiohttp.ClientSession(
            url, headers={"Authorization": f"Bearer {TOKEN}"}, connector=connector
        ) as http:
            await _answering(http)
            await processes.start_worker(ours, slots=64)
            await _declare(http)
            idle = await _read(http, clients=1, for_s=seconds / 2, rest_s=0.02)
            await _fire(http)
            quiet = await _figures(http, _rested(seconds))
            loaded = Reads()
            figures = await _figures(http, _read(http, clients=CLIENTS, for_s=seconds, into=loaded))
            beyond = await _read(http, clients=4 * CLIENTS, for_s=2.0)
    finally:
        server.terminate()
        await server.wait()
    return _judged(idle, loaded, beyond, quiet, figures)


def _judged(
    idle: "Reads", loaded: "Reads", beyond: "Reads", quiet: Mapping[str, Any], figures: Mapping[str, Any]
) -> Mapping[str, Any]:
    strange = {status for reads in (idle, loaded, beyond) for status in reads.statuses} - {200, 429, 503}
    assert not strange, f"answers that nobody expects: {strange}"
    oldest = max(reads.oldest_beat_s for reads in (idle, loaded, beyond))
    assert oldest < WARNING_S, f"a beat was late: {oldest} s"
    assert figures["fired_per_s"] > 0, "nothing ran meanwhile"
    return {
        "idle": idle.told(),
        f"loaded ({CLIENTS} clients)": loaded.told(),
        f"beyond ({4 * CLIENTS} clients)": beyond.told(),
        f"runs, {JOBS}/s due, nobody asks": quiet,
        f"runs, {JOBS}/s due, {CLIENTS} clients ask": figures,
        "beats": {"every_s": BEAT_EVERY_S, "oldest_s": round(oldest, 2), "late_beyond_s": WARNING_S},
    }


class Reads:
    """How reads went."""

    def __init__(self) -> None:
        self.took_s: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.oldest_beat_s = 0.0

    def told(self) -> Mapping[str, Any]:
        ordered = sorted(self.took_s)
        return {
            "reads": len(ordered),
            "p50_ms": round(1000 * statistics.median(ordered), 1),
            "p99_ms": round(1000 * ordered[int(0.99 * (len(ordered) - 1))], 1),
            "statuses": dict(self.statuses),
        }


async def _rested(for_s: float) -> None:
    await asyncio.sleep(for_s)


async def _read(
    http: aiohttp.ClientSession, *, clients: int, for_s: float, rest_s: float = 0.0, into: Reads | None = None
) -> Reads:
    reads = into or Reads()
    until = time.monotonic() + for_s

    async def client(number: int) -> None:
        at = number
        while time.monotonic() < until:
            began_at = time.monotonic()
            path = PATHS[at % len(PATHS)]
            async with http.get(path) as answer:
                body = await answer.read()
                if path == CLUSTER and answer.status == 200:
                    ages = [node["beat_age_s"] for node in json.loads(body)["nodes"]]
                    reads.oldest_beat_s = max([reads.oldest_beat_s, *ages])
                reads.statuses[answer.status] += 1
                if answer.status == 200:
                    reads.took_s.append(time.monotonic() - began_at)
                elif "retry-after" not in answer.headers:
                    raise AssertionError(f"{answer.status} without Retry-After")
            at += 1
            await asyncio.sleep(rest_s if answer.status == 200 else 0.05)

    await asyncio.gather(*(client(number) for number in range(clients)))
    return reads


async def _figures(http: aiohttp.ClientSession, meanwhile: Awaitable[Any]) -> Mapping[str, Any]:
    """What the cluster did in the meantime, from what it recorded: fired and ended per second, how late they began."""
    since = await _store_now(http)
    await meanwhile
    until = await _store_now(http)
    delays: list[float] = []
    states: Counter[str] = Counter()
    ended = 0
    cursor: str | None = ""
    while cursor is not None:
        query = {"limit": "200", "since": since, "until": until} | ({"cursor": cursor} if cursor else {})
        async with http.get("/api/v1/runs", params=query) as answer:
            page = await answer.json()
        for one in page["items"]:
            states[one["state"]] += 1
            ended += one["ended_at"] is not None and one["ended_at"] <= until
            if one["delay_s"] is not None:
                delays.append(one["delay_s"])
        cursor = page["next_cursor"]
    delays.sort()
    for_s = (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds()
    return {
        "fired_per_s": round(sum(states.values()) / for_s, 1),
        "ended_per_s": round(ended / for_s, 1),
        "start_delay_p50_ms": round(1000 * delays[len(delays) // 2], 1) if delays else None,
        "start_delay_p99_ms": round(1000 * delays[int(0.99 * (len(delays) - 1))], 1) if delays else None,
        "not_succeeded": sum(states.values()) - states["SUCCEEDED"],
    }


async def _store_now(http: aiohttp.ClientSession) -> str:
    """In whole seconds, as lists are bounded."""
    async with http.get("/api/v1/cluster") as answer:
        now = str((await answer.json())["now"])
    return f"{now[:19]}Z"


# ---------------------------------------------------------------------------------------------------------- the ground


async def _answering(http: aiohttp.ClientSession) -> None:
    for _ in range(200):
        try:
            async with http.get("/readyz") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            pass
        await asyncio.sleep(0.1)
    raise AssertionError("the server does not answer")


async def _declare(http: aiohttp.ClientSession) -> None:
    """Jobs that are not due yet."""
    for number in range(JOBS):
        definition = {"run": {"python": HANDLER}, "schedule": {"every": "30d"}, "overlap": "allow"}
        async with http.post("/api/v1/jobs", json={"name": f"job-{number}", "definition": definition}) as answer:
            assert answer.status == 201, await answer.text()


async def _fire(http: aiohttp.ClientSession) -> None:
    """From now on each fires every second."""
    for number in range(JOBS):
        async with http.patch(
            f"/api/v1/jobs/job-{number}",
            json={"definition": {"schedule": {"every": "1s"}}},
            headers={"If-Match": '"v1"'},
        ) as answer:
            assert answer.status == 200, await answer.text()


async def serve(url: str, port: int) -> None:
    """A server whose API pool is as small as the benchmark says."""
    configure_logging(level="warning")
    clock, chance = SystemClock(), SystemChance()
    stop = asyncio.Event()
    stop_on_signals(stop)
    http = HttpServer("127.0.0.1", port)
    store = SqlStore(open_database(url, clock=clock, chance=chance, pool_sizes={**POOL_SIZES, Pool.API: API_POOL}))
    try:
        settings = ServerSettings(store_url=url, node_name="server", port=port)
        server = Server(settings, store, clock=clock, chance=chance)
        await bootstrap(server.services, given=TOKEN)
        async with asyncio.TaskGroup() as tasks:
            http_stop = asyncio.Event()
            tasks.create_task(http.serve(build_app(server), http_stop, clock=SystemClock()))
            await server.run(stop)
            http_stop.set()
    finally:
        await store.close()


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="how long the load lasts")
    parser.add_argument("--db", help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    arguments: Sequence[str] = sys.argv[1:]
    chosen = _parser().parse_args(arguments)
    if chosen.serve:
        run_for_long(serve(chosen.db, chosen.serve))  # as a server does
    else:
        run(main, _parser())
