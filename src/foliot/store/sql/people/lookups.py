"""The reads of the surfaces for people, together (`ports.store.lookups.Lookups`)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import Instant
from foliot.domain.names import nearest
from foliot.ports.store.changes import Changes
from foliot.ports.store.days import Quarters
from foliot.ports.store.glance import Glance
from foliot.ports.store.lookups import (
    AttemptRow,
    ClusterRow,
    JobFilter,
    JobRow,
    Ledger,
    LedgerPage,
    Listing,
    RunFilter,
    RunRow,
    VersionRow,
    Waiting,
)
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.shard_logs import PieceKey, ShardEnd, ShardPiece
from foliot.ports.store.skips import SkipFilter, SkipPage, SkipRow
from foliot.ports.worker_link import LogChunk
from foliot.store.sql.ending import logs
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.people import cluster_reads, job_reads, ledger_page, ledger_reads, run_reads, shard_logs
from foliot.store.sql.people.days import quarters_of
from foliot.store.sql.people.glance import due_until, glance
from foliot.store.sql.people.skip_reads import skipped

NEAREST_AMONG: Final = 5000
DELETED_AMONG: Final = 10  # jobs of one name, the newest: of older ones retention has taken the runs first
LOG_CHUNKS_MAX: Final = 100

T = TypeVar("T")


class SqlLookups:
    """Each method is one read transaction on the pool of the API."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def now(self) -> Instant:
        return await self._read(lambda tx: tx.now())

    async def jobs(self, wanted: JobFilter, *, limit: int, cursor: str | None = None) -> Listing[JobRow]:
        return await self._read(lambda tx: job_reads.list_jobs(tx, wanted, limit=limit, cursor=cursor))

    async def glance(self, namespace: str | None, *, limit: int, only: str | None = None) -> Glance:
        return await self._read(lambda tx: glance(tx, namespace, limit=limit, only=only))

    async def job(
        self, namespace: str, name: str, *, with_last_run: bool = True, with_hold: bool = False, strip: int = 0
    ) -> JobRow:
        find = job_reads.present_job
        if with_last_run:
            find = partial(job_reads.find_job, with_hold=with_hold, strip=strip)
        found = await self._read(lambda tx: find(tx, namespace, name))
        if found is not None:
            return found
        if await self._read(lambda tx: _has_left_runs(tx, namespace, name)):
            raise JobNotFound(name, namespace=namespace, left_runs=True)
        known = [one for _, one in await self.job_names(namespace, limit=NEAREST_AMONG)]
        # Outside the transaction and beside the loop: it takes a while with many long names.
        raise JobNotFound(name, namespace=namespace, nearest=await asyncio.to_thread(nearest, name, known))

    async def job_ids(self, namespace: str, name: str, *, limit: int) -> Sequence[int]:
        return await self._read(lambda tx: job_reads.job_ids(tx, namespace, name, limit))

    async def job_names(self, namespace: str | None, *, limit: int) -> Sequence[tuple[str, str]]:
        return await self._read(lambda tx: job_reads.job_names(tx, namespace, limit))

    async def versions(self, job_id: int, *, limit: int, before: int | None = None) -> Sequence[VersionRow]:
        return await self._read(lambda tx: job_reads.list_versions(tx, job_id, limit=limit, before=before))

    async def version(self, job_id: int, version: int) -> VersionRow | None:
        return await self._read(lambda tx: job_reads.find_version(tx, job_id, version))

    async def runs(self, wanted: RunFilter, *, limit: int, cursor: str | None = None) -> Listing[RunRow]:
        return await self._read(lambda tx: run_reads.list_runs(tx, wanted, limit=limit, cursor=cursor))

    async def run(self, run_id: int, *, with_hold: bool = False) -> RunRow | None:
        return await self._read(lambda tx: run_reads.find_run(tx, run_id, with_hold=with_hold))

    async def runs_of(self, run_ids: Sequence[int]) -> Sequence[RunRow]:
        return await self._read(lambda tx: run_reads.runs_of(tx, run_ids))

    async def shards(self, run_id: int, *, limit: int = 10_000, with_holds: bool = False) -> Sequence[RunRow]:
        return await self._read(lambda tx: run_reads.list_shards(tx, run_id, limit=limit, with_holds=with_holds))

    async def attempts(self, run_id: int) -> Sequence[AttemptRow]:
        return await self._read(lambda tx: run_reads.list_attempts(tx, run_id))

    async def logs(self, run_id: int, *, attempt: int | None = None, offset: int = 0) -> Sequence[LogChunk]:
        return await self._read(lambda tx: logs.read(tx, run_id, attempt=attempt, offset=offset, limit=LOG_CHUNKS_MAX))

    async def log_end(self, run_id: int, attempt: int) -> int:
        return await self._read(lambda tx: int(tx.value(logs.END, {"run_id": run_id, "attempt": attempt})))

    async def shard_log_bounds(self, run_id: int) -> tuple[Instant, Instant] | None:
        return await self._read(lambda tx: shard_logs.bounds(tx, run_id))

    async def shard_log_pieces(
        self, run_id: int, *, attempt: int | None, from_at: Instant, until: Instant, newest: bool, limit: int
    ) -> Sequence[ShardPiece]:
        which = partial(shard_logs.pieces, attempt=attempt, from_at=from_at, until=until, newest=newest, limit=limit)
        return await self._read(lambda tx: which(tx, run_id))

    async def shard_log_news(
        self, run_id: int, *, attempt: int | None, from_at: Instant, limit: int
    ) -> Sequence[ShardPiece]:
        return await self._read(lambda tx: shard_logs.news(tx, run_id, attempt=attempt, from_at=from_at, limit=limit))

    async def shard_log_ends(self, run_id: int, *, attempt: int | None) -> Sequence[ShardEnd]:
        return await self._read(lambda tx: shard_logs.ends(tx, run_id, attempt=attempt))

    async def shard_log_behind(self, places: Sequence[PieceKey], *, limit: int) -> Sequence[ShardPiece]:
        return await self._read(lambda tx: shard_logs.behind(tx, places, limit=limit))

    async def shard_log_texts(self, keys: Sequence[PieceKey]) -> Mapping[PieceKey, bytes]:
        return await self._read(lambda tx: shard_logs.texts(tx, keys))

    async def fired(
        self, job_id: int, *, from_at: Instant, to_at: Instant, limit: int
    ) -> tuple[Sequence[RunRow], Sequence[SkipRow]]:
        return await self._read(lambda tx: ledger_reads.fired(tx, job_id, from_at=from_at, to_at=to_at, limit=limit))

    async def quarters(self, job_id: int, *, from_at: Instant, to_at: Instant) -> Quarters:
        return await self._read(lambda tx: quarters_of(tx, job_id, from_at=from_at, to_at=to_at))

    async def due_until(self, namespace: str | None, *, until: Instant, limit: int) -> Sequence[JobRow]:
        return await self._read(lambda tx: due_until(tx, namespace, until=until, limit=limit))

    async def skipped(self, wanted: SkipFilter, *, limit: int, before_id: int | None = None) -> SkipPage:
        return await self._read(lambda tx: skipped(tx, wanted, limit=limit, before_id=before_id))

    async def ledger(self, job_id: int, at: Instant) -> Ledger:
        return await self._read(lambda tx: ledger_reads.ledger(tx, job_id, at))

    async def ledger_since(self, job_id: int, since: Instant, *, known_version: int, limit: int) -> LedgerPage:
        return await self._read(
            lambda tx: ledger_page.ledger_since(tx, job_id, since, known_version=known_version, limit=limit)
        )

    async def waits(self, runs: Sequence[RunRow]) -> Mapping[int, Waiting]:
        return await self._read(lambda tx: ledger_reads.waits(tx, runs))

    async def nodes(self, *, include_dead_since: Instant | None = None) -> Sequence[NodeRow]:
        return await self._read(lambda tx: cluster_reads.list_nodes(tx, include_dead_since=include_dead_since))

    async def cluster(self) -> ClusterRow:
        return await self._read(cluster_reads.cluster)

    async def search(self, text: str, *, namespace: str | None, limit: int) -> Sequence[JobRow]:
        return await self._read(lambda tx: job_reads.search_jobs(tx, text, namespace=namespace, limit=limit))

    async def changes(self, *, after_id: int, limit: int) -> Changes:
        return await self._read(lambda tx: run_reads.changes(tx, after_id=after_id, limit=limit))

    async def _read(self, work: Callable[[Tx], T]) -> T:
        return await self._database.read(work)


def _has_left_runs(tx: Tx, namespace: str, name: str) -> bool:
    """Whether there are runs of a job that had this name until it was deleted."""
    ids = tuple(job_reads.job_ids(tx, namespace, name, DELETED_AMONG, with_tests=False))
    return bool(ids) and bool(run_reads.list_runs(tx, RunFilter(job_ids=ids), limit=1, cursor=None).items)
