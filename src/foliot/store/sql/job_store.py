"""Jobs: saved, paused, resumed, deleted, found. An edit first decides the past under the version that was (S1).

A job's cursor is locked before anything about the job is believed, and bumped before anything is written (R23): so an
edit, a pause, a fire and a trigger of one job follow each other in some order and none acts on what another changed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from foliot.domain.changes import Plans
from foliot.domain.edits import tightens
from foliot.domain.errors import VersionConflict
from foliot.domain.fire import Cursor, CursorState
from foliot.domain.instants import Instant
from foliot.domain.job import Definition, Lane, LoadedJob
from foliot.domain.limits import LimitChange
from foliot.domain.sources import CODE, Incumbent, Retirement
from foliot.ports.store.actor import Actor
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.jobs import DeclaredAs, DeclaredDraft, Declarer, Saved, SaveOutcome, Standing
from foliot.ports.store.lookups import TESTED
from foliot.ports.store.rescheduling import AheadJob, Rescheduled
from foliot.ports.store.runs import TriggerRequest
from foliot.store.sql.ending import fixed_delay
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.firing.repair import learn_delays, repair_delays
from foliot.store.sql.jobs import change, declaration, job_alerts, line_order, reschedule
from foliot.store.sql.jobs.backlog import in_rounds, settle
from foliot.store.sql.jobs.definitions import Definitions, lane_from, lane_ids, lanes_after
from foliot.store.sql.jobs.held_time import catch_up_held
from foliot.store.sql.jobs.removal import end_waiting
from foliot.store.sql.jobs.suggestions import not_found
from foliot.store.sql.jobs.trial import try_out
from foliot.store.sql.jobs.version_move import FROM_THE_FIRST, finish_moves, move_waiting
from foliot.store.sql.jobs.written import INSERT_CURSOR, Written, insert_version, keep_limits, lanes_of, resolved, write
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement
from foliot.store.sql.people import job_reads

KNOWN: Final = Statement(
    """
    SELECT j.id, j.version, v.hash, j.source, j.source_module
    FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE j.namespace = :namespace AND j.name = :name AND j.deleted_at = 0
    """
)

LANE: Final = Statement(
    """
    SELECT l.document FROM job_versions v JOIN lanes l ON l.id = v.lane_id
    WHERE v.job_id = :job_id AND v.version = :version
    """
)

DOCUMENT: Final = Statement("SELECT definition FROM job_versions WHERE job_id = :job_id AND version = :version")

INSERT_JOB: Final = Statement(
    """
    {insert_ignore} jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                          source_module, source_group)
    SELECT :namespace, :name, 0, 1, :source, {now}, {now}, :from_end, :module, :group_name WHERE true
    {ignore_duplicates}
    """
)
JOB_ID: Final = Statement(
    "SELECT id FROM jobs WHERE namespace = :namespace AND name = :name AND deleted_at = 0 AND version = 1"
)

NEW_VERSION: Final = Statement(
    """
    UPDATE jobs SET version = :version, moving = :version, source = :source, updated_at = :now, from_end = :from_end,
           source_module = CASE WHEN :of_code = 1 THEN coalesce(:module, source_module) END,
           source_group = CASE WHEN :of_code = 1 THEN :group_name END,
           undeclared_at = CASE WHEN :of_code = 1 THEN undeclared_at END,
           retirement = CASE WHEN :of_code = 1 THEN retirement END
    WHERE id = :job_id AND version = :seen AND deleted_at = 0
    """
)
OF_CODE: Final = Statement(
    """
    UPDATE jobs SET source = 'code', source_module = coalesce(:module, source_module), source_group = :group_name
    WHERE id = :job_id AND version = :version AND deleted_at = 0
    """
)
PRESENT: Final = Statement(
    "SELECT j.name FROM {d} JOIN jobs j ON j.namespace = :namespace AND j.name = d.name AND j.deleted_at = 0",
    RowSet("d", name=TEXT),
)
OF_CODE_COUNT: Final = Statement(
    "SELECT count(*) FROM (SELECT 1 AS one FROM jobs WHERE namespace = :namespace AND deleted_at = 0 "
    "AND source = 'code' LIMIT :limit) q"
)
_BY_A_USER: Final = (
    f"retirement = CASE WHEN undeclared_at IS NOT NULL THEN {Retirement.LEFT_ALONE:d} END, renamed_to = NULL"
)
"""What a user pauses or resumes stays so, though no code declares it."""
NOTE_PAUSE: Final = Statement(
    f"UPDATE jobs SET pause_reason = :reason, paused_by = :by, paused_at = :at, updated_at = :now, {_BY_A_USER} "
    "WHERE id = :job_id AND deleted_at = 0"
)
NOTE_PAUSE_AGAIN: Final = Statement(
    f"UPDATE jobs SET pause_reason = :reason, paused_by = :by, updated_at = :now, {_BY_A_USER} "
    "WHERE id = :job_id AND deleted_at = 0"
)
"""It is paused since the first pause, whatever a further one says."""
DELETE: Final = Statement(
    "UPDATE jobs SET deleted_at = :now, updated_at = :now, moving = version WHERE id = :job_id AND deleted_at = 0"
)


class _Settling(NamedTuple):
    """What a change means for the schedule, and whether the change must be made in this round."""

    plans: Plans
    is_last: bool


class _Known(NamedTuple):
    job_id: int
    version: int
    hash: str
    source: str
    source_module: str | None


class SqlJobStore:
    """`ports.store.jobs.JobStore` on a SQL database."""

    def __init__(self, database: Database, definitions: Definitions, ending: Ending) -> None:
        self._database = database
        self._definitions = definitions
        self._ending = ending
        self._repaired_after = 0
        self._moved_after = FROM_THE_FIRST

    # -- saving -----------------------------------------------------------------------------------------------------

    async def save(
        self,
        namespace: str,
        name: str,
        definition: Definition,
        *,
        by: Actor,
        plans: Plans,
        expected_version: int | None = None,
        create: bool = True,
        source: str = "api",
        declarer: Declarer | None = None,
        allow: Callable[[Standing], None] | None = None,
        check_limit: Callable[[LimitChange], None] | None = None,
    ) -> Saved:
        written = write(
            namespace,
            name,
            definition,
            by=by,
            source=source,
            declarer=declarer,
            allow=allow,
            check_limit=check_limit,
        )

        def work(tx: Tx, is_last: bool) -> Saved | None:
            settling = _Settling(plans, is_last)
            return self._save(tx, resolved(tx, written), settling, expected_version=expected_version, create=create)

        saved = await in_rounds(self._database, work)
        if saved.outcome is SaveOutcome.CHANGED:
            await move_waiting(self._database, self._definitions, saved.job.job_id, pool=Pool.API)
        return saved

    async def declare(
        self,
        drafts: Sequence[DeclaredDraft],
        *,
        by: Actor,
        plans: Plans,
        allow: Callable[[DeclaredDraft, Standing], str | None],
        check_limit: Callable[[LimitChange], None] | None = None,
    ) -> Sequence[DeclaredAs]:
        declaring = declaration.DeclaredJobs(
            self._database, plans, self.save, by=by, allow=allow, check_limit=check_limit
        )
        return await declaring.declare(drafts)

    async def try_out(self, definition: Definition, request: TriggerRequest) -> int:
        written = write(request.namespace, request.job, definition, by=request.by, source=TESTED)
        return await self._database.transact(lambda tx: try_out(tx, written, request), pool=Pool.API)

    def _save(
        self, tx: Tx, written: Written, settling: _Settling, *, expected_version: int | None, create: bool
    ) -> Saved | None:
        seen = _known(tx, written.namespace, written.name)
        if seen is not None:
            return self._edit(tx, written, settling, seen, expected_version)
        if expected_version:
            raise VersionConflict(written.name, expected=expected_version, found=0)
        if not create:
            raise not_found(tx, written.namespace, written.name)
        return self._create(tx, written, settling.plans)

    def _create(self, tx: Tx, written: Written, plans: Plans) -> Saved:
        key = {"namespace": written.namespace, "name": written.name}
        of_source = {"source": written.source, "from_end": written.from_end, **_of_code(written)}
        if not tx.change(INSERT_JOB, {**key, **of_source}):
            raise TryAgain("somebody made the job meanwhile: this is an edit")
        job_id = int(tx.rows(JOB_ID, key)[0][0])
        job = insert_version(tx, written, job_id, 1)
        plan = plans.first(job, tx.now())
        cursor = {
            "job_id": job_id,
            "state": str(plan.state),
            "next_at": plan.next_at,
            "next_due_at": plan.next_due_at,
            "remaining": plan.remaining,
        }
        tx.change(INSERT_CURSOR, cursor)
        keep_limits(tx, written, job_id, before=None)
        return self._saved(tx, written, SaveOutcome.CREATED)

    def _edit(
        self, tx: Tx, written: Written, settling: _Settling, seen: _Known, expected_version: int | None
    ) -> Saved | None:
        """Add a version; None: more was due than one transaction decides, and nothing else was done."""
        if _is_same(written, seen, expected_version):
            is_code_again = written.source == CODE and seen.source != CODE
            if is_code_again:  # edited by hand once, and code says the same by now
                tx.change(OF_CODE, {"job_id": seen.job_id, "version": seen.version, **_of_code(written)})
            return self._saved(tx, written, SaveOutcome.SAME)
        lanes = lane_ids(tx, lanes_of(seen.job_id, written))  # store_meta comes before cursors (R3)
        cursor = change.lock(tx, seen.job_id)
        found = _known_still(tx, written.namespace, written.name, seen)
        if _is_same(written, found, expected_version):
            return self._saved(tx, written, SaveOutcome.SAME)
        _check_edit(tx, written, found, expected_version)
        cursor, is_settled = settle(tx, self._definitions, cursor, settling.plans.decide)
        if not is_settled and not settling.is_last:
            return None
        return self._change(tx, written, found, cursor, settling.plans, lanes)

    def _change(
        self, tx: Tx, written: Written, found: _Known, cursor: Cursor, plans: Plans, lanes: Sequence[int]
    ) -> Saved:
        """The job gets its next version; its cursor is locked, and its past is decided as far as may be."""
        job = insert_version(tx, written, found.job_id, found.version + 1, lanes)
        change.apply(tx, self._definitions, cursor, plans.edit(job), version=job.version)
        self._edit_line(tx, found, job)
        _note_version(tx, written, found, job)
        before = tx.rows(DOCUMENT, {"job_id": found.job_id, "version": found.version})[0][0]
        keep_limits(tx, written, job.job_id, before=before)
        return self._saved(tx, written, SaveOutcome.CHANGED)

    def _saved(self, tx: Tx, written: Written, outcome: SaveOutcome) -> Saved:
        """The job as it is now; compiled, so that its next fire need not do it."""
        job = job_reads.present_job(tx, written.namespace, written.name)
        assert job is not None, written.name
        self._definitions.find(tx, [(job.job_id, job.version)])
        return Saved(outcome=outcome, job=job)

    def _edit_line(self, tx: Tx, found: _Known, new: LoadedJob) -> None:
        """What the edit means at once for the job's line; waiting runs take the new version in steps (`moving`)."""
        key = (found.job_id, found.version)
        old = self._definitions.find(tx, [key]).jobs.get(key)
        if _lets_later_ones_in(old) and not _lets_later_ones_in(new):
            line_order.step_out(tx, new.job_id)
        if tightens(old.definition if old is not None else None, new.definition):
            line_order.line_up(tx, new)
        if new.definition.is_delayed and (old is None or not old.definition.is_delayed):
            fixed_delay.wait_for_open(tx, new.job_id)

    # -- pause, resume, delete ----------------------------------------------------------------------------------------

    async def pause(self, namespace: str, name: str, *, by: Actor, plans: Plans, until: Instant | None = None) -> None:
        def work(tx: Tx, is_last: bool) -> bool | None:
            cursor, is_settled = settle(tx, self._definitions, self._locked(tx, namespace, name), plans.decide)
            if not is_settled and not is_last:
                return None
            now = change.apply(tx, self._definitions, cursor, plans.pause(until))
            said = {"job_id": cursor.job_id, "reason": by.reason, "by": by.name, "now": now}
            if cursor.state == CursorState.PAUSED:
                tx.change(NOTE_PAUSE_AGAIN, said)
            else:
                tx.change(NOTE_PAUSE, {**said, "at": now})
            return True

        await in_rounds(self._database, work)

    async def resume(self, namespace: str, name: str, *, plans: Plans, catch_up: bool = False) -> None:
        def work(tx: Tx, is_last: bool) -> bool | None:
            cursor = self._locked(tx, namespace, name)
            if catch_up and not is_last:
                is_resumed = catch_up_held(tx, self._definitions, cursor, plans)
                if is_resumed is not None:
                    return is_resumed or None
            now = change.apply(tx, self._definitions, cursor, plans.resume(catch_up=catch_up))
            tx.change(NOTE_PAUSE, {"job_id": cursor.job_id, "reason": None, "by": None, "at": None, "now": now})
            return True

        await in_rounds(self._database, work)

    async def reschedule(self, namespace: str, name: str, *, plans: Plans, dry_run: bool = False) -> Rescheduled:
        def work(tx: Tx, is_last: bool) -> Rescheduled | None:
            cursor = self._locked(tx, namespace, name)
            if not dry_run:
                cursor, is_settled = settle(tx, self._definitions, cursor, plans.decide)
                if not is_settled and not is_last:
                    return None
            return reschedule.reschedule(tx, self._definitions, self._ending, cursor, plans, dry_run=dry_run)

        return await in_rounds(self._database, work)

    async def ahead(
        self, namespace: str, *, plans: Plans, after: int = 0, limit: int
    ) -> tuple[Sequence[AheadJob], int | None]:
        def look(tx: Tx) -> tuple[Sequence[AheadJob], int | None]:
            return reschedule.standing_ahead(
                tx, self._definitions, plans, namespace=namespace, after=after, limit=limit
            )

        return await self._database.read(look)

    async def farthest_ahead(self, *, plans: Plans, limit: int) -> Sequence[AheadJob]:
        return await self._database.read(
            lambda tx: reschedule.farthest_ahead(tx, self._definitions, plans, limit=limit)
        )

    async def delete(self, namespace: str, name: str, *, plans: Plans) -> None:
        def work(tx: Tx) -> int:
            cursor = self._locked(tx, namespace, name)
            now = change.apply(tx, self._definitions, cursor, plans.delete())
            tx.change(DELETE, {"job_id": cursor.job_id, "now": now})
            job_alerts.forget(tx, [cursor.job_id])
            return cursor.job_id

        job_id = await self._database.transact(work, pool=Pool.API)
        with suppress(StoreUnavailable, StoreBusy):  # the job is deleted, whatever happens here; the watchdog goes on
            await end_waiting(self._database, self._ending, job_id, pool=Pool.API)

    def _locked(self, tx: Tx, namespace: str, name: str) -> Cursor:
        """The cursor of the job that has this name, locked."""
        seen = _known(tx, namespace, name)
        if seen is None:
            raise not_found(tx, namespace, name)
        cursor = change.lock(tx, seen.job_id)
        _known_still(tx, namespace, name, seen)
        return cursor

    # -- reading ------------------------------------------------------------------------------------------------------

    async def load(self, keys: Sequence[tuple[int, int]]) -> Sequence[LoadedJob]:
        """Compiled versions by (job_id, version): not of the port, for tools that look into this store."""

        def work(tx: Tx) -> Sequence[LoadedJob]:
            found = self._definitions.find(tx, keys)
            return [found.jobs[key] for key in keys if key in found.jobs]

        return await self._database.read(work, pool=Pool.CONTROL)

    async def unknown_of(self, namespace: str, names: Collection[str], *, count_max: int) -> tuple[frozenset[str], int]:
        def work(tx: Tx) -> tuple[frozenset[str], int]:
            rows = tx.rows(PRESENT, {"namespace": namespace}, d=[(name,) for name in sorted(names)])
            unknown = frozenset(names).difference(row[0] for row in rows)
            of_code = tx.rows(OF_CODE_COUNT, {"namespace": namespace, "limit": count_max}) if unknown else [(0,)]
            return unknown, int(of_code[0][0])

        return await self._database.read(work)

    async def lanes(self, *, after: int = 0) -> Mapping[int, Lane]:
        return await self._database.read(lambda tx: lanes_after(tx, after), pool=Pool.CONTROL)

    async def repair(self, *, limit: int, term: int | None = None) -> int:
        after = self._repaired_after
        await self._database.transact(lambda tx: learn_delays(tx, limit=limit, term=term))
        repaired, self._repaired_after = await self._database.transact(
            lambda tx: repair_delays(tx, self._definitions, after=after, limit=limit, term=term)
        )
        moved, self._moved_after = await finish_moves(
            self._database, self._definitions, self._ending, after=self._moved_after, limit=limit, term=term
        )
        return repaired + moved


