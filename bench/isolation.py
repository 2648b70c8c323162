"""What a run costs beyond its handler, by isolation, next to the bare mechanism in the same run.

    python -m bench.isolation [--runs 5000] [--rounds 5] [--json]

A whole worker executes functions that do nothing; its server is in the same process and costs next to nothing. *alone*
is one run at a time, from its lease to its acknowledged end; *busy* is a full queue. The bare twins: a task awaited, a
thread started and joined, one byte to a child process and back. Medians of rounds that alternate.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import psutil

from bench.feeder import Feeder
from foliot import job
from foliot.app.run_loop import run
from foliot.app.system import SystemChance, SystemClock
from foliot.observability.log_lines import configure_logging
from foliot.sdk.registry import load
from foliot.worker.handlers.python import PythonHandlers
from foliot.worker.settings import WorkerSettings
from foliot.worker.worker import Worker

SLOTS: Final = {"loop": 100, "thread": 8, "process": 2}
ECHO: Final = "import os\nwhile (data := os.read(0, 1)): os.write(1, data)"

COLUMNS: Final = (
    ("isolation", "isolation", 10),
    ("alone µs", "alone_us", 10),
    ("cpu µs", "alone_cpu_us", 9),
    ("bare µs", "bare_us", 9),
    ("busy µs", "busy_us", 10),
    ("cpu µs", "busy_cpu_us", 9),
    ("runs/s", "busy_per_s", 9),
    ("slots", "slots", 7),
)


@job
async def async_noop() -> None:
    """Nothing, in the loop."""


@job
def plain_noop() -> None:
    """Nothing, in a thread or a child process."""


class Bench:
    """One worker, warm, with its feeder."""

    def __init__(self, isolation: str, *, alone: bool, warm: bool = True) -> None:
        function = "async_noop" if isolation == "loop" else "plain_noop"
        self.isolation = isolation
        self.feeder = Feeder(f"python:bench.isolation:{function}", isolation, alone)
        slots = 1 if alone else SLOTS[isolation]
        settings = WorkerSettings(
            name="bench",
            slots=slots,
            processes_warm=slots if warm and isolation == "process" else 0,
            process_runs_max=10**9,
        )
        code = PythonHandlers.of(load(["bench.isolation"]), ["bench.isolation"])
        self.worker = Worker(self.feeder, SystemClock(), SystemChance(), settings, code)
        self.task = asyncio.create_task(self.worker.run(), name="worker")

    async def round(self, runs: int) -> tuple[float, float]:
        """Microseconds per run: passed, and of processor time (children included)."""
        before = cpu_s()
        took = await self.feeder.feed(runs)
        return took / runs * 1e6, (cpu_s() - before) / runs * 1e6

    async def close(self) -> None:
        self.worker.stop()
        await self.task


def cpu_s() -> float:
    """Processor time of this process and its living children."""
    total = 0.0
    for process in (psutil.Process(), *psutil.Process().children()):
        times = process.cpu_times()
        total += times.user + times.system
    return total


async def measured(runs: int, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for isolation in ("loop", "thread", "process"):
        found: dict[str, deque[float]] = {}
        for alone in (True, False):
            bench = Bench(isolation, alone=alone)
            count = runs // 5 if alone else runs
            word = "alone" if alone else "busy"
            try:
                await bench.round(max(count // 10, 50))  # warm
                for _ in range(rounds):
                    passed, spent = await bench.round(count)
                    found.setdefault(f"{word}_us", deque()).append(passed)
                    found.setdefault(f"{word}_cpu_us", deque()).append(spent)
                    if alone:
                        found.setdefault("bare_us", deque()).append(await BARE[isolation](count))
            finally:
                await bench.close()
        figures[isolation] = {name: round(statistics.median(values), 1) for name, values in found.items()}
        figures[isolation]["busy_per_s"] = round(1e6 / figures[isolation]["busy_us"])
        figures[isolation]["slots"] = SLOTS[isolation]
    figures["child_start_ms"] = round(statistics.median([await child_start_ms() for _ in range(rounds)]), 1)
    return figures


async def bare_task(count: int) -> float:
    """A task that does nothing, created and awaited."""

    async def nothing() -> None:
        return None

    began_at = time.perf_counter()
    for _ in range(count):
        await asyncio.create_task(nothing())
    return (time.perf_counter() - began_at) / count * 1e6


async def bare_thread(count: int) -> float:
    """A thread that does nothing, started and joined."""
    began_at = time.perf_counter()
    for _ in range(count):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
    return (time.perf_counter() - began_at) / count * 1e6


async def bare_process(count: int) -> float:
    """One byte to a child process and back."""
    child = subprocess.Popen([sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert child.stdin is not None
    assert child.stdout is not None
    to_child, from_child = child.stdin.fileno(), child.stdout.fileno()
    os.write(to_child, b"x")
    os.read(from_child, 1)
    began_at = time.perf_counter()
    for _ in range(count):
        os.write(to_child, b"x")
        os.read(from_child, 1)
    took = time.perf_counter() - began_at
    child.stdin.close()
    child.wait()
    child.stdout.close()
    return took / count * 1e6


BARE: Final[dict[str, Callable[[int], Any]]] = {"loop": bare_task, "thread": bare_thread, "process": bare_process}


async def child_start_ms() -> float:
    """From nothing to the end of the first run in a child process: interpreter, Foliot, the module."""
    bench = Bench("process", alone=True, warm=False)
    try:
        await bench.feeder.ready.wait()
        return await bench.feeder.feed(1) * 1000
    finally:
        await bench.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args()
    configure_logging(level="error", form="console")
    figures = run(measured(options.runs, options.rounds))
    if options.json:
        print(json.dumps({"benchmark": "isolation", "runs": options.runs, "rounds": options.rounds, **figures}))
        return
    print("".join(f"{title:>{width}}" for title, _, width in COLUMNS))
    for isolation in ("loop", "thread", "process"):
        row = {"isolation": isolation, **figures[isolation]}
        print("".join(f"{row[name]:>{width}}" for _, name, width in COLUMNS))
    print(f"a child process is ready and done with its first run after {figures['child_start_ms']} ms")


if __name__ == "__main__":
    main()
