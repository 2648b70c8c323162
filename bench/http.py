"""What a job that calls a URL costs, next to bare aiohttp in the same run; how many calls a worker has open at once.

    python -m bench.http [--runs 3000] [--rounds 3] [--open 2000] [--json]

The site is a process of its own that answers 200 with a few bytes of JSON. *bare* is aiohttp with as many calls at a
time as the worker has slots. *open* is a page that answers nobody before all of those runs are there: it shows that
they are open at once, and how long all of them take. A whole worker executes the runs; its server is in the same
process and costs next to nothing. Medians of rounds that alternate.
"""

import argparse
import asyncio
import json
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import aiohttp
from msgspec.structs import replace

from bench.isolation import Feeder, cpu_s
from foliot.app.run_loop import run
from foliot.app.system import SystemChance, SystemClock
from foliot.observability.log_lines import configure_logging
from foliot.ports.worker_link import LeasedRun, LogChunk
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker

SLOTS: Final = 100
ANSWER: Final = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}'


class Page(asyncio.Protocol):
    """Answers each request at once; `/open/N` when N of them are there."""

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
            if path.startswith(b"/open/"):
                self.hold(int(path[6:].partition(b"?")[0]))
            else:
                self.transport.write(ANSWER)

    def hold(self, count: int) -> None:
        self.waiting.append(self.transport)
        if len(self.waiting) >= count:
            for transport in self.waiting:
                transport.write(ANSWER)
            self.waiting.clear()


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Page, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@dataclass
class HttpFeeder(Feeder):
    """A feeder of runs that call a URL; they write a log."""

    url: str = ""

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        return None

    def _run(self) -> LeasedRun:
        options = json.dumps({"url": f"{self.url}?run=${{run.id}}", "expect": {"json": "$.ok == true"}})
        return replace(super()._run(), options=options, isolation=None)


class HttpBench:
    """One worker with the kind enabled."""

    def __init__(self, url: str, slots: int) -> None:
        self.feeder = HttpFeeder("http", "loop", alone=False, url=url)
        kind = HttpHandlers()
        set_up(kind, {"allow": ["loopback"]})
        settings = WorkerSettings(name="bench", slots=slots, processes_warm=0)
        self.worker = Worker(self.feeder, SystemClock(), SystemChance(), settings, kinds=[kind])
        self.task = asyncio.create_task(self.worker.run(), name="worker")

    async def close(self) -> None:
        self.worker.stop()
        await self.task


async def bare(url: str, runs: int, at_a_time: int) -> float:
    """Seconds for as many requests with aiohttp alone."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        numbers = iter(range(runs))

        async def some() -> None:
            for number in numbers:
                async with session.get(f"{url}?run={number}") as response:
                    assert json.loads(await response.read())["ok"]

        began_at = time.perf_counter()
        await asyncio.gather(*(some() for _ in range(at_a_time)))
        return time.perf_counter() - began_at


async def measured(url: str, options: argparse.Namespace) -> dict[str, Any]:
    runs = options.runs
    found: dict[str, list[float]] = {"ours_us": [], "ours_cpu_us": [], "bare_us": [], "bare_cpu_us": []}
    bench = HttpBench(f"{url}/ok", SLOTS)
    await bench.feeder.feed(SLOTS * 2)  # warm
    for _ in range(options.rounds):
        for name in ("ours", "bare"):
            before = cpu_s()
            took = await (bench.feeder.feed(runs) if name == "ours" else bare(f"{url}/ok", runs, SLOTS))
            found[f"{name}_us"].append(took / runs * 1e6)
            found[f"{name}_cpu_us"].append((cpu_s() - before) / runs * 1e6)
    await bench.close()
    figures = {name: round(statistics.median(values), 1) for name, values in found.items()}
    return {**figures, **await opened(url, options.open)}


async def opened(url: str, count: int) -> dict[str, Any]:
    """So many calls at once: each waits until all are there."""
    bench = HttpBench(f"{url}/open/{count}", count)
    took = await bench.feeder.feed(count)
    await bench.close()
    return {
        "open": count,
        "open_s": round(took, 2),
        "open_bare_s": round(await bare(f"{url}/open/{count}", count, count), 2),
    }


async def main(options: argparse.Namespace) -> dict[str, Any]:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.http", "--serve", stdout=asyncio.subprocess.PIPE
    )
    assert site.stdout is not None
    try:
        port = int(await site.stdout.readline())
        return await measured(f"http://127.0.0.1:{port}", options)
    finally:
        site.kill()
        await site.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--open", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    configure_logging(level="error", form="console")
    if given.serve:
        run(serve())
        sys.exit()
    figures = run(main(given))
    if given.json:
        print(json.dumps({"benchmark": "http", "runs": given.runs, "rounds": given.rounds, **figures}))
        sys.exit()
    print(f"a run      {figures['ours_us']:8.1f} µs   cpu {figures['ours_cpu_us']:8.1f} µs")
    print(f"bare call  {figures['bare_us']:8.1f} µs   cpu {figures['bare_cpu_us']:8.1f} µs")
    print(f"{figures['open']} open at once: {figures['open_s']} s; bare {figures['open_bare_s']} s")
