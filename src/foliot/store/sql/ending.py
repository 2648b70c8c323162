"""Ending: every way a run leaves RUNNING, or PENDING for good, with all that follows, in one transaction (design §4).

Two verbs, `end` and `back`, share one path: see the runs, judge, write, follow up. Successes of plain runs, which are
most, have a shorter one (`store.sql.succeeding`). Runs whose way out touches other rows (a cursor that waits,
limits, a parent) are locked first, in the order of R3: cursors, parents, runs; then what will land is known before
anything is written. A guard that fails all the same undoes the transaction, which is done again with locks.

The guards are the lease, which only a RUNNING run has, and the version, which never repeats (R1). The state is not
asked for besides: it would tempt a planner to read every running run instead of these by their keys.

`last_lease_id` is written only when the holder itself reported: so a repeated report is told from a zombie's (S5).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.instants import HOUR, Instant, Micros
from foliot.domain.job import Definition, LoadedJob, OnLost
from foliot.domain.run import Landing, RunState
from foliot.domain.verdict import Back, Cause, End, Judge, RunSeen, Verdict
from foliot.ports.worker_link import Report
from foliot.store.sql import delays
from foliot.store.sql.database import Database, TryAgain, Tx
from foliot.store.sql.definitions import Definitions
from foliot.store.sql.follow import CHILD, FIXED_DELAY, LIMITS, MERGE, SERIAL
from foliot.store.sql.lanes import Lanes
from foliot.store.sql.limits import give_back
from foliot.store.sql.parents import EndedChild, count_down
from foliot.store.sql.seeing import Held, Seen, hold, see
from foliot.store.sql.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.succeeding import HEAVY, SUCCEED, is_plain_success, succeed
from foliot.store.sql.unparking import unpark

ERROR_TYPE_MAX: Final = 200

_END: Final = """
    UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, lease_id = NULL,
           last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
           ended_at = :now, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
           result = d.result, error_type = d.error_type, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
           error = coalesce(d.error, CASE WHEN d.state = 'CANCELLED' THEN runs.error END)
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id
"""
END: Final = Statement(
    _END,
    RowSet("d", id=BIGINT, lease_id=TEXT, reported=BIGINT, state=TEXT, kind=TEXT, started_at=BIGINT, result=TEXT,
           error=TEXT, error_type=TEXT, checkpoint=TEXT),
)  # fmt: skip

END_WAITING: Final = Statement(
    """
    UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, parked = 0, ended_at = :now, error = d.error
    FROM {d}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, state=TEXT, kind=TEXT, error=TEXT),
)

BACK: Final = Statement(
    """
    UPDATE runs SET state = 'PENDING', ver = runs.ver + 1, lease_id = NULL,
           last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
           session_id = NULL, request_no = NULL, leased_at = NULL, started_at = NULL, deadline_at = NULL,
           assigned_to = NULL, assigned_until = NULL, parked = 0, not_before = d.not_before,
           failures = runs.failures + d.failures, deaths = runs.deaths + d.deaths,
           checkpoint = coalesce(d.checkpoint, runs.checkpoint)
    FROM {d}
    WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND runs.cancel_at IS NULL
    """,
    RowSet("d", id=BIGINT, lease_id=TEXT, reported=BIGINT, not_before=BIGINT, failures=BIGINT, deaths=BIGINT,
           checkpoint=TEXT),
)  # fmt: skip

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

_SAID_BY_THE_STORE: Final = {
    Cause.LOST: "Its worker vanished; nobody knows whether it ran.",
    Cause.NEVER_STARTED: "Its worker vanished before it was started.",
    Cause.OVERDUE: "Its time limit passed and its worker did not report.",
    Cause.START_MISSING: "No start was reported in time.",
    Cause.UNKNOWN_TO_WORKER: "It never reached its worker.",
    Cause.RELEASED: "Its worker gave it back.",
}


Jobs: TypeAlias = Mapping[tuple[int, int], LoadedJob]


class Claim(NamedTuple):
    """What the store itself says about an attempt: that it is over, and how. A worker says it by a `Report`."""

    run_id: int
    lease_id: str
    cause: Cause
    started: bool  # it was, or nobody can rule it out
    result: str | None = None
    error: str | None = None
    error_type: str | None = None
    checkpoint: str | None = None
    started_us_ago: Micros | None = None


class Quit(NamedTuple):
    """A run nobody has leased is to end: cancelled by a person, or replaced by a later one."""

    run_id: int
    ver: int
    error: str | None = None


class Contended(Exception):
    """Somebody else changed a run between look and update: nothing was written; do it again with locks."""


