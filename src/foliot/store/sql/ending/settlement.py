"""A settlement: what is said about attempts becomes verdicts, the rows they write and the follow-ups they call for."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import LoadedJob
from foliot.domain.limits import worker_key
from foliot.domain.run import FailureKind, Landing, RunState
from foliot.domain.verdict import Back, Cause, End, Judge, RunSeen, Verdict
from foliot.ports.worker_link import Report
from foliot.store.sql.ending.failure_signs import deserves_a_sign
from foliot.store.sql.ending.locked_runs import Held, Seen
from foliot.store.sql.ending.parents import EndedChild
from foliot.store.sql.ending.success import is_plain_success
from foliot.store.sql.firing.follow import CHILD, COUNTED, FIXED_DELAY, MERGE, OF_KEY, OF_WORKER, TRIAL

ERROR_TYPE_MAX: Final = 200

_SUCCESS: Final = End(RunState.SUCCEEDED)

_SAID: Final = {
    Cause.LOST: "Its worker vanished; nobody knows whether it ran.",
    Cause.NEVER_STARTED: "Its worker vanished before it was started.",
    Cause.OVERDUE: "Its time limit passed and its worker did not report.",
    Cause.START_MISSING: "No start was reported in time.",
    Cause.UNKNOWN_TO_WORKER: "It never reached its worker.",
    Cause.RELEASED: "Its worker gave it back.",
}
_LOST_AT_WORK: Final = (
    "Its worker vanished while running it (likely killed or out of memory); nobody knows whether it finished."
)
_TESTED_ONCE: Final = "A test is not tried again."


Jobs: TypeAlias = Mapping[tuple[int, int], LoadedJob]


class Claim(Report, frozen=True, kw_only=True, gc=False):
    """A report that the store itself makes: that an attempt is over, and how. Nobody sends it."""

    started: bool  # it was, or nobody can rule it out


class Quit(NamedTuple):
    """A run nobody holds is to end: cancelled by a person, or replaced by a later one; failed, if a kind is told."""

    run_id: int
    ver: int
    error: str | None = None
    kind: FailureKind | None = None


class Settlement:
    """A batch in the making: verdicts become rows to write and follow-ups to do."""

    def __init__(self, jobs: Jobs, held: Held, judge: Judge | None = None, *, reported: bool = False) -> None:
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
        self.failed: list[Seen] = []  # for good, and of interest to people
        self.delayed: list[LoadedJob] = []
        self.next_in_line: set[int] = set()
        self.left: dict[tuple[int, int], int] = {}  # runs that left RUNNING, by lane and by what they had taken
        self.keyed: list[int] = []  # runs that left RUNNING and had taken their key
        self.of_workers: dict[str, int] = {}  # keys of workers that they had taken
        self.waiters: list[int] = []  # runs that end before they began, and may wait for their key
        self.makes_room = False  # other runs waited for these ends, or may have
        self.strangers: frozenset[str] = frozenset()  # sessions whose runs are not the speaker's to end
        self.waited_us: Micros = 0  # how long the claims had been waiting when store time was read
        self._judge = judge
        self._reported = int(reported)  # a worker says so, and may repeat itself
        self._done: dict[int, str] = {}
        self._quitting: set[int] = set()

    def settle(self, claim: Report, run: Seen | None) -> Landing:
        """Take in what is said about one attempt; how it lands."""
        if run is None or run.session_id in self.strangers:
            return Landing.FENCED  # forgotten long ago, or never the speaker's
        lease_id = claim.lease_id
        if run.id in self._done:
            return Landing.ALREADY if self._done[run.id] == lease_id else Landing.FENCED
        if run.lease_id != lease_id:
            return Landing.ALREADY if run.last_lease_id == lease_id else Landing.FENCED
        self._done[run.id] = lease_id
        started_at = run.started_at
        if started_at is None and claim.started_us_ago is not None:
            started_at = max(self.now - claim.started_us_ago - self.waited_us, run.leased_at or 0)
        if counted := run.follow & COUNTED:
            self._leaves(run, counted)
        if is_plain_success(claim):
            self.successes.append((run.id, lease_id, started_at, claim.result))
            if run.follow:
                self._ended(run, _SUCCESS, claim.result, None)
        else:
            self._settled(claim, run, started_at)
        return Landing.RECORDED

    def _leaves(self, run: Seen, counted: int) -> None:
        """A run leaves RUNNING that had taken limits."""
        self.left[run.lane, counted] = self.left.get((run.lane, counted), 0) + 1
        if counted & OF_KEY:
            self.keyed.append(run.id)
        if counted & OF_WORKER:
            name = worker_key(run.job_id, run.session_id or "")
            self.of_workers[name] = self.of_workers.get(name, 0) + 1

    def quit(self, quit_: Quit) -> bool:
        """Take in that a waiting run is to end; whether it is as it was seen."""
        run = self.held.runs.get(quit_.run_id)
        if run is None or run.state != RunState.PENDING or run.ver != quit_.ver:
            return False
        if run.id in self._quitting:
            return True  # said twice
        self._quitting.add(run.id)
        end = End(RunState.CANCELLED) if quit_.kind is None else End(RunState.FAILED, quit_.kind)
        self.quits.append((run.id, run.ver, str(end.state), end.kind and str(end.kind), quit_.error))
        if self.jobs[run.job_id, run.version].definition.is_keyed:
            self.waiters.append(run.id)
        self._ended(run, end, None, quit_.error)
        return True

    def _verdict(self, claim: Report, run: Seen) -> Verdict:
        assert self._judge is not None
        if isinstance(claim, Claim):
            started = claim.started
        else:
            started = run.started_at is not None or claim.started_us_ago is not None
        seen = RunSeen(run.id, run.attempt, run.failures, run.deaths, run.unwanted == 1,
                       self.retries.get(run.job_id, 0), started, run.follow & TRIAL > 0)  # fmt: skip
        verdict = self._judge(self.jobs[run.job_id, run.version], seen, claim.cause, claim.error_type, self.now)
        if run.unwanted and isinstance(verdict, Back):
            return End(RunState.CANCELLED, deaths=verdict.deaths)
        return verdict

    def _settled(self, claim: Report, run: Seen, started_at: Instant | None) -> None:
        """Its run ends or goes back; an attempt without success is told of in a row of its own."""
        verdict = self._verdict(claim, run)
        error = claim.error or _said_by_the_store(claim.cause, run, verdict, started_at)
        error_type = claim.error_type[:ERROR_TYPE_MAX] if claim.error_type else None
        retried = 0
        if isinstance(verdict, End):
            kind = str(verdict.kind) if verdict.kind else None
            # What was cancelled keeps who did it and why; that its worker did not obey is told of its attempt.
            is_given_up = claim.cause is Cause.OVERDUE and verdict.state is RunState.CANCELLED
            told = None if is_given_up else error
            self.ends.append((run.id, run.lease_id, self._reported, str(verdict.state), kind, started_at, claim.result,
                              told, error_type, claim.checkpoint, verdict.deaths))  # fmt: skip
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
        if deserves_a_sign(run, end):
            self.failed.append(run)
        if run.follow & (CHILD | MERGE):
            self.children.append(EndedChild(run, end, result, error))
            return  # its parent holds the job's place and its schedule
        if run.follow & FIXED_DELAY:
            self.delayed.append(self.jobs[run.job_id, run.version])
        if run.followed:
            self.next_in_line.add(run.job_id)


def _said_by_the_store(cause: Cause, run: Seen, verdict: Verdict, started_at: Instant | None) -> str | None:
    """What an attempt is over by, where its worker said nothing."""
    is_lost_at_work = cause is Cause.LOST and started_at is not None
    said = _LOST_AT_WORK if is_lost_at_work else _SAID.get(cause)
    is_lost_test = run.follow & TRIAL and isinstance(verdict, End) and verdict.kind is FailureKind.LOST
    return f"{said} {_TESTED_ONCE}" if said and is_lost_test else said
