"""The server's side of `ports.worker_link`, in memory: leases, fencing, adoption, death; and lost answers on demand.

It keeps the rules of the real one (guarantees (b)): a guarded end, adopt by `settled` and the leases named, sessions
that die by its own time. Every write checks what a store would check, and `history` remembers what was accepted.
"""

import asyncio
import inspect
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from foliot.domain.errors import ClusterTrouble, InvalidInput
from foliot.domain.instants import SECOND
from foliot.domain.run import Landing, RunState
from foliot.domain.verdict import Cause
from foliot.ports.clock import Clock
from foliot.ports.worker_link import (
    Beat,
    BeatAnswer,
    CallbackAddress,
    CallbackAsked,
    HeldLease,
    Hello,
    Leased,
    LeasedRun,
    LeasePoll,
    Leaving,
    LockAnswered,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    Welcome,
)


class ServerIsAway(ClusterTrouble):
    """Nobody answers; or somebody did, and the answer was lost."""

    code = "FOL-5001"


@dataclass(slots=True)
class Row:
    """A run, as the store would keep it."""

    run: LeasedRun  # without a lease
    state: RunState = RunState.PENDING
    lease_id: str | None = None
    last_lease_id: str | None = None
    session: str | None = None
    request_no: int = 0
    attempt: int = 0
    started: bool = False
    cancel_asked: bool = False
    cancel_forced: bool = False
    leases: int = 0
    reports: list[Report] = field(default_factory=list)  # accepted ones
    logs: dict[int, str] = field(default_factory=dict)  # by attempt
    progress: str | None = None
    checkpoint: str | None = None

    @property
    def cause(self) -> Cause | None:
        return self.reports[-1].cause if self.reports else None

    @property
    def log(self) -> str:
        return self.logs.get(self.attempt, "")


@dataclass(slots=True)
class NodeRow:
    """A session."""

    hello: Hello
    until: float
    is_dead: bool = False
    beat_no: int = 0
    last_beat: Beat | None = None
    settled: int = 0