class Ending:
    """The verbs `end` and `back`."""

    def __init__(self, definitions: Definitions, lanes: Lanes) -> None:
        self._definitions = definitions
        self._lanes = lanes

    async def complete(
        self, database: Database, session: str, reports: Sequence[Report], judge: Judge
    ) -> list[Landing]:
        """The holder itself reports how attempts ended; how each report landed."""
        if all(map(is_plain_success, reports)):
            landings = await database.step(lambda tx: succeed(tx, reports, session))
            if landings is not None:
                return landings
        return await self._settle(database, reports, judge, session)

    async def settle(self, database: Database, claims: Sequence[Claim], judge: Judge) -> list[Landing]:
        """The store itself says that attempts are over; how each claim landed."""
        return await self._settle(database, claims, judge, None)

    async def _settle(
        self, database: Database, claims: Sequence[Claim | Report], judge: Judge, session: str | None
    ) -> list[Landing]:
        try:
            return await database.transact(lambda tx: self.settle_in(tx, claims, judge, session))
        except Contended:
            return await database.transact(lambda tx: self.settle_in(tx, claims, judge, session, carefully=True))

    def settle_in(
        self,
        tx: Tx,
        claims: Sequence[Claim | Report],
        judge: Judge,
        session: str | None = None,
        *,
        carefully: bool = False,
    ) -> list[Landing]:
        """Judge these attempts and write what becomes of their runs. The transaction must have locked nothing yet."""
        tx.point("ending.settling")
        held = self._held(tx, [claim.run_id for claim in claims], carefully=carefully)
        jobs = self._jobs(tx, held)
        settlement = _Settlement(jobs, held, judge, session)
        settlement.retries = self._retries(tx, claims, held, jobs)
        landings = [settlement.settle(claim, held.runs.get(claim.run_id)) for claim in claims]
        self._write(tx, settlement)
        return landings

    def quit_in(self, tx: Tx, quits: Sequence[Quit], *, carefully: bool = False) -> set[int]:
        """End these waiting runs CANCELLED if they are as they were seen; which of them were."""
        held = self._held(tx, [quit_.run_id for quit_ in quits], carefully=carefully)
        settlement = _Settlement(self._jobs(tx, held), held)
        landed = {quit_.run_id for quit_ in quits if settlement.quit(quit_)}
        self._write(tx, settlement)
        return landed

    def _held(self, tx: Tx, run_ids: Iterable[int], *, carefully: bool) -> Held:
        seen = see(tx, sorted(set(run_ids)))
        if carefully or any(run.follow & HEAVY for run in seen.values()):
            return hold(tx, seen.values())
        return Held(seen, {}, locked=False)

    def _jobs(self, tx: Tx, held: Held) -> Jobs:
        keys = {(run.job_id, run.version): run for run in (*held.parents.values(), *held.runs.values())}
        found = self._definitions.find(tx, keys)
        if not found.troubles:
            return found.jobs
        lanes = self._lanes.find(tx, {run.lane for run in keys.values()})
        bare = {key: _bare(keys[key], at_most_once=lanes[keys[key].lane].at_most_once) for key in found.troubles}
        return {**found.jobs, **bare}

    def _retries(self, tx: Tx, claims: Sequence[Claim | Report], held: Held, jobs: Jobs) -> dict[int, int]:
        """Retries of the last hour of those jobs that have a budget and may need it now."""
        wanted = {
            run.job_id: run.now
            for claim in claims
            if claim.cause in _RETRIED and (run := held.runs.get(claim.run_id)) is not None
            if jobs[run.job_id, run.version].definition.retry.budget_per_hour is not None
        }
        if not wanted:
            return {}
        since = max(wanted.values()) - HOUR
        return {job_id: int(n) for job_id, n in tx.rows(RETRIES, {"since": since}, d=[(job,) for job in wanted])}

    def _write(self, tx: Tx, settlement: "_Settlement") -> None:
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

    def _follow_up(self, tx: Tx, settlement: "_Settlement", now: Instant) -> None:
        """What the ends set off. Dependents of a run will be created here too, read in this transaction."""
        next_in_line = set(settlement.next_in_line)
        delayed = list(settlement.delayed)
        if settlement.children:
            for parent in count_down(tx, settlement.children, settlement.held.parents, settlement.jobs, now):
                if parent.run.follow & SERIAL and parent.run.followed:
                    next_in_line.add(parent.run.job_id)
                if parent.run.follow & FIXED_DELAY:
                    delayed.append(parent.job)
        if delayed:
            delays.set_next(tx, delayed, now)
        if next_in_line:
            unpark(tx, next_in_line)
        if settlement.left:
            give_back(tx, self._lanes.find(tx, settlement.left), settlement.left)


_RETRIED: Final = frozenset({Cause.ERROR, Cause.TIMEOUT, Cause.OVERDUE})


