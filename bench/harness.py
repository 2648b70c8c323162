"""What the end-to-end benchmarks share: a private durable database, real processes, what they cost, and the report.

A benchmark has two databases of one server, alike to the row: Foliot's processes work on one, the raw twin on the
other, in turns, so that neither sees the other's work and both meet the same machine.
"""

import argparse
import asyncio
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import asyncpg
import psutil

from foliot.observability.logging import configure_logging
from tests.cluster.cluster import Process
from tests.servers.mariadb import MariaDB
from tests.servers.ports import free_ports
from tests.servers.postgres import Postgres

PAIRS: Final = 5
START_WITHIN_S: Final = 60.0
STATEMENTS: Final = """
    SELECT calls, total_exec_time + total_plan_time, rows, query FROM pg_stat_statements s JOIN pg_database d
    ON d.oid = s.dbid WHERE d.datname = $1 ORDER BY total_exec_time DESC LIMIT 40
"""
LOAD_MAX: Final = 3.0  # above, a figure says more about the neighbours than about Foliot


# -------------------------------------------------------------------------------------------------------- the command


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--db", help="postgresql://… (empty); sqlite or mariadb: private ones; default: a private PostgreSQL"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    parser.add_argument("--profile", metavar="FOLDER", help="py-spy records of the processes, one file each")
    parser.add_argument("--statements", metavar="FILE", help="what PostgreSQL did in the first round, by statement")
    return parser


def run(main: Callable[[argparse.Namespace], Awaitable[Mapping[str, Any]]], parser: argparse.ArgumentParser) -> None:
    """Measure and tell; exit 1 when a row count is not what it must be (the benchmark raises)."""
    options = parser.parse_args()
    configure_logging(level="warning", form="console")
    began_at, load_before = time.monotonic(), os.getloadavg()[0]
    figures = asyncio.run(_awaited(main(options)))
    report = {
        "benchmark": Path(sys.argv[0]).stem,
        "command": " ".join(["python -m", f"bench.{Path(sys.argv[0]).stem}", *sys.argv[1:]]),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "load": {"before": round(load_before, 2), "after": round(os.getloadavg()[0], 2)},
        "took_s": round(time.monotonic() - began_at, 1),
        **figures,
    }
    print(json.dumps(report) if options.json else told(report))


async def _awaited(figures: Awaitable[Mapping[str, Any]]) -> Mapping[str, Any]:
    return await figures


def machine() -> str:
    """Cores, kernel and Python: what a figure depends on."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def told(report: Mapping[str, Any]) -> str:
    """The report for people."""
    lines: list[str] = []
    for name, value in report.items():
        if isinstance(value, Mapping):
            lines += [f"{name:>22}  {key}: {_shown(inner)}" for key, inner in value.items()]
        else:
            lines.append(f"{name:>22}  {_shown(value)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_shown(inner) for inner in value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


class Progress:
    """One line on stderr that says what goes on; rewritten in place on a terminal."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._told_at = 0.0

    def tell(self, text: str, *, done: int = 0, of: int = 0) -> None:
        """Say it; what comes too often is left out."""
        now = time.monotonic()
        if of and done < of and now - self._told_at < (0.2 if self._is_terminal else 2.0):
            return
        self._told_at = now
        bar = f" [{'█' * (20 * done // of):░<20}] {done:,}/{of:,}" if of else ""
        if self._is_terminal:
            print(f"\r\033[K{text}{bar}", end="", file=sys.stderr, flush=True)
        else:
            print(f"{text}{bar}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------------------------------- the database


class MeasuredPostgres(Postgres):
    """A private PostgreSQL, durable, that counts statements."""

    def _command(self) -> list[str]:
        settings = {"shared_preload_libraries": "pg_stat_statements", "max_wal_size": "4GB"}
        return [*super()._command(), *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))]


@dataclass(frozen=True)
class Database:
    """Where a benchmark works: Foliot's place, its twin's place, and the server's process."""

    foliot: str
    twin: str
    pid: int | None = None  # of a database server of our own
    admin: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_sqlite(self) -> bool:
        return self.foliot.startswith("sqlite:")


@asynccontextmanager
async def database(url: str | None) -> AsyncIterator[Database]:
    """A private durable PostgreSQL, MariaDB, or pair of SQLite files; or the empty database at the URL, for both."""
    if url == "sqlite":
        with tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
            yield Database(f"sqlite:///{folder}/foliot.db", f"sqlite:///{folder}/twin.db")
    elif url == "mariadb":
        with MariaDB() as server:
            yield Database(server.database(), server.database(), server.pid)
    elif url is not None:
        yield Database(url, url)
    else:
        with MeasuredPostgres() as private:
            yield Database(private.database(), private.database(), private.pid, private.admin_url)


# -------------------------------------------------------------------------------------------------------- the processes