class FakeServer:
    """`ports.worker_link.WorkerLink` with a store in memory. Beats come from a thread, so everything is locked."""

    def __init__(self, clock: Clock, *, ttl_s: float = 60.0, beat_every_s: float = 5.0, margin_s: float = 2.0) -> None:
        self.clock = clock
        self.ttl_s = ttl_s
        self.beat_every_s = beat_every_s
        self.margin_s = margin_s
        self.rows: dict[int, Row] = {}
        self.sessions: dict[str, NodeRow] = {}
        self.ready: deque[int] = deque()
        self.calls: Counter[str] = Counter()
        self.batches: list[int] = []  # sizes of complete calls
        self.fenced = 0
        self.fenced_logs: list[str] = []
        self.already = 0
        self.adopted = 0
        self.log_calls = 0
        self.left: list[str] = []
        self.is_away = False
        self.lose: Counter[str] = Counter()  # how many answers of a call to lose, after it was done
        self.refuse: Callable[[Report], bool] = lambda _: False
        self.hold_beats: threading.Event | None = None
        self.beats_arrived = 0
        self.honours_ahead = True
        self.lock_is_free = asyncio.Event()
        self.lock_state = "held"
        self.lock_claims: list[LockAsked] = []
        self.locks_left: tuple[str, ...] = ()
        self.loses_locks = False
        self.renews_locks = True  # False: a server of a version that knows no locks
        self._lock = threading.RLock()
        self._hurried: set[str] = set()  # leases asked to stop, of which a poll was told
        self._lease_no = 0
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    # ------------------------------------------------------------------------------------------- what a test arranges

    def add(self, handler: str, *, run_id: int | None = None, **fields: Any) -> Row:
        """A run that can be leased now."""
        with self._lock:
            run_id = run_id if run_id is not None else len(self.rows) + 1
            run = LeasedRun(
                run_id=run_id,
                job_id=1,
                namespace=fields.pop("namespace", "default"),
                job=fields.pop("job", handler.rsplit(":", 1)[-1]),
                version=1,
                handler=handler,
                params=fields.pop("params", None),
                attempt=0,
                lease_id="",
                fence=0,
                due_at=1_769_860_800 * SECOND,
                leased_at=0,
                **fields,
            )
            row = self.rows[run_id] = Row(run)
            self.ready.append(run_id)
        self.wake()
        return row

    def wake(self) -> None:
        """Look again: polls that are parked may have something now."""
        self._loop.call_soon_threadsafe(self._news.set)

    def cancel(self, row: Row, *, force: bool = False) -> None:
        """Somebody asks the run to stop, or wants it ended at once."""
        row.cancel_asked, row.cancel_forced = True, force
        self.wake()

    def kill_sessions(self) -> None:
        """Every session is dead by store time; their at-least-once runs can be leased again, the others are lost."""
        with self._lock:
            for session_id, node in self.sessions.items():
                node.is_dead = True
                for row in self._held_by(session_id):
                    self._return(row)
        self.wake()

    def running_without_holder(self) -> list[Row]:
        """Runs that are RUNNING though the last beat of their session did not name them."""
        with self._lock:
            return [
                row
                for row in self.rows.values()
                if row.state is RunState.RUNNING
                and row.lease_id not in {held.lease_id for held in self._last_held(row.session)}
            ]

    def states(self) -> Counter[RunState]:
        with self._lock:
            return Counter(row.state for row in self.rows.values())

    def is_done(self) -> bool:
        with self._lock:
            return all(row.state.is_final for row in self.rows.values())

    # ---------------------------------------------------------------------------------------------- the worker's calls

    async def register(self, hello: Hello) -> Welcome:
        self._arrive("register")
        with self._lock:
            until = self.clock.monotonic() + self.ttl_s
            node = self.sessions.setdefault(hello.session, NodeRow(hello, until))
            node.hello, node.until = hello, until
        self._depart("register")
        return Welcome(
            session_ttl_us=int(self.ttl_s * SECOND),
            beat_every_us=int(self.beat_every_s * SECOND),
            margin_us=int(self.margin_s * SECOND),
            store_now=0,
        )

    async def lease(self, poll: LeasePoll) -> Leased:
        self._arrive("lease")
        deadline = self.clock.monotonic() + poll.wait_us / SECOND
        while True:
            self._news.clear()
            leased = self._lease_now(poll)
            left = deadline - self.clock.monotonic()
            if leased.runs or leased.dead or leased.hurry or left <= 0:
                break
            await self.clock.wait(self._news, for_s=left)
            if self.is_away:
                raise ServerIsAway("The server went away.")
        self._depart("lease")
        return leased

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        self._arrive("complete")
        assert 0 < len(reports) <= 500, len(reports)
        if any(self.refuse(report) for report in reports):
            self.calls["refused"] += 1
            raise InvalidInput("A report cannot be recorded.")
        with self._lock:
            self.batches.append(len(reports))
            landings = [self._end(report) for report in reports]
        self._depart("complete")
        return landings

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress:
        self._arrive("callback")
        self._depart("callback")
        return CallbackAddress(url=f"http://foliot/api/v1/callbacks/{asked.lease_id}", token=f"token of {asked.run_id}")

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        self._arrive("lock")
        self.lock_claims.append(asked)
        await self.lock_is_free.wait()
        token = len(self.lock_claims)
        self._depart("lock")
        return LockAnswered(state=self.lock_state, token=token, ttl_us=asked.ttl_us, cycle="r-1 waits for r-2")

    async def leave_locks(self, left: LocksLeft) -> None:
        self.locks_left += left.claims

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        self._arrive("logs")
        with self._lock:
            self.log_calls += 1
            for chunk in chunks:
                self._keep_log(chunk)
        self._depart("logs")

    async def leave(self, leaving: Leaving) -> None:
        self._arrive("leave")
        with self._lock:
            self.left.append(leaving.session)
            self.sessions[leaving.session].is_dead = True
            named = {held.lease_id for held in leaving.held}
            for row in self._held_by(leaving.session):
                is_settled = row.request_no <= (leaving.settled or 0)
                self._return(row, never_started=is_settled and row.lease_id not in named)
        self._depart("leave")

    def beat(self, beat: Beat) -> BeatAnswer:
        self.beats_arrived += 1
        if self.hold_beats is not None:
            self.hold_beats.wait(60)
        self._arrive("beat")
        with self._lock:
            node = self.sessions[beat.session]
            now = self.clock.monotonic()
            if node.is_dead:
                return BeatAnswer(alive=False)
            if beat.beat_no <= node.beat_no:
                return BeatAnswer(alive=True)
            node.beat_no, node.last_beat, node.until = beat.beat_no, beat, now + self.ttl_s
            self._note(beat)
            self._adopt(beat)
            answer = BeatAnswer(
                alive=True,
                cancel=tuple(h.lease_id for h in beat.held if self._row_of(h).cancel_asked and self._is_held(h)),
                kill=tuple(h.lease_id for h in beat.held if self._row_of(h).cancel_forced and self._is_held(h)),
                invalid=tuple(h.lease_id for h in beat.held if not self._is_held(h)),
                lost=beat.locks if self.loses_locks else (),
                renewed=beat.locks if self.renews_locks and not self.loses_locks else (),
            )
        self._depart("beat")
        return answer

    async def close(self) -> None:
        return None

    # -------------------------------------------------------------------------------------------------- what it does

    def _arrive(self, call: str) -> None:
        self.calls[call] += 1
        if self.is_away:
            raise ServerIsAway("No answer.")
        self._reap()

    def _reap(self) -> None:
        """Sessions whose time is over are dead for whoever calls next, and their leases void."""
        with self._lock:
            for session_id, node in self.sessions.items():
                if not node.is_dead and self.clock.monotonic() > node.until:
                    node.is_dead = True
                    for row in self._held_by(session_id):
                        self._return(row)

    def _depart(self, call: str) -> None:
        if self.lose[call] > 0:
            self.lose[call] -= 1
            raise ServerIsAway("The answer was lost.")

    def _lease_now(self, poll: LeasePoll) -> Leased:
        with self._lock:
            node = self.sessions[poll.session]
            assert poll.settled < poll.request_no, "a settled request is asked again"
            if node.is_dead:
                return Leased(request_no=poll.request_no, dead=True)
            if poll.repeat:
                again = [r for r in self._held_by(poll.session) if r.request_no == poll.request_no]
                if again:
                    return Leased(request_no=poll.request_no, runs=tuple(self._with_lease(row) for row in again))
            asked = {r.lease_id for r in self._held_by(poll.session) if r.cancel_asked and r.lease_id}
            hurry = not asked <= self._hurried
            self._hurried |= asked
            runs = self._take(poll)
            return Leased(request_no=poll.request_no, runs=tuple(runs), hurry=hurry)

    def _take(self, poll: LeasePoll) -> list[LeasedRun]:
        offered = {offer.name for offer in self.sessions[poll.session].hello.handlers}
        taken: list[LeasedRun] = []
        most = poll.free + (poll.ahead if self.honours_ahead else 0)
        for _ in range(len(self.ready)):
            if len(taken) >= most:
                break
            row = self.rows[self.ready.popleft()]
            fits = row.run.handler in offered or row.run.reason == "misrouted"
            if not fits or (row.run.at_most_once and len(taken) >= poll.free):
                self.ready.append(row.run.run_id)
                continue
            self._lease_no += 1
            row.state, row.lease_id, row.session = RunState.RUNNING, f"L{self._lease_no}", poll.session
            row.request_no, row.attempt, row.started = poll.request_no, row.attempt + 1, False
            row.leases += 1
            taken.append(self._with_lease(row))
        return taken

    def _with_lease(self, row: Row) -> LeasedRun:
        values = {name: getattr(row.run, name) for name in inspect.signature(LeasedRun).parameters}
        values |= {"lease_id": row.lease_id, "attempt": row.attempt, "fence": row.attempt}
        values |= {"checkpoint": row.checkpoint}
        return LeasedRun(**values)

    def _end(self, report: Report) -> Landing:
        row = self.rows[report.run_id]
        if row.lease_id != report.lease_id:
            if row.last_lease_id == report.lease_id:
                self.already += 1
                return Landing.ALREADY
            self.fenced += 1
            return Landing.FENCED
        assert row.state is RunState.RUNNING, row.state
        row.reports.append(report)
        row.last_lease_id, row.lease_id = report.lease_id, None
        row.checkpoint = report.checkpoint or row.checkpoint
        if report.cause is Cause.RELEASED:
            row.state, row.session = RunState.PENDING, None
            self.ready.append(report.run_id)
            self.wake()
        elif report.cause is Cause.SUCCEEDED:
            row.state = RunState.SUCCEEDED
        elif report.cause is Cause.CANCELLED:
            row.state = RunState.CANCELLED
        else:
            row.state = RunState.FAILED
        return Landing.RECORDED

    def _keep_log(self, chunk: LogChunk) -> None:
        row = self.rows[chunk.run_id]
        if row.lease_id != chunk.lease_id:
            self.fenced_logs.append(chunk.text)
            return
        have = row.logs.get(chunk.attempt, "")
        size = len(have.encode())
        if chunk.offset == size:
            row.logs[chunk.attempt] = have + chunk.text
        else:
            assert chunk.offset < size, f"a gap: {size} bytes known, the chunk begins at {chunk.offset}"
            assert have.encode()[chunk.offset :].startswith(chunk.text.encode()), "a repeat differs from what was sent"

    def _note(self, beat: Beat) -> None:
        for held in beat.held:
            row = self._row_of(held)
            if row.lease_id == held.lease_id:
                row.started = held.started_us_ago is not None
                row.progress = held.progress or row.progress
                row.checkpoint = held.checkpoint or row.checkpoint

    def _adopt(self, beat: Beat) -> None:
        named = {held.lease_id for held in beat.held}
        for row in self._held_by(beat.session):
            if row.request_no <= beat.settled and row.lease_id not in named:
                self.adopted += 1
                self._return(row, never_started=not row.started)

    def _return(self, row: Row, *, never_started: bool = False) -> None:
        row.lease_id, row.session = None, None
        if row.run.at_most_once and not never_started:
            row.state = RunState.FAILED
            return
        row.state = RunState.PENDING
        self.ready.append(row.run.run_id)
        self.wake()

    def _held_by(self, session: str) -> list[Row]:
        return [row for row in self.rows.values() if row.session == session and row.state is RunState.RUNNING]

    def _row_of(self, held: HeldLease) -> Row:
        return self.rows[held.run_id]

    def _is_held(self, held: HeldLease) -> bool:
        row = self._row_of(held)
        return row.lease_id == held.lease_id or row.last_lease_id == held.lease_id

    def _last_held(self, session: str | None) -> Sequence[HeldLease]:
        node = self.sessions.get(session or "")
        return node.last_beat.held if node is not None and node.last_beat is not None else ()


def now_s() -> float:
    """Real time, for tests that measure."""
    return time.monotonic()
