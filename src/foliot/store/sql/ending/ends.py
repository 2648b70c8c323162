"""Ending: every way a run leaves RUNNING, or PENDING for good, with all that follows, in one transaction (design §4).

Two verbs, `end` and `back`, share one path: see the runs, judge, write, follow up. Successes of plain runs, which are
most, have a shorter one (`store.sql.succeeding`). Runs whose way out touches other rows (a cursor that waits,
limits, a parent) are locked first, in the order of R3: cursors, parents, runs; then what will land is known before
anything is written. A guard that fails all the same undoes the transaction, which is done again with locks.

The guards are the lease, which only a RUNNING run has, and the version, which never repeats (R1). The state is not
asked for besides: it would tempt a planner to read every running run instead of these by their keys.

`last_lease_id` is written only when the holder itself reported: so a repeated report is told from a zombie's (S5).
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar

from foliot.domain.instants import HOUR, Instant
from foliot.domain.job import LoadedJob
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, Judge
from foliot.ports.worker_link import Report
from foliot.store.sql.ending import failure_signs, fixed_delay
from foliot.store.sql.ending.lease_owner import Speaker
from foliot.store.sql.ending.locked_runs import Held, hold, see
from foliot.store.sql.ending.lost_shards import note_lost
from foliot.store.sql.ending.made_room import MadeRoom
from foliot.store.sql.ending.parents import count_down
from foliot.store.sql.ending.settlement import Claim, Jobs, Quit, Settlement
from foliot.store.sql.ending.success import HEAVY, SUCCEED, is_plain_success, succeed
from foliot.store.sql.firing.follow import COUNTED_AT_LEASE, FIXED_DELAY, OWN, SERIAL
from foliot.store.sql.firing.line_heads import unpark
from foliot.store.sql.jobs.definitions import Definitions
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.jobs.unreadable import remains
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing import key_limits
from foliot.store.sql.leasing.limits import give_back

_END: Final = """
    UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, lease_id = NULL,
           last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
           ended_at = :now, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
           result = d.result, error_type = d.error_type, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
           deaths = runs.deaths + d.deaths,
           error = coalesce(d.error, CASE WHEN d.state = 'CANCELLED' THEN runs.error END)
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
"""
END: Final = Statement(
    _END,
    RowSet("d", id=BIGINT, lease_id=TEXT, reported=BIGINT, state=TEXT, kind=TEXT, started_at=BIGINT, result=TEXT,
           error=TEXT, error_type=TEXT, checkpoint=TEXT, deaths=BIGINT),
)  # fmt: skip

END_WAITING: Final = Statement(
    """
    UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, parked = 0, assigned_to = NULL,
           ended_at = :now, error = d.error
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, state=TEXT, kind=TEXT, error=TEXT),
)