class _Settlement:
    """A batch in the making: verdicts become rows to write and follow-ups to do."""

    def __init__(self, jobs: Jobs, held: Held, judge: Judge | None = None, session: str | None = None) -> None:
        self.held = held
        self.jobs = jobs
        self.retries: dict[int, int] = {}
        self.now: Instant = next((run.now for run in held.runs.values()), 0)
        self.successes: list[tuple[Any, ...]] = []
        self.ends: list[tuple[Any, ...]] = []
        self.quits: list[tuple[Any, ...]] = []
        self.backs: list[tuple[Any, ...]] = []
        self.attempts: list[tuple[Any, ...]] = []
        self.children: list[EndedChild] = []
        self.delayed: list[LoadedJob] = []
        self.next_in_line: set[int] = set()
        self.left: dict[int, int] = {}  # lane -> runs that left RUNNING and had taken limits
        self._judge = judge
        self._session = session
        self._reported = int(session is not None)
        self._done: dict[int, str] = {}

    def settle(self, claim: Claim | Report, run: Seen | None) -> Landing:
        if run is None:
            return Landing.FENCED  # forgotten long ago
        lease_id = claim.lease_id
        if run.id in self._done:
            return Landing.ALREADY if self._done[run.id] == lease_id else Landing.FENCED
        if run.lease_id != lease_id:
            return Landing.ALREADY if run.last_lease_id == lease_id else Landing.FENCED
        if self._session is not None and self._session != run.session_id:
            return Landing.FENCED
        self._done[run.id] = lease_id
        started_at = run.started_at
        if started_at is None and claim.started_us_ago is not None:
            started_at = max(self.now - claim.started_us_ago, run.leased_at or 0)
        if run.follow & LIMITS:
            self.left[run.lane] = self.left.get(run.lane, 0) + 1
        if isinstance(claim, Report) and is_plain_success(claim):
            self.successes.append((run.id, lease_id, started_at, claim.result))
            if run.follow:
                self._ended(run, _SUCCESS, claim.result, None)
        else:
            self._settled(claim, run, started_at)
        return Landing.RECORDED

    def quit(self, quit_: Quit) -> bool:
        run = self.held.runs.get(quit_.run_id)
        if run is None or run.state != RunState.PENDING or run.ver != quit_.ver:
            return False
        end = End(RunState.CANCELLED)
        self.quits.append((run.id, run.ver, str(end.state), None, quit_.error))
        self._ended(run, end, None, quit_.error)
        return True

    def _verdict(self, claim: Claim | Report, run: Seen) -> Verdict:
        assert self._judge is not None
        if isinstance(claim, Claim):
            started = claim.started
        else:
            started = run.started_at is not None or claim.started_us_ago is not None
        seen = RunSeen(run.id, run.attempt, run.failures, run.deaths, run.unwanted == 1,
                       self.retries.get(run.job_id, 0), started)  # fmt: skip
        verdict = self._judge(self.jobs[run.job_id, run.version], seen, claim.cause, claim.error_type, self.now)
        if run.unwanted and isinstance(verdict, Back):
            return End(RunState.CANCELLED)
        return verdict

    def _settled(self, claim: Claim | Report, run: Seen, started_at: Instant | None) -> None:
        """Its run ends or goes back; an attempt without success is told of in a row of its own."""
        verdict = self._verdict(claim, run)
        error = claim.error or _SAID_BY_THE_STORE.get(claim.cause)
        error_type = claim.error_type[:ERROR_TYPE_MAX] if claim.error_type else None
        retried = 0
        if isinstance(verdict, End):
            kind = str(verdict.kind) if verdict.kind else None
            self.ends.append((run.id, run.lease_id, self._reported, str(verdict.state), kind, started_at, claim.result,
                              error, error_type, claim.checkpoint))  # fmt: skip
            self._ended(run, verdict, claim.result, error)
        else:
            retried = int(verdict.failures > 0)
            self.backs.append((run.id, run.lease_id, self._reported, max(verdict.not_before, self.now),
                               verdict.failures, verdict.deaths, claim.checkpoint))  # fmt: skip
            if retried and run.job_id in self.retries:
                self.retries[run.job_id] += 1
        if verdict == _SUCCESS:
            return
        self.attempts.append((run.id, run.attempt, run.job_id, str(claim.cause), run.lease_id, run.session_id,
                              run.fence, run.leased_at, started_at, error, error_type, retried))  # fmt: skip

    def _ended(self, run: Seen, end: End, result: str | None, error: str | None) -> None:
        if run.follow & (CHILD | MERGE):
            self.children.append(EndedChild(run, end, result, error))
            return  # its parent holds the job's place and its schedule
        if run.follow & FIXED_DELAY:
            self.delayed.append(self.jobs[run.job_id, run.version])
        if run.followed:
            self.next_in_line.add(run.job_id)


_SUCCESS: Final = End(RunState.SUCCEEDED)


def _bare(run: Seen, *, at_most_once: bool) -> LoadedJob:
    """What stands for a version this server cannot compile: its runs still end, without retries."""
    on_lost = OnLost.FAIL if at_most_once else OnLost.RERUN
    definition = Definition(handler="", on_lost=on_lost)
    return LoadedJob(
        job_id=run.job_id, version=run.version, namespace="", name="", definition=definition, lane_id=run.lane
    )
