"""The locks that a worker's runs hold: claimed from a server, renewed with each beat, given back when the run ends.

Trust counts from when a question, or a beat whose answer names the claim as renewed, was *sent*: the store may have
written it down at any moment since. A lock whose trust has passed counts as lost, although the store may still have it.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVarTuple

import structlog

from foliot.domain.instants import SECOND
from foliot.domain.locks import GUARD_SHARE
from foliot.ports.clock import Clock
from foliot.ports.store.locks import LockState
from foliot.ports.worker_link import LOCKS_MAX, BeatAnswer, LockAnswered, LockAsked, LocksLeft
from foliot.sdk.locks import REFUSED, STOPPED, TIMED_OUT, LockOutcome, LockWish
from foliot.worker.attempt import Attempt
from foliot.worker.current_session import CurrentSession
from foliot.worker.deadlines import Deadlines
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.session import Session
from foliot.worker.signals import Signals
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.locks")

Args = TypeVarTuple("Args")

ASK_S: Final = 15.0  # a server holds one question at most this long
TRIES_MAX: Final = 3  # without an answer, for a run that would not wait
KNOWN: Final = frozenset(LockState) - {LockState.WAITING}
"""Answers of a server after which the claim is held, or is nowhere."""
LOST: Final = 0.0  # the end of the trust in a lock that is lost: always over
FRESH_SHARE: Final = 0.25  # of the ttl: how old a grant may be when the worker learns of it


class HeldLock:
    """A lock in the hands of an attempt. The loop makes and ends it; the beat's thread renews it."""

    __slots__ = ("attempt", "cancels", "claim", "is_lost", "name", "session", "trusted_until", "ttl_s")

    def __init__(
        self, attempt: Attempt, session: str, claim: str, wish: LockWish, ttl_s: float, asked_at: float
    ) -> None:
        self.attempt = attempt
        self.session = session
        self.claim = claim
        self.name = wish.name
        self.cancels = wish.cancel_if_lost
        self.ttl_s = ttl_s
        self.trusted_until = self.trusted_from(asked_at)
        self.is_lost = False

    def trusted_from(self, sent_at: float) -> float:
        """Until when it is surely held, if the store wrote it down at some moment since then."""
        return sent_at + self.ttl_s * (1 - GUARD_SHARE)


class _Patience:
    """How long a run still waits for a lock, and whether what a server answered is good enough."""

    def __init__(self, clock: Clock, wish: LockWish) -> None:
        self.asked_at = clock.monotonic()
        self._clock = clock
        self._give_up_at = None if wish.wait_us is None else self.asked_at + wish.wait_us / SECOND
        self._would_not_wait = wish.wait_us == 0
        self._was_held = False
        self._left_s = ASK_S
        self._tries = 0

    def hold_s(self) -> float:
        """The next question begins: how long the server may hold it."""
        self.asked_at = self._clock.monotonic()
        self._left_s = ASK_S if self._give_up_at is None else self._give_up_at - self.asked_at
        return 0.0 if self._was_held else max(0.0, min(ASK_S, self._left_s))

    def ends_without_answer(self) -> bool:
        """No server answered: whether the run gives up."""
        self._tries += 1
        return self._tries >= TRIES_MAX and (self._left_s <= 0 or self._would_not_wait)

    def is_granted(self, answer: LockAnswered) -> bool:
        """Whether the lock is held. After a long wait its ttl may be nearly over: one more question renews it."""
        if answer.state != LockState.HELD:
            return False
        is_fresh = self._clock.monotonic() - self.asked_at <= answer.ttl_us / SECOND * FRESH_SHARE
        was_held, self._was_held = self._was_held, True
        return is_fresh or was_held

    @property
    def is_over(self) -> bool:
        if self._was_held or self._give_up_at is None:
            return False
        return self._clock.monotonic() >= self._give_up_at