_IS_OWN: Final = f"(runs.follow & {OWN}) <> 0"
_KEPT: Final = 2**15 - 1 - COUNTED_AT_LEASE
BACK: Final = Statement(
    f"""
    UPDATE runs SET state = 'PENDING', ver = runs.ver + 1, lease_id = NULL,
           last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
           assigned_to = CASE WHEN {_IS_OWN} THEN runs.session_id END,
           session_id = CASE WHEN {_IS_OWN} THEN runs.session_id END, parked = CASE WHEN {_IS_OWN} THEN 2 ELSE 0 END,
           follow = runs.follow & {_KEPT}, request_no = NULL, leased_at = NULL, started_at = NULL, deadline_at = NULL,
           assigned_until = NULL, assigned_before = NULL, not_before = d.not_before,
           failures = runs.failures + d.failures, deaths = runs.deaths + d.deaths,
           checkpoint = coalesce(d.checkpoint, runs.checkpoint)
    FROM {{d}}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND runs.cancel_at IS NULL
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, reported=BIGINT, not_before=BIGINT, failures=BIGINT, deaths=BIGINT,
           checkpoint=TEXT),
)  # fmt: skip
"""A shard that is one worker's own goes back to that worker."""

INSERT_ATTEMPTS: Final = Statement(
    """
    {insert_ignore} attempts (run_id, attempt, job_id, cause, lease_id, session_id, fence, leased_at, started_at,
                              ended_at, error, error_type, retried)
    SELECT d.run_id, d.attempt, d.job_id, d.cause, d.lease_id, d.session_id, d.fence, d.leased_at, d.started_at,
           :now, d.error, d.error_type, d.retried
    FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", run_id=BIGINT, attempt=BIGINT, job_id=BIGINT, cause=TEXT, lease_id=TEXT, session_id=TEXT, fence=BIGINT,
           leased_at=BIGINT, started_at=BIGINT, error=TEXT, error_type=TEXT, retried=BIGINT),
)  # fmt: skip

RETRIES: Final = Statement(
    """
    SELECT d.job_id, (SELECT count(*) FROM attempts a WHERE a.job_id = d.job_id AND a.ended_at > :since
                                                        AND a.retried = 1)
    FROM {d}
    """,
    RowSet("d", job_id=BIGINT),
)


class Contended(Exception):
    """Somebody else changed a run between look and update: nothing was written; do it again with locks."""


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Careful(Protocol[T_co]):
    """Work that locks what it may touch when it is told to."""

    def __call__(self, tx: Tx, *, carefully: bool = False) -> T_co: ...


class Ending:
    """The verbs `end` and `back`."""

    def __init__(self, definitions: Definitions, lanes: Lanes) -> None:
        self._definitions = definitions
        self._lanes = lanes
        self._last_were_plain = True  # a hint: the next ones are likely to be as well

    async def complete(
        self, database: Database, reports: Sequence[Report], judge: Judge, speaker: Speaker, room: MadeRoom
    ) -> list[Landing]:
        """Who holds the leases reports how attempts ended; how each report landed."""
        if not all(map(is_plain_success, reports)):
            return await self._settle(database, reports, judge, speaker, room)
        work = partial(succeed, reports=reports, speaker=speaker, room=room, at_once=self._last_were_plain)
        landings = await database.step(work, pool=Pool.ENDING)
        left = [report for report, landing in zip(reports, landings, strict=True) if landing is None]
        self._last_were_plain = not left
        settled = iter(await self._settle(database, left, judge, speaker, room) if left else ())
        return [next(settled) if landing is None else landing for landing in landings]

    async def settle(self, database: Database, claims: Sequence[Claim], judge: Judge) -> list[Landing]:
        """The store itself says that attempts are over; how each claim landed."""
        return await self._settle(database, claims, judge)

    async def _settle(
        self,
        database: Database,
        claims: Sequence[Report],
        judge: Judge,
        speaker: Speaker | None = None,
        room: MadeRoom | None = None,
    ) -> list[Landing]:
        def work(tx: Tx, *, carefully: bool = False) -> list[Landing]:
            return self.settle_in(tx, claims, judge, speaker=speaker, carefully=carefully, room=room)

        return await with_locks_if_needed(database, work, Pool.ENDING)

    def settle_in(
        self,
        tx: Tx,
        claims: Sequence[Report],
        judge: Judge,
        *,
        speaker: Speaker | None = None,
        carefully: bool = False,
        room: MadeRoom | None = None,
    ) -> list[Landing]:
        """Judge these attempts and write what becomes of their runs. The transaction must have locked nothing yet.

        `speaker`: the worker that reports; None: the store itself says so.
        """
        tx.point("ending.settling")
        waited_us = 0 if speaker is None else speaker.heard_us_ago()
        held = self._held(tx, [claim.run_id for claim in claims], carefully=carefully)
        jobs = self._jobs(tx, held)
        settlement = Settlement(jobs, held, judge, reported=speaker is not None)
        settlement.waited_us = waited_us
        if speaker is not None:
            settlement.strangers = speaker.strangers(tx, (run.session_id for run in held.runs.values()))
        settlement.retries = self._retries(tx, claims, held, jobs)
        landings = [settlement.settle(claim, held.runs.get(claim.run_id)) for claim in claims]
        self._write(tx, settlement)
        if room is not None:
            room.is_made |= settlement.makes_room
        return landings

    def quit_in(self, tx: Tx, quits: Sequence[Quit], *, carefully: bool = False) -> set[int]:
        """End these waiting runs CANCELLED if they are as they were seen; which of them were."""
        held = self._held(tx, [quit_.run_id for quit_ in quits], carefully=carefully)
        settlement = Settlement(self._jobs(tx, held), held)
        landed = {quit_.run_id for quit_ in quits if settlement.quit(quit_)}
        self._write(tx, settlement)
        return landed

    async def quit(self, database: Database, quits: Sequence[Quit], *, pool: Pool) -> int:
        """`quit_in` in a transaction of its own; how many ended."""

        def work(tx: Tx, *, carefully: bool = False) -> int:
            return len(self.quit_in(tx, quits, carefully=carefully))

        return await with_locks_if_needed(database, work, pool)

    def _held(self, tx: Tx, run_ids: Iterable[int], *, carefully: bool) -> Held:
        seen = see(tx, sorted(set(run_ids)))
        if carefully or any(run.follow & HEAVY for run in seen.values()):
            return hold(tx, seen.values())
        return Held(seen, {}, {}, locked=False)

    def _jobs(self, tx: Tx, held: Held) -> Jobs:
        runs = [*held.parents.values(), *held.runs.values()]
        by_version = {(run.job_id, run.version): run for run in runs}
        found = self._definitions.find(tx, by_version)
        if not found.troubles:
            return found.jobs
        unreadable = {version: by_version[version] for version in found.troubles}
        return {**found.jobs, **remains(tx, self._lanes, unreadable)}

    def _retries(self, tx: Tx, claims: Sequence[Report], held: Held, jobs: Jobs) -> dict[int, int]:
        """Retries of the last hour of those jobs that have a budget and may need it now."""
        wanted: set[int] = set()
        now = 0
        for claim in claims:
            run = held.runs.get(claim.run_id) if claim.cause in _RETRIED else None
            if run is None:
                continue
            retry = jobs[run.job_id, run.version].definition.retry
            if retry.budget_per_hour is not None:
                wanted.add(run.job_id)
                now = max(now, run.now)
        retries = tx.pairs(RETRIES, {"since": now - HOUR}, d=keys(wanted))
        return {job_id: int(n) for job_id, n in retries.items()}

    def _write(self, tx: Tx, settlement: Settlement) -> None:
        """Runs, then attempts, then what follows: all other rows are locked by now, so their order is free."""
        if not settlement.now:
            return
        now = settlement.now
        tx.point("ending.judged")
        for statement, rows in (
            (SUCCEED, settlement.successes),
            (END, settlement.ends),
            (END_WAITING, settlement.quits),
            (BACK, settlement.backs),
        ):
            if rows and tx.change(statement, {"now": now}, d=sorted(rows)) != len(rows):
                raise TryAgain("a run changed although it was locked") if settlement.held.locked else Contended
        if settlement.attempts:
            tx.change(INSERT_ATTEMPTS, {"now": now}, d=settlement.attempts)
        tx.point("ending.runs_written")
        self._follow_up(tx, settlement, now)

    def _follow_up(self, tx: Tx, settlement: Settlement, now: Instant) -> None:
        """What the ends set off. Dependents of a run will be created here too, read in this transaction."""
        next_in_line = set(settlement.next_in_line)
        delayed = list(settlement.delayed)
        failed = list(settlement.failed)
        if settlement.children:
            for parent in count_down(tx, settlement.children, settlement.held.parents, settlement.jobs, now):
                if parent.run.follow & SERIAL and parent.run.followed:
                    next_in_line.add(parent.run.job_id)
                if parent.run.follow & FIXED_DELAY:
                    delayed.append(parent.job)
                if failure_signs.deserves_a_sign(parent.run, parent.end):
                    failed.append(parent.run)
            note_lost(tx, settlement.children, settlement.jobs)
        if delayed:
            fixed_delay.set_next(tx, self._as_they_are(tx, delayed, settlement.held), now)
        if next_in_line and unpark(tx, next_in_line):
            settlement.makes_room = True
        if settlement.left:
            lanes = self._lanes.find(tx, {lane for lane, _ in settlement.left})
            give_back(tx, lanes, settlement.left)
            settlement.makes_room = True
        if settlement.keyed or settlement.of_workers:
            key_limits.give_back(tx, settlement.keyed, settlement.of_workers)
            settlement.makes_room = True
        if settlement.waiters:
            key_limits.forget(tx, settlement.waiters)
        failure_signs.leave(tx, failed, now)

    def _as_they_are(self, tx: Tx, jobs: Iterable[LoadedJob], held: Held) -> list[LoadedJob]:
        """These jobs in the version they have by now: a run that outlives an edit counts the delay of the new one.

        A version that cannot be read here is left out: the watchdog of a server that can goes on with it.
        """
        by_version: dict[tuple[int, int], LoadedJob] = {}
        for job in jobs:
            by_now = held.versions.get(job.job_id, job.version)
            by_version[job.job_id, by_now] = job
        newer = [version for version, job in by_version.items() if version != (job.job_id, job.version)]
        if newer:
            by_version |= self._definitions.find(tx, newer).jobs
        return list(by_version.values())


async def with_locks_if_needed(database: Database, work: _Careful[T], pool: Pool) -> T:
    """Do the work without locks; when somebody else changed one of the runs meanwhile, do it again with locks."""
    try:
        return await database.transact(work, pool=pool)
    except Contended:
        return await database.transact(partial(work, carefully=True), pool=pool)


_RETRIED: Final = frozenset({Cause.ERROR, Cause.TIMEOUT, Cause.OVERDUE})