def _known(tx: Tx, namespace: str, name: str) -> _Known | None:
    """The job without its definition, so that one that cannot be read can be mended."""
    rows = tx.rows(KNOWN, {"namespace": namespace, "name": name})
    return _Known(*rows[0]) if rows else None


def _known_still(tx: Tx, namespace: str, name: str, seen: _Known) -> _Known:
    """The job as it is now that its cursor is locked: a statement after the lock sees what others committed."""
    found = _known(tx, namespace, name)
    if found is None or found.job_id != seen.job_id:
        raise TryAgain("the job was deleted meanwhile")
    return found


def _check_edit(tx: Tx, written: Written, found: _Known, expected_version: int | None) -> None:
    """Raise when the job is not in the version that was expected, or when whoever saves may not replace it."""
    if expected_version is not None and found.version != expected_version:
        raise VersionConflict(written.name, expected=expected_version, found=found.version)
    if written.allow is not None:
        written.allow(_standing(tx, written, found))


def _note_version(tx: Tx, written: Written, found: _Known, job: LoadedJob) -> None:
    """The job has its new version from now on (R1: if it still has the one that was found)."""
    version = {"job_id": job.job_id, "version": job.version, "seen": found.version}
    noted = {"source": written.source, "now": tx.now(), "from_end": written.from_end, **_of_code(written)}
    noted["of_code"] = int(written.source == CODE)
    if not tx.change(NEW_VERSION, {**version, **noted}):
        raise TryAgain("the job changed although its cursor was locked")


def _standing(tx: Tx, written: Written, found: _Known) -> Standing:
    """By its lane: a definition that this server cannot read may be replaced, too."""
    lane = lane_from(tx.rows(LANE, {"job_id": found.job_id, "version": found.version})[0][0])
    declared_by = declaration.modules_that_declare(tx, written)
    return Standing(
        source=found.source, group=lane.group, incumbent=Incumbent(found.source_module, lane.offer, declared_by)
    )


def _of_code(written: Written) -> dict[str, str | None]:
    """What is noted of the code that declares a job; nothing of one that a person writes."""
    if written.source != CODE:
        return {"module": None, "group_name": None}
    return {"module": written.module, "group_name": written.definition.group}


def _is_same(written: Written, found: _Known, expected_version: int | None) -> bool:
    """Nothing to change; also a repeat of an edit whose answer was lost (R5)."""
    return written.hash == found.hash and expected_version in (None, found.version, found.version - 1)


def _lets_later_ones_in(job: LoadedJob | None) -> bool:
    """Whether a trigger for later has a place in line at once: so it is where runs go side by side, and whole."""
    return job is None or not (job.definition.is_serial or job.definition.cut_into)
