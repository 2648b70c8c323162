"""A cluster of real processes on one store: started, killed, paused and, at the end, settled and judged."""

import asyncio
import json
import os
import random
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.planner import Planner
from foliot.domain.run import format_run_id
from foliot.ports.store.actor import Actor
from foliot.ports.store.lookups import JobFilter, JobRow
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.kernel.connect import TimeLimits, open_database
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.store import SqlStore
from foliot_check.figures import figures_of
from foliot_check.findings import Finding, verify
from foliot_check.history import Bounds, History
from foliot_check.reader import read_history
from foliot_check.report import as_table
from tests.cluster.asking import asked
from tests.cluster.figures import store_of, write_figures
from tests.cluster.metrics import Metrics
from tests.cluster.process import Process
from tests.eventually import soon
from tests.servers.ports import hold_port

BY = Actor(name="fault test", reason="the load is over")
TOKEN = "fault-test-token-0123456789-abcdefghijkl"
SEED = "FOLIOT_FAULT_SEED"
"""Set to a number, every random choice of a fault test is made as in the run that printed it."""

LEADER = "SELECT n.name FROM leases l JOIN nodes n ON n.id = l.holder_session WHERE l.name = 'leader'"
WORKERS = 4
SERVERS = 3
SETTLE_WITHIN_S = 90.0
PAGE = 1000
UNHURRIED = TimeLimits(
    acquire_s=60, statement_s=60, lock_s=60, idle_control_s=60, idle_s=60, transaction_s=90, connect_s=60
)
"""What the test itself asks of the store is answered in the end, however crowded the machine is."""
ASKED_WITHIN_S = 2.0
ASKED_LAST_WITHIN_S = 30.0


