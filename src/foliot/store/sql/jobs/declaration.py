"""Declaring in SQL: what code declares, many jobs in one transaction.

What is the same costs one read for the whole batch. New jobs are inserted as sets. A job whose definition changed is
saved as an edit, by itself: its past is decided first, under the lock of its cursor.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from foliot.domain.changes import Plans
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.job import Definition, LoadedJob
from foliot.domain.limits import LimitChange
from foliot.domain.names import check_name
from foliot.domain.sources import CODE
from foliot.ports.store.actor import Actor
from foliot.ports.store.errors import DataRefused, StoreBusy, StoreUnavailable
from foliot.ports.store.jobs import DeclaredAs, DeclaredDraft, Declarer, Saved, SaveOutcome, Standing
from foliot.store.sql.cluster.codes import LIVE_WORKER
from foliot.store.sql.jobs import calendars, job_alerts
from foliot.store.sql.jobs.definitions import lane_ids
from foliot.store.sql.jobs.written import Written, keep_limits, lanes_of, resolved
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement

BATCH_MAX: Final = 200
"""Plans and lanes of a batch are worked out on the event loop of the server, which serves others between batches."""

KNOWN: Final = Statement(
    """
    SELECT d.nth, j.id, j.version, v.hash, j.source, j.source_module
    FROM {d} JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    """,
    RowSet("d", nth=BIGINT, namespace=TEXT, name=TEXT),
)
DECLARERS: Final = Statement(
    f"""
    SELECT DISTINCT d.nth, cj.module
    FROM {{d}} JOIN code_jobs cj ON cj.namespace = d.namespace AND cj.name = d.name
    JOIN nodes n ON n.code = cj.code
    WHERE {LIVE_WORKER} AND n.id <> d.session
    """,
    RowSet("d", nth=BIGINT, namespace=TEXT, name=TEXT, session=TEXT),
)
"""From which modules live workers declare these jobs, without the worker that asks."""
INSERT_JOBS: Final = Statement(
    """
    {insert_ignore} jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                          source_module, source_group)
    SELECT d.namespace, d.name, 0, 1, 'code', {now}, {now}, d.from_end, d.module, d.group_name FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, from_end=BIGINT, module=TEXT, group_name=TEXT),
)
IDS: Final = Statement(
    """
    SELECT d.nth, j.id
    FROM {d} JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0 AND j.version = 1
    """,
    RowSet("d", nth=BIGINT, namespace=TEXT, name=TEXT),
)
INSERT_VERSIONS: Final = Statement(
    """
    INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
    SELECT d.job_id, 1, d.hash, d.definition, d.lane_id, d.merge_lane_id, :now, :by, :reason FROM {d}
    """,
    RowSet("d", job_id=BIGINT, hash=TEXT, definition=TEXT, lane_id=BIGINT, merge_lane_id=BIGINT),
)
INSERT_CURSORS: Final = Statement(
    """
    INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
    SELECT d.job_id, 1, d.state, d.next_at, d.next_due_at, 1, d.remaining FROM {d}
    """,
    RowSet("d", job_id=BIGINT, state=TEXT, next_at=BIGINT, next_due_at=BIGINT, remaining=BIGINT),
)
ADOPT: Final = Statement(
    """
    UPDATE jobs SET source = 'code', source_module = d.module, source_group = d.group_name FROM {d}
    WHERE jobs.id = d.job_id AND jobs.version = d.version AND jobs.deleted_at = 0
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, module=TEXT, group_name=TEXT),
)
"""Code says the same as what is there: what a person wrote, an older Foliot noted without its module, or a module that
no live worker has loaded any more."""


class Save(Protocol):
    """`SqlJobStore.save`."""

    async def __call__(
        self,
        namespace: str,
        name: str,
        definition: Definition,
        *,
        by: Actor,
        plans: Plans,
        source: str,
        declarer: Declarer,
        allow: Callable[[Standing], None],
        check_limit: Callable[[LimitChange], None] | None,
    ) -> Saved: ...


class _Known(NamedTuple):
    """A job that is there, of one that is declared."""

    nth: int
    job_id: int
    version: int
    hash: str
    source: str
    module: str | None


class DeclaredJobs:
    """Saves what the code of one worker declares."""

    def __init__(
        self,
        database: Database,
        plans: Plans,
        save: Save,
        *,
        by: Actor,
        allow: Callable[[DeclaredDraft, Standing], str | None],
        check_limit: Callable[[LimitChange], None] | None,
    ) -> None:
        self._database = database
        self._plans = plans
        self._save = save
        self._by = by
        self._allow = allow
        self._check_limit = check_limit

    async def declare(self, drafts: Sequence[DeclaredDraft]) -> list[DeclaredAs]:
        """How each landed, in their order."""
        landed: list[DeclaredAs] = []
        for first in range(0, len(drafts), BATCH_MAX):
            landed += await self._batch(drafts[first : first + BATCH_MAX])
        return landed

    async def _batch(self, drafts: Sequence[DeclaredDraft]) -> list[DeclaredAs]:
        """One transaction, and one more for each edit. What is refused is looked for by halves, down to the job."""
        try:
            # A name that is declared twice is saved twice, one after the other, as code says it.
            is_clear = len({(draft.namespace, draft.name) for draft in drafts}) == len(drafts)
            if is_clear:
                written = [self._written(draft) for draft in drafts]
                found = await self._database.transact(lambda tx: self._unless_changed(tx, written), pool=Pool.API)
                return [
                    (await self._edited(draft) if landed is None else landed)
                    for draft, landed in zip(drafts, found, strict=True)
                ]
        except (StoreUnavailable, StoreBusy):
            raise  # no job's fault
        except (FoliotError, DataRefused) as refusal:
            if len(drafts) == 1:
                return [_refused(refusal)]
        middle = len(drafts) // 2
        return [*await self._batch(drafts[:middle]), *await self._batch(drafts[middle:])]

    def _written(self, draft: DeclaredDraft) -> Written:
        check_name("namespace", draft.namespace)
        check_name("job", draft.name)
        return Written(
            draft.namespace,
            draft.name,
            draft.definition,
            draft.document,
            draft.hash,
            self._by,
            CODE,
            draft.declarer,
            check_limit=self._check_limit,
        )

    async def _edited(self, draft: DeclaredDraft) -> DeclaredAs:
        """Save one whose definition differs from the one that is there."""
        taken_from: list[str | None] = [None]

        def allow(standing: Standing) -> None:
            taken_from[0] = self._allow(draft, standing)

        try:
            saved = await self._save(
                draft.namespace,
                draft.name,
                draft.definition,
                by=self._by,
                plans=self._plans,
                source=CODE,
                declarer=draft.declarer,
                allow=allow,
                check_limit=self._check_limit,
            )
        except (StoreUnavailable, StoreBusy):
            raise
        except (FoliotError, DataRefused) as refusal:
            return _refused(refusal)
        job = saved.job
        return DeclaredAs(saved.outcome, job.job_id, job.version, taken_from=taken_from[0])

    # ------------------------------------------------------------------------------------------------- in a transaction

    def _unless_changed(self, tx: Tx, batch: Sequence[Written]) -> list[DeclaredAs | None]:
        """Insert what is new and leave what is the same; None for a job that must be edited."""
        written = [resolved(tx, one) for one in batch]
        known = _known(tx, written)
        new = {nth: one for nth, one in enumerate(written) if nth not in known}
        same = [row for nth, row in known.items() if row.hash == written[nth].hash]
        landed: dict[int, DeclaredAs] = {}
        if new:
            landed = self._inserted(tx, new)
        _adopt(tx, written, same)
        for row in same:
            landed[row.nth] = DeclaredAs(SaveOutcome.SAME, row.job_id, row.version)
        return [landed.get(nth) for nth in range(len(written))]

    def _inserted(self, tx: Tx, new: Mapping[int, Written]) -> dict[int, DeclaredAs]:
        """Insert these jobs, their versions and their cursors."""
        ids = _new_ids(tx, new)
        jobs = _loaded(tx, new, ids)
        self._insert_versions(tx, new, jobs)
        for job in jobs.values():
            calendars.keep_uses(tx, job.job_id, job.definition, is_new=True)
        job_alerts.keep(tx, [(job.job_id, job.version, job.definition) for job in jobs.values()], are_new=True)
        now = tx.now()
        cursors = [self._cursor(job, now) for job in jobs.values()]
        tx.change(INSERT_CURSORS, d=cursors)
        for nth, job in jobs.items():
            keep_limits(tx, new[nth], job.job_id, before=None)
        return {nth: DeclaredAs(SaveOutcome.CREATED, job_id, 1) for nth, job_id in ids.items()}

    def _insert_versions(self, tx: Tx, new: Mapping[int, Written], jobs: Mapping[int, LoadedJob]) -> None:
        by = {"now": tx.now(), "by": self._by.name, "reason": self._by.reason}
        versions = []
        for nth, job in jobs.items():
            written = new[nth]
            versions.append((job.job_id, written.hash, written.document, job.lane_id, job.merge_lane_id))
        tx.change(INSERT_VERSIONS, by, d=versions)

    def _cursor(self, job: LoadedJob, now: int) -> tuple[Any, ...]:
        plan = self._plans.first(job, now)
        return (job.job_id, str(plan.state), plan.next_at, plan.next_due_at, plan.remaining)


def modules_that_declare(tx: Tx, written: Written) -> frozenset[str]:
    """The modules from which other live workers declare a job."""
    session = "" if written.declarer is None else written.declarer.session
    return frozenset(row.module for row in tx.rows(DECLARERS, d=[(0, written.namespace, written.name, session)]))


def _known(tx: Tx, written: Sequence[Written]) -> dict[int, _Known]:
    """Those of the jobs that are there, by their number."""
    rows = tx.rows(KNOWN, d=[(nth, one.namespace, one.name) for nth, one in enumerate(written)])
    return {row.nth: _Known(*row) for row in rows}


def _adopt(tx: Tx, written: Sequence[Written], same: Sequence[_Known]) -> None:
    """Note the module of jobs that are the same but for it, unless other live workers declare them from the old one."""
    moved = [row for row in same if row.source != CODE or row.module != written[row.nth].module]
    if not moved:
        return
    asked = []
    for row in moved:
        one = written[row.nth]
        asked.append((row.nth, one.namespace, one.name, _session(one)))
    live = {(row.nth, row.module) for row in tx.rows(DECLARERS, d=asked)}
    rows = []
    for row in moved:
        one = written[row.nth]
        if row.source != CODE or (row.nth, row.module) not in live:
            rows.append((row.job_id, row.version, one.module, one.definition.group))
    if rows:
        tx.change(ADOPT, d=sorted(rows))


def _new_ids(tx: Tx, new: Mapping[int, Written]) -> dict[int, int]:
    """Insert the rows of these jobs; the id of each by its number."""
    rows = [(one.namespace, one.name, one.from_end, one.module, one.definition.group) for one in new.values()]
    if tx.change(INSERT_JOBS, d=rows) != len(rows):
        raise TryAgain("somebody made one of the jobs meanwhile: it is an edit")
    named = [(nth, one.namespace, one.name) for nth, one in new.items()]
    return {row.nth: int(row.id) for row in tx.rows(IDS, d=named)}


def _session(written: Written) -> str:
    return "" if written.declarer is None else written.declarer.session


def _loaded(tx: Tx, new: Mapping[int, Written], ids: Mapping[int, int]) -> dict[int, LoadedJob]:
    """The jobs with their ids and lanes; lanes that are not there are made in one step."""
    lanes = {nth: lanes_of(ids[nth], one) for nth, one in new.items()}
    drawn = iter(lane_ids(tx, [lane for of_job in lanes.values() for lane in of_job]))
    jobs = {}
    for nth, one in new.items():
        own = [next(drawn) for _ in lanes[nth]]
        jobs[nth] = LoadedJob(
            job_id=ids[nth],
            version=1,
            namespace=one.namespace,
            name=one.name,
            definition=one.definition,
            lane_id=own[0],
            merge_lane_id=own[1] if len(own) > 1 else None,
        )
    return jobs


def _refused(refusal: Exception) -> DeclaredAs:
    if not isinstance(refusal, FoliotError):
        refusal = InvalidInput(f"The store takes no such data: {refusal}.")
    return DeclaredAs(SaveOutcome.SAME, refusal=refusal)
