"""The ground a benchmark stands on: a migrated database filled with jobs and runs, and what is counted there after.

Everything is written once, as the store's own statements are: one text for every database.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from foliot.domain.definition import from_document
from foliot.domain.instants import SECOND, Instant
from foliot.domain.job import LoadedJob
from foliot.domain.planner import Planner
from foliot.ports.store.actor import Actor
from foliot.store.sql.firing.follow import follow_of, serial_of
from foliot.store.sql.kernel import schema
from foliot.store.sql.kernel.connect import PATIENT, open_database
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.store import SqlStore
from foliot_bench.moments import CHANCE, CLOCK, this_second
from foliot_bench.troubles import BenchFailed

HANDLER: Final = "foliot_bench.noop:noop"
BY: Final = Actor(name="bench")
SLICE: Final = 10_000
NUMBERS: Final = RowSet("d", n=BIGINT, name=TEXT)

COPY_JOBS: Final = Statement(
    """
    INSERT INTO jobs (id, namespace, name, version, source, created_at, updated_at)
    SELECT j.id + d.n, j.namespace, d.name, j.version, j.source, j.created_at, j.updated_at
    FROM jobs j CROSS JOIN {d} WHERE j.id = :first
    """,
    NUMBERS,
)
COPY_VERSIONS: Final = Statement(
    """
    INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
    SELECT v.job_id + d.n, v.version, v.hash, v.definition, v.lane_id, v.merge_lane_id, v.created_at, v.created_by,
           v.reason
    FROM job_versions v CROSS JOIN {d} WHERE v.job_id = :first
    """,
    NUMBERS,
)
COPY_CURSORS: Final = Statement(
    """
    INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver)
    SELECT c.job_id + d.n, c.version, c.state, c.next_at, c.next_due_at, 1
    FROM cursors c CROSS JOIN {d} WHERE c.job_id = :first
    """,
    NUMBERS,
)
MAKE_DUE: Final = Statement(
    "UPDATE cursors SET next_at = :at, next_due_at = :at, skip_from = NULL, cursor_ver = cursor_ver + 1 "
    "WHERE next_at IS NOT NULL AND job_id >= :first AND job_id < :beyond"
)
TRIGGERED: Final = Statement(
    """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at, triggered_by)
    SELECT :job, :version, d.name, -1, :at, :at, :lane, 0, 5, :serial, d.n, 0, :follow, 'PENDING', 1, :at, 'bench'
    FROM {d} WHERE true
    """,
    NUMBERS,
)
FINISHED: Final = Statement(
    """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, attempt, created_at, last_lease_id, session_id, request_no, fence,
                      leased_at, started_at, ended_at)
    SELECT :first + (d.n % :jobs), 1, d.name, -1, :at - d.n * 1000, :at - d.n * 1000, :lane, 0, 5, :serial,
           d.n, 0, :follow, 'SUCCEEDED', 3, 1, :at - d.n * 1000, '0123456789abcdef0123456789abcdef',
           'fedcba9876543210fedcba9876543210', d.n, d.n, :at - d.n * 1000, :at - d.n * 1000, :at - d.n * 1000
    FROM {d} WHERE true
    """,
    NUMBERS,
)
COUNTS: Final = Statement(
    """
    SELECT count(*), count(DISTINCT job_id),
           sum(CASE WHEN state = 'SUCCEEDED' AND attempt = 1 AND ver >= 3 AND lease_id IS NULL
                         AND last_lease_id IS NOT NULL AND ended_at > 0 THEN 1 ELSE 0 END),
           min(created_at), max(created_at), min(leased_at), max(leased_at), max(ended_at)
    FROM runs
    """
)
ANY_RUN: Final = Statement("SELECT CASE WHEN EXISTS (SELECT 1 FROM runs) THEN 1 ELSE 0 END")
ENDED: Final = Statement("SELECT count(*) FROM runs WHERE state = 'SUCCEEDED'")
LIVE: Final = Statement(
    """
    SELECT CASE WHEN EXISTS (SELECT 1 FROM cursors WHERE next_at <= :at)
                  OR EXISTS (SELECT 1 FROM runs WHERE state IN ('PENDING', 'RUNNING') AND shard = -1)
           THEN 1 ELSE 0 END
    """
)
WORKERS: Final = Statement("SELECT count(*) FROM nodes WHERE kind = 'worker' AND state = 'live'")
OTHERS: Final = Statement("SELECT (SELECT count(*) FROM attempts), (SELECT count(*) FROM skips)")

_POSTGRESQL: Final = ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "wal_sync_method")
SETTINGS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "postgresql": ("SELECT version(), " + ", ".join(f"current_setting('{name}')" for name in _POSTGRESQL), _POSTGRESQL),
    "sqlite": (
        "SELECT 'SQLite ' || sqlite_version(), journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous",
        ("journal_mode", "synchronous"),
    ),
    "mysql": (
        "SELECT version(), @@innodb_flush_log_at_trx_commit, @@innodb_flush_method, @@innodb_buffer_pool_size",
        ("innodb_flush_log_at_trx_commit", "innodb_flush_method", "innodb_buffer_pool_size"),
    ),
}


def _untold(_done: int) -> None:
    """Nobody asked how far it is."""


class Counts(NamedTuple):
    """What the table of runs holds."""

    runs: int
    jobs: int
    succeeded: int  # at the first attempt, written three times (a beat may add its start), nothing left of the lease
    first_created_at: Instant  # 0: there is none, here and below
    last_created_at: Instant
    first_leased_at: Instant
    last_leased_at: Instant
    last_ended_at: Instant


class Ground:
    """One migrated database."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.job: LoadedJob | None = None  # the first; the others are its copies

    @property
    def lane(self) -> int:
        assert self.job is not None, "no jobs were loaded"
        return self.job.lane_id

    @property
    def serial(self) -> int:
        assert self.job is not None, "no jobs were loaded"
        return serial_of(self.job)

    @property
    def follow(self) -> int:
        assert self.job is not None, "no jobs were loaded"
        return follow_of(self.job, scheduled=True)

    async def load_jobs(
        self,
        count: int,
        schedule: dict[str, Any] | None,
        *,
        overlap: str | None = None,
        prefix: str = "job-",
        known: int = 0,
        place: Mapping[str, Any] | None = None,
        tell: Callable[[int], None] = _untold,
    ) -> LoadedJob:
        """So many jobs of one definition, written set-based; the first is saved through the store.

        `known`: so many of them are there already. `place`: where their runs may go.
        """
        document = {"run": {"python": HANDLER}, "schedule": schedule, "overlap": overlap, "place": place}
        definition = from_document({name: value for name, value in document.items() if value is not None})
        saved = await self.store.jobs.save("default", f"{prefix}0", definition, by=BY, plans=Planner())
        first = saved.job.job_id
        for numbers in _slices(prefix, max(known, 1), count):
            for statement in (COPY_JOBS, COPY_VERSIONS, COPY_CURSORS):
                await self._change(statement, {"first": first}, d=numbers)
            tell(numbers[-1][0])
        if self.is_postgresql:  # ids were given, not drawn
            await self._say("SELECT setval(pg_get_serial_sequence('jobs', 'id'), (SELECT max(id) FROM jobs))")
        (self.job,) = await self.store.jobs.load([(first, 1)])
        return self.job

    async def load_triggered(self, count: int, at: Instant) -> None:
        """So many runs of the first job, as triggers would have left them, all ready at `at`."""
        assert self.job is not None, "no jobs were loaded"
        values = {"job": self.job.job_id, "version": 1, "at": at, **self._traits(scheduled=False)}
        for numbers in _slices("m:", 1, count + 1):
            await self._change(TRIGGERED, values, d=numbers)

    async def load_finished(self, count: int, *, jobs: int, tell: Callable[[int], None] = _untold) -> None:
        """So many runs that ended long ago, of so many jobs."""
        assert self.job is not None, "no jobs were loaded"
        at = this_second() - SECOND
        values = {"first": self.job.job_id, "jobs": jobs, "at": at, **self._traits(scheduled=True)}
        for numbers in _slices("s:", 1, count + 1):
            await self._change(FINISHED, values, d=numbers)
            tell(numbers[-1][0])

    async def make_due(self, at: Instant, *, jobs: int = 2**31, first: int | None = None) -> None:
        """Everything (the first so many jobs) due at one instant. `first`: count from this job on."""
        assert self.job is not None, "no jobs were loaded"
        begin = self.job.job_id if first is None else first
        await self._change(MAKE_DUE, {"at": at, "first": begin, "beyond": min(begin + jobs, 2**31 - 1)})

    async def retire_jobs(self) -> None:
        """None of the jobs so far fires any more."""
        await self._change(Statement("UPDATE cursors SET state = 'paused', next_at = NULL, next_due_at = NULL"), {})

    async def clear_runs(self) -> None:
        """No run at all, as if there had never been one."""
        await self._say("DELETE FROM runs" if self.name == "sqlite" else "TRUNCATE TABLE runs")

    async def forget_runs(self, due_at: Instant) -> None:
        """No run of this instant or later any more."""
        await self._change(Statement("DELETE FROM runs WHERE due_at >= :due_at"), {"due_at": due_at})

    async def tidy(self) -> None:
        """What the database's own upkeep would have done by now."""
        if self.is_postgresql:
            await self._say("VACUUM ANALYZE cursors")
            if await self.value(ANY_RUN):  # upkeep leaves an empty table alone: plans for no rows are kept for many
                await self._say("VACUUM ANALYZE runs")

    async def is_live(self, at: Instant) -> bool:
        """Whether anything due by `at` is undecided, or any run has not ended."""
        return bool(await self.value(LIVE, {"at": at}))

    async def ended(self) -> int:
        return int(await self.value(ENDED))

    async def workers(self) -> int:
        return int(await self.value(WORKERS))

    async def counts(self) -> Counts:
        row = await self.store.database.read(lambda tx: tx.rows(COUNTS)[0])
        runs, jobs, succeeded, *times = row
        return Counts(int(runs), int(jobs), int(succeeded or 0), *(int(at or 0) for at in times))

    async def verify(self, *, runs: int, jobs: int) -> Counts:
        """Every run was created once, leased once and succeeded; nothing was skipped and no attempt is told of."""
        counts = await self.counts()
        if (counts.runs, counts.jobs, counts.succeeded) != (runs, jobs, runs):
            raise BenchFailed(f"Not {runs} runs of {jobs} jobs that succeeded at once: {counts}.")
        attempts, skips = await self.store.database.read(lambda tx: tx.rows(OTHERS)[0])
        if attempts or skips:
            raise BenchFailed(f"There should be no attempts ({attempts}) and no skips ({skips}) beside the runs.")
        return counts

    async def settings(self) -> dict[str, str]:
        """Which server it is, and how durable."""
        query, names = SETTINGS[self.name]
        version, *values = await self.store.database.read(lambda tx: tx.rows(Statement(query))[0])
        return {"server": str(version).split(" on ")[0], **dict(zip(names, map(str, values), strict=True))}

    @property
    def name(self) -> str:
        """The kind of database: sqlite, postgresql, mysql."""
        return self.store.database.dialect.name

    @property
    def is_sqlite(self) -> bool:
        return self.name == "sqlite"

    @property
    def is_postgresql(self) -> bool:
        return self.name == "postgresql"

    def _traits(self, *, scheduled: bool) -> dict[str, int]:
        assert self.job is not None, "no jobs were loaded"
        return {"lane": self.lane, "serial": self.serial, "follow": follow_of(self.job, scheduled=scheduled)}

    async def _change(self, statement: Statement, values: dict[str, Any], **sets: Any) -> None:
        await self.store.database.transact(lambda tx: tx.change(statement, values, **sets))

    async def _say(self, text: str) -> None:
        await self.store.database.step(lambda tx: tx.connection.exec_driver_sql(text))

    async def rows(self, statement: Statement, values: dict[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        return await self.store.database.read(lambda tx: tx.tuples(statement, values))

    async def value(self, statement: Statement, values: dict[str, Any] | None = None) -> Any:
        return (await self.rows(statement, values))[0][0]


@asynccontextmanager
async def ground(url: str) -> AsyncIterator[Ground]:
    """A migrated database at the URL, open as long as this block runs."""
    database = open_database(url, clock=CLOCK, chance=CHANCE, limits=PATIENT)
    await schema.upgrade(database)
    store = SqlStore(database)
    try:
        yield Ground(store)
    finally:
        await store.close()


def _slices(prefix: str, first: int, beyond: int) -> Iterator[list[tuple[int, str]]]:
    for at in range(first, beyond, SLICE):
        yield [(n, f"{prefix}{n}") for n in range(at, min(at + SLICE, beyond))]