class Cluster:
    """Servers and workers on one store, and what happened to them."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.store = store_of(url)  # as figures name it
        self.folder = folder
        self.journals = folder / "journals"
        self.journals.mkdir()
        self.lossy = False  # a failover may forget: then what it undid is counted and not failed
        self.logs = folder  # where processes started from now on write their logs
        self.processes: dict[str, Process] = {}
        self.seed = int(os.environ.get(SEED) or random.randrange(10**9))
        self.chance = random.Random(self.seed)
        """What the nemesis chooses by."""
        self.figures: dict[str, Any] = {}
        """What only the test can measure; goes into the figures beside what the checker finds."""
        self._ports: dict[str, int] = {}
        self._starts: dict[str, tuple[list[str], Mapping[str, str]]] = {}  # command and environment of each node
        self._places: list[socket.socket] = []  # keep the ports of servers that are not there yet, or not just now
        self._nemesis = (folder / "nemesis.jsonl").open("a", encoding="utf-8")
        self._token = folder / "token"
        self._token.write_text(TOKEN, "utf-8")
        self._metrics = Metrics(TOKEN)
        self._peak_mb: dict[str, int] = {}
        print(f"nemesis: {SEED}={self.seed}")
        self.note("began", seed=self.seed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            process.close()
        for place in self._places:
            place.close()
        self._nemesis.close()

    # -- processes ------------------------------------------------------------------------------------------------

    @property
    def is_sqlite(self) -> bool:
        """SQLite serves one machine: one server, started again after a kill."""
        return self.url.startswith("sqlite")

    @property
    def servers(self) -> list[str]:
        return [name for name in self.processes if name.startswith("s")]

    @property
    def workers(self) -> list[str]:
        return [name for name in self.processes if name.startswith("w")]

    def start(self, *, servers: int = SERVERS, workers: int = WORKERS, fault: str = "", jobs: str = "") -> None:
        """Servers (on SQLite: one), all with this fault point, and workers with four slots each.

        `jobs`: modules of further jobs.
        """
        for number in range(1 if self.is_sqlite else servers):
            self.start_server(f"s{number + 1}", fault=fault)
        for number in range(workers):
            self.start_worker(f"w{number + 1}", jobs=f"tests.cluster.workload {jobs}")

    def start_server(
        self,
        name: str,
        *,
        fault: str = "",
        url: str = "",
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        """A server that answers; it keeps its port when started again. `url`: the store through a proxy."""
        port = self._ports.get(name) or self._kept_port(name)
        command = [
            *(sys.executable, "-m", "foliot", "server", "--db", url or self.url, "--listen", f"127.0.0.1:{port}"),
            *("--node", name, "--timing", "test", "--bootstrap-token-file", str(self._token), *options),
        ]
        return self._started(name, command, {"FOLIOT_FAULT_POINT": fault, **(environment or {})})

    def start_worker(
        self,
        name: str,
        *,
        slots: int = 4,
        server: str = "",
        jobs: str = "tests.cluster.workload",
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Process:
        """A worker of the workload, or of other `jobs` (modules); `server`: through a proxy."""
        command = [
            *(sys.executable, "-m", "foliot", "worker", *jobs.split(), "--name", name, *options),
            *("--server", server or ",".join(self.server_urls), "--token-file", str(self._token)),
            *("--slots", str(slots), "--spool", str(self.folder / f"spool-{name}")),
        ]
        return self._started(name, command, {"JOURNALS": str(self.journals), **(environment or {})})

    def start_again(self, name: str) -> Process:
        """The node of this name as a new process, started as it was last."""
        return self._started(name, *self._starts[name])

    @property
    def token(self) -> str:
        """What opens every door of this cluster."""
        return self._token.read_text("utf-8")

    def port_of(self, name: str) -> int:
        return self._ports[name]

    def address_of(self, name: str) -> str:
        """Where this server is reached, also before it is started."""
        return f"http://127.0.0.1:{self._ports.get(name) or self._kept_port(name)}"

    @property
    def server_urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self._ports.values()]

    def _kept_port(self, name: str) -> int:
        """One that is this server's as long as there is the cluster."""
        place = hold_port()
        self._places.append(place)
        self._ports[name] = int(place.getsockname()[1])
        return self._ports[name]

    def _started(self, name: str, command: list[str], environment: Mapping[str, str]) -> Process:
        self._starts[name] = command, environment
        if name in self.processes:
            self._take_leave(name)
            self.processes[name].close()
        process = self.processes[name] = Process(name, command, self.logs, environment)
        return process

    def _take_leave(self, name: str, *, within_s: float = ASKED_WITHIN_S) -> None:
        """Note what goes with a process: its counters and its peak of memory."""
        kind = "server" if name in self._ports else "worker"
        process = self.processes[name]
        self._peak_mb[kind] = max(self._peak_mb.get(kind, 0), process.peak_memory_mb)
        if name in self._ports and process.is_alive and not process.is_paused:
            self._metrics.read(f"{name}:{process.pid}", self._ports[name], within_s=within_s)

    # -- nemesis --------------------------------------------------------------------------------------------------

    def note(self, what: str, **facts: object) -> None:
        """Enter a fault into the nemesis' journal: before it happens, so that none goes unrecorded."""
        line = {"what": what, "mono": time.monotonic(), "at": int(time.time() * 1_000_000), **facts}
        self._nemesis.write(json.dumps(line) + "\n")
        self._nemesis.flush()

    def kill(self, name: str) -> None:
        self._take_leave(name)
        self.note("kill", node=name)
        self.processes[name].kill()

    def pause(self, name: str) -> None:
        self.note("pause", node=name)
        self.processes[name].pause()

    def resume(self, name: str) -> None:
        self.note("resume", node=name)
        self.processes[name].resume()

    async def load(self, for_s: float) -> None:
        """Let the cluster work for so long; a process that ends by itself is a failure."""
        until = time.monotonic() + for_s

        def over() -> bool:
            self.check_processes()
            return time.monotonic() >= until

        await soon(over, within_s=for_s + 30, step_s=0.05, what="the load")

    async def answers(self, name: str, *, within_s: float = 120.0) -> None:
        """Until this server serves."""
        port = self._ports[name]

        async def up() -> bool:
            self.check_processes()
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET /readyz HTTP/1.1\r\nHost: foliot\r\nConnection: close\r\n\r\n")
                said = await asyncio.wait_for(reader.read(), 10)
                writer.close()
            except (OSError, TimeoutError):
                return False
            return b" 200 " in said.partition(b"\r\n")[0]

        await soon(up, within_s=within_s, step_s=0.1, what=f"{name} answers")

    async def leader(self, *, within_s: float = 30.0) -> str:
        """The server that leads now."""
        name = ""

        async def there() -> bool:
            nonlocal name
            name = await asked(self.url, LEADER) or ""
            return name in self.processes and self.processes[name].is_alive

        await soon(there, within_s=within_s, step_s=0.05, what="a leader")
        return name

    # -- the store ------------------------------------------------------------------------------------------------

    async def declared(self, job: str, *, within_s: float = 90.0) -> None:
        """Until a worker has declared this job."""
        async with self._store() as store:

            async def known() -> bool:
                self.check_processes()
                return any(found.name == job for found in await _every_job(store))

            await soon(known, within_s=within_s, what=f"{job} is declared")

    async def trigger(self, job: str, count: int, *, mark: str = "") -> None:
        """So many runs by hand; `mark`: others than those of an earlier call."""
        async with self._store() as store:
            for number in range(count):
                key = f"{job}-{mark}{number}"
                await store.runs.trigger(TriggerRequest(namespace="default", job=job, key=key, by=BY))

    async def trigger_raw(self, job: str, params: str) -> str:
        """A run with these parameters, whatever they are, past everybody who would look at them; its id."""
        async with self._store() as store:
            order = TriggerRequest(namespace="default", job=job, key=f"raw-{random.random()}", by=BY, params=params)
            return format_run_id((await store.runs.trigger(order)).run_id)

    async def count(self, condition: str, *, of: str = "runs") -> int:
        """How many runs (or rows of another table) are like this."""
        async with self._store() as store:
            return await _count(store, condition, of=of)

    async def runs(self, job: str) -> Sequence[Mapping[str, Any]]:
        """The runs of a job, as they stand in the store."""
        statement = "SELECT r.* FROM runs r JOIN jobs j ON j.id = r.job_id WHERE j.name = :job ORDER BY r.id"
        return await self.rows(statement, job=job)

    async def rows(self, statement: str, **values: Any) -> Sequence[Mapping[str, Any]]:
        """What the store answers."""
        async with self._store() as store:
            rows = await store.database.read(lambda tx: tx.rows(Statement(statement), values))
            return [dict(row._mapping) for row in rows]

    def open_store(self) -> "_OpenStore":
        """The store itself, past every server: `async with cluster.open_store() as store`."""
        return self._store()

    # -- the end --------------------------------------------------------------------------------------------------

    async def wait_for_runs(self, count: int, *, within_s: float = 180.0) -> None:
        """Until everybody is there and so many runs have ended well: the cluster is warm."""
        there = ", ".join(f"'{name}'" for name, process in self.processes.items() if process.is_alive)
        live = Statement(f"SELECT count(DISTINCT name) FROM nodes WHERE state = 'live' AND name IN ({there})")
        async with self._store() as store:

            async def warm() -> bool:
                self.check_processes()
                known = await store.database.read(lambda tx: tx.rows(live)[0][0])
                return known == there.count(",") + 1 and await _count(store, "state = 'SUCCEEDED'") >= count

            await soon(warm, within_s=within_s, what=f"everybody is there and {count} runs succeeded")

    async def wait_dead(self, processes: Sequence[Process], *, within_s: float = 60.0) -> None:
        """Until one of these processes, which break themselves, has done so."""
        await soon(lambda: not all(process.is_alive for process in processes), within_s=within_s, what="a death")

    async def settle(self, *, within_s: float = SETTLE_WITHIN_S) -> None:
        """End the load: pause every job, wait until nothing is live any more."""
        began_at = time.monotonic()
        plans = Planner()
        async with self._store() as store:
            for job in await _every_job(store):
                if "at" not in (job.document.get("schedule") or {}):  # a job of one instant has had it
                    await store.jobs.pause(job.namespace, job.name, by=BY, plans=plans)

            async def quiet() -> bool:
                return await _count(store, "state IN ('PENDING', 'RUNNING')") == 0

            await soon(quiet, within_s=within_s, what="every run ended")
        self.figures["settle_s"] = round(time.monotonic() - began_at, 2)

    async def history(self) -> History:
        """What happened so far."""
        return await asyncio.to_thread(
            read_history,
            self.url,
            workers=sorted(self.journals.glob("worker-*.jsonl")),
            nemesis=[self.folder / "nemesis.jsonl"],
            clients=sorted(self.folder.glob("client*.jsonl")),
            resources=sorted(self.journals.glob("resource-*.jsonl")),
            bounds=Bounds(servers=len(self._ports), lossy=self.lossy),
        )

    async def judge(self) -> Mapping[str, Finding]:
        """Every invariant's verdict on what happened; `figures` are complete then."""
        history = await self.history()
        findings = verify(history)
        for name in self.processes:
            await asyncio.to_thread(self._take_leave, name, within_s=ASKED_LAST_WITHIN_S)
        self.figures = {
            **figures_of(history, findings),
            **self._metrics.figures(),
            "peak_memory_mb": dict(self._peak_mb),
            "seed": self.seed,
            **self.figures,
        }
        return findings

    async def judged(
        self, fault: str, *, at_least: int = 30, settle_within_s: float = SETTLE_WITHIN_S
    ) -> Mapping[str, Finding]:
        """Settle, judge, write the figures down as those of this fault; every invariant must hold (Base)."""
        await self.settle(within_s=settle_within_s)
        findings = await self.judge()
        wrong = {number: finding.wrong[:5] for number, finding in findings.items() if not finding.holds}
        write_figures(fault, self.store, {**self.figures, "not_held": wrong})
        assert not wrong, as_table(findings)
        assert findings["I1"].looked_at >= at_least, "the load was real"
        assert self.figures["zombies_accepted"] == 0
        return findings

    def _store(self) -> "_OpenStore":
        return _OpenStore(self.url)

    def check_processes(self) -> None:
        for name, process in self.processes.items():
            assert not process.has_failed, f"{name} ended by itself:\n{self.tail(name)}"

    def tail(self, name: str, lines: int = 20) -> str:
        return "\n".join(self.processes[name].log.read_text("utf-8", "replace").splitlines()[-lines:])


class _OpenStore:
    def __init__(self, url: str) -> None:
        self._url = url

    async def __aenter__(self) -> SqlStore:
        clock, chance = SystemClock(), SystemChance()
        self._opened = SqlStore(open_database(self._url, clock=clock, chance=chance, limits=UNHURRIED))
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        await self._opened.close()


async def _every_job(store: SqlStore) -> Sequence[JobRow]:
    """All jobs, however many pages they fill."""
    page = await store.lookups.jobs(JobFilter(), limit=PAGE)
    jobs = [*page.items]
    while page.next_cursor is not None:
        page = await store.lookups.jobs(JobFilter(), limit=PAGE, cursor=page.next_cursor)
        jobs += page.items
    return jobs


async def _count(store: SqlStore, condition: str, *, of: str = "runs") -> int:
    statement = Statement(f"SELECT count(*) FROM {of} WHERE {condition}")
    return int(await store.database.read(lambda tx: tx.rows(statement)[0][0]))