class Cluster:
    """Servers and workers as real processes, each with a log of its own."""

    def __init__(self, url: str, *, timing: str = "prod") -> None:
        self.url = url
        self.processes: dict[str, Process] = {}
        self._timing = timing
        self._folder = Path(tempfile.mkdtemp(prefix="foliot-bench-"))
        self._token = self._folder / "token"
        self._token.write_text("bench-token-0123456789-abcdefghijklmnop", "utf-8")
        self._ports: dict[str, int] = {}

    async def start_server(self, name: str = "server", *, url: str | None = None) -> Process:
        """A server that answers."""
        port = self._ports.setdefault(name, free_ports(1)[0])
        process = self._started(
            name,
            *("server", "--db", url or self.url, "--listen", f"127.0.0.1:{port}", "--node", name),
            *("--timing", self._timing, "--bootstrap-token-file", str(self._token), "--log-level", "warning"),
        )
        await self._until(lambda: _listens(port), process)
        return process

    async def start_worker(self, name: str = "worker", *, slots: int, module: str = "bench.noop") -> Process:
        """A worker; whether it registered shows in the database."""
        servers = ",".join(f"http://127.0.0.1:{port}" for port in self._ports.values())
        return self._started(
            name,
            *("worker", module, "--name", name, "--server", servers, "--token-file", str(self._token)),
            *("--slots", str(slots), "--spool", str(self._folder / f"spool-{name}"), "--log-level", "warning"),
        )

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Nothing of it runs while this block does: for a twin on the same database."""
        for process in self.processes.values():
            process.pause()
        try:
            yield
        finally:
            for process in self.processes.values():
                process.resume()

    def pids(self) -> dict[str, int]:
        return {name: process.pid for name, process in self.processes.items()}

    def close(self) -> None:
        for process in self.processes.values():
            process.close()

    def check(self) -> None:
        """Raise when a process has ended by itself; the end of its log says why."""
        for name, process in self.processes.items():
            if not process.is_alive:
                raise RuntimeError(f"{name} ended:\n{tail(process)}")

    async def _until(self, condition: Callable[[], Awaitable[bool]], process: Process) -> None:
        deadline = time.monotonic() + START_WITHIN_S
        while not await condition():
            self.check()
            if time.monotonic() > deadline:
                raise TimeoutError(f"{process.name} did not answer within {START_WITHIN_S:g} s:\n{tail(process)}")
            await asyncio.sleep(0.05)

    def _started(self, name: str, *words: str) -> Process:
        command = [sys.executable, "-m", "foliot", *words]
        process = self.processes[name] = Process(name, command, self._folder, {})
        return process

    @asynccontextmanager
    async def profiled(self, profile: str | None) -> AsyncIterator[None]:
        """Have py-spy watch every process while this block runs, if that was asked for."""
        if profile is None:
            yield
            return
        folder = Path(profile)
        folder.mkdir(parents=True, exist_ok=True)
        spy = str(Path(sys.executable).parent / "py-spy")
        watching = []
        for name, process in self.processes.items():
            out = str(folder / f"{name}.txt")
            command = [
                spy,
                "record",
                "-p",
                str(process.pid),
                "-r",
                "400",
                "--nonblocking",
                "-f",
                "raw",
                "-o",
                out,
                "-d",
                "600",
            ]
            watching.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        try:
            yield
        finally:
            for spying in watching:
                spying.send_signal(signal.SIGINT)  # it writes what it saw
                await asyncio.to_thread(spying.wait, 20)


@asynccontextmanager
async def statements(place: Database, out: str | None) -> AsyncIterator[None]:
    """Have PostgreSQL count what it does while this block runs, if that was asked for."""
    if out is None or place.admin is None:
        yield
        return
    connection = await asyncpg.connect(place.admin)
    try:
        await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        await connection.execute("SELECT pg_stat_statements_reset()")
        yield
        rows = await connection.fetch(STATEMENTS, place.foliot.rpartition("/")[2])
    finally:
        await connection.close()
    lines = [f"{row[0]:>7} calls {row[1]:>9.1f} ms {row[2]:>8} rows  {' '.join(row[3].split())[:150]}" for row in rows]
    Path(out).write_text("\n".join(lines) + "\n", "utf-8")


@contextmanager
def cluster(url: str, *, timing: str = "prod") -> Iterator[Cluster]:
    """Processes that end with this block."""
    started = Cluster(url, timing=timing)
    try:
        yield started
    finally:
        started.close()


def tail(process: Process, lines: int = 15) -> str:
    return "\n".join(process.log.read_text("utf-8", "replace").splitlines()[-lines:])


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


# --------------------------------------------------------------------------------------------------------------- cost


class Cost:
    """Seconds of CPU that processes use between two looks."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = dict(pids)
        self._before = self._now()

    def spent(self) -> dict[str, float]:
        """By process, since the last look."""
        now = self._now()
        spent = {name: round(seconds - self._before[name], 3) for name, seconds in now.items()}
        self._before = now
        return spent

    def _now(self) -> dict[str, float]:
        return {name: cpu_seconds(pid) for name, pid in self._pids.items()}


def cpu_seconds(pid: int) -> float:
    """CPU time of a process, the children it has and those it had."""
    process = psutil.Process(pid)
    own = process.cpu_times()
    seconds = own.user + own.system + own.children_user + own.children_system
    for child in process.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        seconds += times.user + times.system
    return float(seconds)


def median(values: Sequence[float], digits: int = 3) -> float:
    return round(statistics.median(values), digits)


def quantiles_ms(values: Sequence[int]) -> dict[str, float]:
    """p50, p99 and the greatest, of microseconds, in milliseconds."""
    ordered = sorted(values)
    at = {"p50": 0.50, "p99": 0.99, "max": 1.0}
    return {name: round(ordered[min(len(ordered) - 1, int(len(ordered) * q))] / 1000, 1) for name, q in at.items()}
