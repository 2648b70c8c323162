"""A cluster of real processes on one store: started, killed, paused and, at the end, settled and judged."""

import asyncio
import ctypes
import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from foliot.app.system import SystemChance, SystemClock
from foliot.domain.planning import CatchUpPacer, decide_batch
from foliot.ports.store import Actor, TriggerRequest
from foliot.store.sql.statement import Statement
from foliot.store.sql.store import SqlStore
from foliot_check.findings import Finding, verify
from foliot_check.history import Bounds
from foliot_check.reader import read_history
from tests.eventually import soon
from tests.servers.ports import free_ports

ROOT = Path(__file__).parents[2]
BY = Actor(name="fault test", reason="the load is over")
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """However the test process ends, its children end with it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One server or worker."""

    def __init__(self, name: str, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._out: IO[bytes] = self.log.open("ab")
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509  nothing but one system call
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself, and not well."""
        return self._process.poll() not in (None, 0, -signal.SIGKILL)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self, *, within_s: float = 20.0) -> int:
        """Drain and leave; the exit code."""
        if self.is_alive:
            self._process.terminate()
        return self._process.wait(within_s)

    def close(self) -> None:
        if self.is_alive:
            os.kill(self.pid, signal.SIGCONT)
            self.kill()
        self._out.close()


class Cluster:
    """Servers and workers on one store, and what happened to them."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.journals = folder / "journals"
        self.journals.mkdir()
        self.logs = folder  # where processes started from now on write their logs
        self.processes: dict[str, Process] = {}
        self._ports: dict[str, int] = {}
        self._nemesis = (folder / "nemesis.jsonl").open("a", encoding="utf-8")
        self._token = folder / "token"
        self._token.write_text("fault-test-token-0123456789-abcdefghijkl", "utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            process.close()
        self._nemesis.close()

    # -- processes ------------------------------------------------------------------------------------------------

    def start_server(self, name: str, *, fault: str = "", url: str = "") -> Process:
        """A server that answers; it keeps its port when started again. `url`: of the store, through a proxy."""
        port = self._ports.setdefault(name, free_ports(1)[0])
        command = [
            *(sys.executable, "-m", "foliot", "server", "--db", url or self.url, "--listen", f"127.0.0.1:{port}"),
            *("--node", name, "--timing", "test", "--bootstrap-token-file", str(self._token)),
        ]
        return self._started(name, command, {"FOLIOT_FAULT_POINT": fault} if fault else {})

    def start_worker(
        self, name: str, *, slots: int = 4, server: str = "", jobs: str = "tests.cluster.workload"
    ) -> Process:
        """A worker of the workload, or of other `jobs`; `server`: through a proxy."""
        command = [
            *(sys.executable, "-m", "foliot", "worker", jobs, "--name", name),
            *("--server", server or ",".join(self.server_urls), "--token-file", str(self._token)),
            *("--slots", str(slots), "--spool", str(self.folder / f"spool-{name}")),
        ]
        return self._started(name, command, {"FOLIOT_JOURNALS": str(self.journals)})

    @property
    def token(self) -> str:
        """What opens every door of this cluster."""
        return self._token.read_text("utf-8")

    def port_of(self, name: str) -> int:
        return self._ports[name]

    @property
    def server_urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self._ports.values()]

    def _started(self, name: str, command: list[str], environment: Mapping[str, str]) -> Process:
        process = self.processes[name] = Process(name, command, self.logs, environment)
        return process

    # -- nemesis --------------------------------------------------------------------------------------------------

    def note(self, what: str, **facts: object) -> None:
        """Enter a fault into the nemesis' journal: before it happens, so that none goes unrecorded."""
        self._nemesis.write(json.dumps({"what": what, "mono": time.monotonic(), **facts}) + "\n")
        self._nemesis.flush()

    def kill(self, name: str) -> None:
        self.note("kill", node=name)
        self.processes[name].kill()

    # -- the store ------------------------------------------------------------------------------------------------

    async def declared(self, job: str, *, within_s: float = 90.0) -> None:
        """Until a worker has declared this job."""
        async with self._store() as store:

            async def known() -> bool:
                self._check_processes()
                page = await store.queries.list_jobs(None, limit=200)
                return any(found["name"] == job for found in page.items)

            await soon(known, within_s=within_s, what=f"{job} is declared")

    async def trigger(self, job: str, count: int) -> None:
        """So many runs by hand."""
        async with self._store() as store:
            for number in range(count):
                await store.runs.trigger(TriggerRequest(namespace="default", job=job, key=f"{job}-{number}", by=BY))

    async def count(self, condition: str) -> int:
        """How many runs are like this."""
        async with self._store() as store:
            return await _count(store, condition)

    async def runs(self, job: str) -> Sequence[Mapping[str, Any]]:
        """The runs of a job, as they stand in the store."""
        statement = Statement("SELECT r.* FROM runs r JOIN jobs j ON j.id = r.job_id WHERE j.name = :job ORDER BY r.id")
        async with self._store() as store:
            rows = await store.database.read(lambda tx: tx.rows(statement, {"job": job}))
            return [dict(row._mapping) for row in rows]

    # -- the end --------------------------------------------------------------------------------------------------

    async def wait_for_runs(self, count: int, *, within_s: float = 90.0) -> None:
        """Until so many runs have ended well: the cluster is warm."""
        async with self._store() as store:

            async def ended() -> bool:
                self._check_processes()
                return await _count(store, "state = 'SUCCEEDED'") >= count

            await soon(ended, within_s=within_s, what=f"{count} runs succeeded")

    async def wait_dead(self, processes: Sequence[Process], *, within_s: float = 60.0) -> None:
        """Until one of these processes, which break themselves, has done so."""
        await soon(lambda: not all(process.is_alive for process in processes), within_s=within_s, what="a death")

    async def settle(self, *, within_s: float = 90.0) -> None:
        """End the load: pause every job, wait until nothing is live any more."""
        decide = functools.partial(decide_batch, pacer=CatchUpPacer())
        async with self._store() as store:
            page = await store.queries.list_jobs(None, limit=100)
            for job in page.items:
                await store.jobs.pause(job["namespace"], job["name"], by=BY, decide=decide)

            async def quiet() -> bool:
                return await _count(store, "state IN ('PENDING', 'RUNNING')") == 0

            await soon(quiet, within_s=within_s, what="every run ended")

    async def judge(self) -> Mapping[str, Finding]:
        """Every invariant's verdict on what happened."""
        history = await asyncio.to_thread(
            read_history,
            self.url,
            workers=sorted(self.journals.glob("*.jsonl")),
            nemesis=[self.folder / "nemesis.jsonl"],
            clients=sorted(self.folder.glob("client*.jsonl")),
            bounds=Bounds(servers=sum(name.startswith("s") for name in self._ports)),
        )
        return verify(history)

    def _store(self) -> "_OpenStore":
        return _OpenStore(self.url)

    def _check_processes(self) -> None:
        for name, process in self.processes.items():
            assert not process.has_failed, f"{name} ended by itself:\n{self.tail(name)}"

    def tail(self, name: str, lines: int = 20) -> str:
        return "\n".join(self.processes[name].log.read_text("utf-8", "replace").splitlines()[-lines:])


class _OpenStore:
    def __init__(self, url: str) -> None:
        self._url = url

    async def __aenter__(self) -> SqlStore:
        self._opened = await SqlStore.open(self._url, clock=SystemClock(), chance=SystemChance())
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        await self._opened.close()


async def _count(store: SqlStore, condition: str) -> int:
    statement = Statement(f"SELECT count(*) FROM runs WHERE {condition}")
    return int(await store.database.read(lambda tx: tx.rows(statement)[0][0]))