class RunLocks:
    """Every lock of a worker's runs. Only the loop calls it, but for `claims`, `answered` and `is_lost`."""

    def __init__(self, around: Surroundings, current: CurrentSession, signals: Signals, deadlines: Deadlines) -> None:
        self.tasks: asyncio.TaskGroup | None = None  # where its own tasks live, from when the worker runs
        self._is_closed = False
        self._leaving: set[asyncio.Task[None]] = set()
        self._around = around
        self._clock = around.clock
        self._current = current
        self._signals = signals
        self._deadlines = deadlines
        self._loop = asyncio.get_running_loop()
        self._held: dict[str, HeldLock] = {}
        self._asking: dict[Attempt, set[asyncio.Event]] = {}
        self._undecided = 0  # claims that were asked for and not answered

    # -------------------------------------------------------------------------------------------------- of a handler

    async def claim(self, attempt: Attempt, wish: LockWish) -> LockOutcome:
        """Ask for a lock until it is held or will not be."""
        session = self._current.session
        if session is None:
            return LockOutcome(state=REFUSED, why="the worker has no session")
        if len(self._held) + self._undecided >= LOCKS_MAX:
            return LockOutcome(state=REFUSED, why=f"the runs of its worker have {LOCKS_MAX} locks, which is the most")
        attempt.has_locks = True
        claim = self._around.chance.token()
        is_known = False
        self._undecided += 1
        try:
            outcome = await self._asked(attempt, session, wish, claim)
            is_known = outcome.state in KNOWN
            return outcome
        finally:
            self._undecided -= 1
            if not is_known:  # also when the handler's task was cancelled
                self._leave_soon(session.id, [claim])

    async def _asked(self, attempt: Attempt, session: Session, wish: LockWish, claim: str) -> LockOutcome:
        patience = _Patience(self._clock, wish)
        rest = GrowingRest(self._around.chance, first_s=0.1, most_s=2.0)
        while not attempt.is_over and attempt.stop_cause is None:
            question = _question(attempt, session, wish, claim, patience.hold_s())
            try:
                answer = await self._answer(attempt, question)
            except NotTaken as error:
                return LockOutcome(state=REFUSED, why=str(error.__cause__ or error))
            except NoAnswer as error:
                if patience.ends_without_answer():
                    return LockOutcome(state=REFUSED, why=str(error))
                with self._stoppable(attempt) as stop:
                    await self._clock.wait(stop, for_s=rest.next_s())
                continue
            if patience.is_granted(answer):
                assert answer.token is not None
                lock = HeldLock(attempt, session.id, claim, wish, answer.ttl_us / SECOND, patience.asked_at)
                return _held(lock, answer.token) if self._keep(lock) else LockOutcome(state=STOPPED)
            if answer.state in KNOWN - {LockState.HELD}:
                return LockOutcome(state=answer.state, why=answer.cycle)
            if patience.is_over:
                return LockOutcome(state=TIMED_OUT)
        return LockOutcome(state=STOPPED)

    async def _answer(self, attempt: Attempt, question: LockAsked) -> LockAnswered:
        within_s = question.wait_us / SECOND + self._around.call_within_s
        call = self._around.link.claim_lock(question)
        with self._stoppable(attempt) as stop:
            return await answer_of(call, clock=self._clock, within_s=within_s, name="lock", give_up=stop)

    @contextmanager
    def _stoppable(self, attempt: Attempt) -> Iterator[asyncio.Event]:
        """An event that is set when the attempt is asked to stop or is over."""
        event = asyncio.Event()
        events = self._asking.setdefault(attempt, set())
        events.add(event)
        try:
            yield event
        finally:
            events.discard(event)
            if not events:
                self._asking.pop(attempt, None)

    def leave(self, claim: str) -> None:
        """A run gives a lock back. From the loop."""
        held = self._held.pop(claim, None)
        if held is not None:
            self._leave_soon(held.session, [claim])

    def is_lost(self, claim: str) -> bool:
        """Whether a lock is not surely held. From any thread."""
        held = self._held.get(claim)
        return held is None or held.is_lost or self._clock.monotonic() >= held.trusted_until

    # --------------------------------------------------------------------------------------------- of an attempt

    def stop(self, attempt: Attempt) -> None:
        """The attempt is asked to stop: it waits for no lock any more."""
        for event in self._asking.get(attempt, ()):
            event.set()

    def end(self, attempt: Attempt) -> None:
        """The attempt is over: it gives back whatever it holds."""
        self.stop(attempt)
        held = [lock for lock in self._held.values() if lock.attempt is attempt]
        for lock in held:
            del self._held[lock.claim]
        for session in {lock.session for lock in held}:
            self._leave_soon(session, [lock.claim for lock in held if lock.session == session])

    def _keep(self, lock: HeldLock) -> bool:
        """Have it renewed from now on; False: the attempt ended meanwhile, and nobody would give it back."""
        if lock.attempt.is_over:
            return False
        self._held[lock.claim] = lock
        self._deadlines.add(lock.attempt, lock.trusted_until, self._look)
        return True

    def _look(self, attempt: Attempt) -> None:
        """The trust in a lock of this attempt may be over."""
        now = self._clock.monotonic()
        for lock in [one for one in self._held.values() if one.attempt is attempt and not one.is_lost]:
            if lock.trusted_until <= now:
                self._lose(lock, "no server heard the worker for longer than its ttl")
            else:
                self._deadlines.add(attempt, lock.trusted_until, self._look)

    def _lose(self, lock: HeldLock, why: str) -> None:
        if lock.is_lost or lock.claim not in self._held:
            return
        lock.is_lost = True
        log.warning("lock.lost", name=lock.name, job=lock.attempt.run.job, why=why)
        lock.attempt.add_line("WARNING", f"the lock {lock.name} is lost: {why}")
        self._signals.lock_trusted(lock.attempt, lock.claim, LOST)
        if lock.cancels:
            self._signals.lock_lost(lock.attempt, lock.name)

    # ------------------------------------------------------------------------------------------------ with each beat

    def claims(self, session: str) -> tuple[str, ...]:
        """What the next beat renews. In the beat's thread."""
        if not self._held:
            return ()
        return tuple(lock.claim for lock in list(self._held.values()) if lock.session == session and not lock.is_lost)

    def answered(self, answer: BeatAnswer, *, sent_at: float) -> None:
        """A beat was answered. Only claims that the answer names changed in the store. In the beat's thread.

        A server of an older version, or one whose store was away, names none: trust goes on to its end.
        """
        for claim in answer.lost:
            lost = self._held.get(claim)
            if lost is not None:
                lost.trusted_until = sent_at
                self._in_loop(self._lose, lost, "the store does not have it any more")
        locks = [lock for claim in answer.renewed if (lock := self._held.get(claim)) is not None]
        for lock in locks:
            lock.trusted_until = max(lock.trusted_until, lock.trusted_from(sent_at))
        if locks:
            self._in_loop(self._tell_renewed, locks)

    def _tell_renewed(self, locks: Sequence[HeldLock]) -> None:
        """Code in another process reckons with the end of the trust by itself."""
        for lock in locks:
            if lock.claim in self._held and not lock.is_lost:
                self._signals.lock_trusted(lock.attempt, lock.claim, lock.trusted_until)

    def _in_loop(self, call: Callable[[*Args], None], *args: *Args) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:
            return  # the loop is closed: the worker is gone

    # ------------------------------------------------------------------------------------------------------- leaving

    def _leave_soon(self, session: str, claims: list[str]) -> None:
        """Tell a server. When none hears it, the leader finds that the run is over, or the claim's time passes."""
        if self.tasks is None or self._is_closed:
            return
        left = LocksLeft(session=session, claims=tuple(claims))
        task = self.tasks.create_task(self._leave(left), name="leave locks")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _leave(self, left: LocksLeft) -> None:
        rest = GrowingRest(self._around.chance, first_s=0.1, most_s=1.0)
        for _ in range(TRIES_MAX):
            try:
                within_s = self._around.call_within_s
                await answer_of(
                    self._around.link.leave_locks(left), clock=self._clock, within_s=within_s, name="leave locks"
                )
            except NotTaken:
                return
            except NoAnswer:
                await self._clock.wait(asyncio.Event(), for_s=rest.next_s())
            else:
                return

    def close(self) -> None:
        """Tell no server any more: the session ends, and its locks with it."""
        self._is_closed = True
        for task in self._leaving:
            task.cancel()


def _held(lock: HeldLock, token: int) -> LockOutcome:
    return LockOutcome(state=str(LockState.HELD), claim=lock.claim, token=token, trusted_until=lock.trusted_until)


def _question(attempt: Attempt, session: Session, wish: LockWish, claim: str, hold_s: float) -> LockAsked:
    run = attempt.run
    return LockAsked(
        session=session.id,
        run_id=run.run_id,
        lease_id=run.lease_id,
        namespace=run.namespace,
        name=wish.name,
        claim=claim,
        ttl_us=wish.ttl_us,
        wait_us=int(hold_s * SECOND),
        shared=wish.shared,
        slots=wish.slots,
        queues=wish.wait_us != 0,
    )
