"""Looking on while a benchmark works: py-spy at its processes, pg_stat_statements at its database."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg

from foliot_bench.benchmark import Watch
from foliot_bench.processes import Cluster

RATE: Final = "400"
LONGEST_S: Final = "600"
STATEMENTS: Final = """
    SELECT calls, total_exec_time + total_plan_time, rows, query FROM pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY total_exec_time DESC LIMIT 40
"""


def watching(profile: Path | None, statements: Path | None, url: str | None) -> Watch:
    """Whoever was asked for."""

    @asynccontextmanager
    async def watch(processes: Cluster) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if profile is not None:
                await stack.enter_async_context(_profiled(processes, profile))
            if statements is not None and url is not None and url.startswith("postgresql:"):
                await stack.enter_async_context(_counted(url, statements))
            yield

    return watch


@asynccontextmanager
async def _profiled(processes: Cluster, folder: Path) -> AsyncIterator[None]:
    """py-spy records, one file per process."""
    folder.mkdir(parents=True, exist_ok=True)
    spy = str(Path(sys.executable).parent / "py-spy")
    words = ["-r", RATE, "-d", LONGEST_S, "--nonblocking", "-f", "raw"]
    spies = [
        subprocess.Popen(
            [spy, "record", "-p", str(pid), *words, "-o", str(folder / f"{name}.txt")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name, pid in processes.pids().items()
    ]
    try:
        yield
    finally:
        for one in spies:
            one.send_signal(signal.SIGINT)  # it writes what it saw
            await asyncio.to_thread(one.wait, 20)


@asynccontextmanager
async def _counted(url: str, file: Path) -> AsyncIterator[None]:
    """What PostgreSQL did, by statement."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_stat_statements_reset()")
        yield
        rows = await connection.fetch(STATEMENTS)
    finally:
        await connection.close()
    lines = [f"{row[0]:>7} calls {row[1]:>9.1f} ms {row[2]:>8} rows  {' '.join(row[3].split())[:150]}" for row in rows]
    file.write_text("\n".join(lines) + "\n", "utf-8")
