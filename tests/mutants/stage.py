"""The stage of a scene: a recorded store, clients and workers that follow a script, and the journals of what they do.

`python -m tests.mutants.stage SCENE URL FOLDER` plays a scene on the Foliot that Python finds first. It runs in a
process of its own, so that the Foliot of the scene may be a mutant while that of the test is not.
"""

import asyncio
import importlib
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import foliot
from foliot.domain.instants import MILLISECOND, SECOND, Instant, Micros
from foliot.domain.run import Landing
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import Term
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.store import SqlStore
from tests.cluster.cluster import Cluster
from tests.cluster.recording import record_postgresql, record_sqlite
from tests.conformance.building import NS, PERSON, PLANS, fire
from tests.conformance.working import Worker
from tests.eventually import soon
from tests.sql.world import World, migrate

WITHIN_S = 60.0
GRACE_US: Micros = 50 * MILLISECOND
SESSION_TTL_US: Micros = 1 * SECOND  # what the leader goes by: the amnesty lasts as long
TERM_US: Micros = 60 * SECOND
BRIEF_US: Micros = 300 * MILLISECOND  # of a session that is to run out


class Journal:
    """One JSON object a line, written at once."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def write(self, what: str, **facts: Any) -> None:
        self._file.write(json.dumps({"what": what, "mono": time.monotonic(), **facts}) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class Player(Worker):
    """A worker that follows the script, and writes down what its handler does and how its reports land."""

    def __init__(self, stage: "Stage", store: SqlStore | None = None) -> None:
        super().__init__(stage.world, store)
        self._journal = stage.journal

    async def start(self, run: LeasedRun) -> None:
        """The handler begins, and the next beat says so."""
        self._note("start", run)
        await self.beat(run)

    async def end(self, run: LeasedRun) -> Landing:
        """The handler ends well, and this is reported."""
        self._note("end", run)
        (landing,) = await self.complete(run)
        self._journal.write("report", run=run.run_id, lease=run.lease_id, landing=str(landing))
        return landing

    async def execute(self, run: LeasedRun) -> None:
        await self.start(run)
        await self.end(run)

    async def fall_silent(self, *held: LeasedRun, after_us: Micros = BRIEF_US) -> None:
        """The last beat of this session; it runs out soon."""
        answer = await self.beat(*held, ttl_us=after_us)
        assert answer.alive

    def _note(self, what: str, run: LeasedRun) -> None:
        facts = {"run": run.run_id, "job": run.job, "attempt": run.attempt, "fence": run.fence, "lease": run.lease_id}
        self._journal.write(what, **facts, node=self.name, session=self.session)


class Stage:
    """What a scene is played with."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.world = World(url, in_real_time=True)
        self.journal = Journal(folder / "worker.jsonl")
        self.nemesis = Journal(folder / "nemesis.jsonl")
        self.client = Journal(folder / "client.jsonl")

    async def __aenter__(self) -> Self:
        await migrate(self.url)
        if self.url.startswith("sqlite"):
            record_sqlite(str(self.path))
        else:
            await record_postgresql(self.url)
        await self.world.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.world.close()
        for journal in (self.journal, self.nemesis, self.client):
            journal.close()

    @property
    def path(self) -> Path:
        """The file of a SQLite store."""
        return Path(self.url.removeprefix("sqlite:///"))

    async def failover(self, replica: Path) -> None:
        """The store's file is gone, and a copy that may be older takes its place; every server opens it anew."""
        await self.world.close()
        for file in self.path.parent.glob(f"{self.path.name}*"):  # its log of commits, too
            file.unlink()
        replica.rename(self.path)
        self.world = World(self.url, in_real_time=True)
        await self.world.open()

    @contextmanager
    def processes(self) -> Iterator[Cluster]:
        """Servers as real processes, ended with the block."""
        folder = self.folder / "cluster"
        folder.mkdir()
        with Cluster(self.url, folder) as cluster:
            yield cluster

    # -- who plays ------------------------------------------------------------------------------------------------

    async def worker(self, store: SqlStore | None = None) -> Player:
        """A registered worker."""
        player = Player(self, store)
        await player.register()
        return player

    async def housekeeping(
        self, done: Callable[[], Awaitable[bool]], *, session: str = "leader", store: SqlStore | None = None
    ) -> None:
        """The leader's rounds, one after another: its tick, then its reaping; until `done`."""

        async def round_() -> bool:
            await self.reap((await self.tick(session, store=store)).number, store=store)
            return await done()

        await soon(round_, within_s=WITHIN_S, what="the leader's rounds came to what they were for")

    async def tick(self, session: str = "leader", *, ttl_us: Micros = TERM_US, store: SqlStore | None = None) -> Term:
        """The term this session holds from now on."""
        nodes = (store or self.world.store).nodes
        term = await nodes.campaign(session, ttl_us=ttl_us, session_ttl_us=SESSION_TTL_US)
        assert term is not None, "another leads"
        return term

    async def reap(self, term: int, *, store: SqlStore | None = None) -> int:
        """What a leader in this term does about sessions that ran out; how many runs it took away."""
        runs = (store or self.world.store).runs
        return await runs.reap(judge, limit=100, term=term, grace_us=GRACE_US, session_ttl_us=SESSION_TTL_US)

    # -- what is to be seen ---------------------------------------------------------------------------------------

    async def state_of(self, run: LeasedRun) -> str:
        return str(await self.world.value("SELECT state FROM runs WHERE id = :id", id=run.run_id))

    async def is_dead(self, player: Worker) -> bool:
        return bool(await self.world.value("SELECT state FROM nodes WHERE id = :id", id=player.session) == "dead")

    async def until(self, instant: Instant) -> None:
        """Until store time has passed an instant."""

        async def passed() -> bool:
            return await self.world.now() > instant

        await soon(passed, within_s=WITHIN_S, what="store time passed")

    # -- the end --------------------------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Decide what is due, pause every job, execute what is left."""
        await fire(self.world)
        for row in await self.world.rows("SELECT name FROM jobs WHERE deleted_at = 0"):
            await self.world.store.jobs.pause(NS, row["name"], by=PERSON, plans=PLANS)
        last = await self.worker()

        async def quiet() -> bool:
            while runs := await last.lease(1):
                await last.execute(runs[0])
            return bool(await self.world.value("SELECT count(*) FROM runs WHERE state IN ('PENDING', 'RUNNING')") == 0)

        await soon(quiet, within_s=WITHIN_S, what="every run ended")


async def play(scene: str, url: str, folder: Path) -> None:
    """Play a scene from its beginning to quiescence."""
    async with Stage(url, folder) as stage:
        await importlib.import_module(scene).play(stage)
        await stage.settle()


if __name__ == "__main__":
    print("played on", foliot.__file__, flush=True)
    asyncio.run(asyncio.wait_for(play(sys.argv[1], sys.argv[2], Path(sys.argv[3])), 2 * WITHIN_S))
