"""Execution: which leased runs start, where, and what becomes of each; the slots and the queue before them.

Runs start a few at a turn of the loop, however many slots are free: a thousand short ones are over in as many turns as
they need, and polls, reports and whatever else lives in the loop get theirs in between.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

import structlog
from msgspec.structs import replace

from foliot.domain.drills import DrillType, Faults
from foliot.domain.instants import SECOND
from foliot.domain.job import Isolation
from foliot.domain.redaction import redacted
from foliot.domain.run import format_run_id
from foliot.domain.verdict import Cause
from foliot.ports.handler import HandlerKind, Invocable
from foliot.ports.worker_link import CallbackAddress
from foliot.sdk.invocation import Outcome
from foliot.worker.attempt import Attempt, Wait
from foliot.worker.callbacks import ask_for_callback
from foliot.worker.current_session import CurrentSession
from foliot.worker.deadlines import Deadlines
from foliot.worker.handlers import handler_of
from foliot.worker.isolation.isolator import Isolator
from foliot.worker.lines import safe_text
from foliot.worker.locks import RunLocks
from foliot.worker.reports import AttemptEnd
from foliot.worker.secrets.cover import CUT, Cover
from foliot.worker.signals import Signals
from foliot.worker.spans import AttemptSpans
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.execution")

WAITING_MAX: Final = 10_000
AHEAD_WAIT_S: Final = 1.0  # a run leased ahead of its slot is given back after that
BURST: Final = 32  # runs that start in one turn of the loop

_EWMA: Final = 0.1
_PATIENCE_S: Final = 10.0


class Execution:
    """The slots of a worker (`isolation.isolator.Host`). Only the loop calls it, but for `progressed`."""

    def __init__(
        self,
        around: Surroundings,
        current: CurrentSession,
        signals: Signals,
        *,
        kinds: Mapping[str, HandlerKind],
        slots: int,
        plain: Isolation,
        waiting_max: int = WAITING_MAX,
        faults: Faults | None = None,
        spans: AttemptSpans | None = None,
    ) -> None:
        """`plain`: where plain functions go when their job does not say. `waiting_max`: runs that wait without a slot.

        Beyond that a run waits in its slot: the worker takes less work on, until others have waited to their end.
        `faults`: what drills break; None: the worker takes no part in them. `spans`: None: nobody wants any.
        """
        self._spans = spans
        self.slots: Final = slots
        self.waiting = 0  # attempts that run without a slot
        self.kinds = kinds
        self.isolators: dict[Isolation, Isolator] = {}
        self.running: dict[str, Attempt] = {}
        self.deadlines = Deadlines(around.clock, self.has)
        self.locks = RunLocks(around, current, signals, self.deadlines)
        self.typical_s = 1.0  # how long a run takes, lately
        self._waiting_max = waiting_max
        self._faults = faults
        self._around = around
        self._clock = around.clock
        self._figures = around.figures
        self._current = current
        self._signals = signals
        self._plain = plain
        self._queue: deque[Attempt] = deque()
        self._isolators_of: dict[str, Isolator] = {}  # where running attempts are
        self._loop = asyncio.get_running_loop()
        self._is_turn_coming = False

    @property
    def queued(self) -> int:
        """Leases that wait for a slot or for trust."""
        return len(self._queue)

    @property
    def free(self) -> int:
        """How many more runs could start now."""
        return self.slots - self.taken

    @property
    def taken(self) -> int:
        """Slots that are taken, or will be by runs that wait for one."""
        return self.busy + len(self._queue)

    @property
    def busy(self) -> int:
        """Slots that are taken. A run that goes on after a wait takes one more than there are, if none is free."""
        busy = len(self.running) - self.waiting
        if self._faults is not None and self._faults.has(DrillType.EXHAUST):
            self._faults.notice(DrillType.EXHAUST)
            return max(busy, self.slots)
        return busy

    @property
    def is_idle(self) -> bool:
        return not self.running and not self._queue

    def is_running(self, attempt: Attempt) -> bool:
        return self.running.get(attempt.run.lease_id) is attempt

    def has(self, attempt: Attempt) -> bool:
        """Whether it runs or waits to."""
        return not attempt.is_over

    def accept(self, attempts: Iterable[Attempt]) -> None:
        """Leased: execute them as slots are free."""
        fresh = list(attempts)
        if self._spans is not None:
            for attempt in fresh:
                self._spans.begin(attempt)
        self._queue.extend(fresh)
        self.pump()
        waiting = min(max(-self.free, 0), len(fresh))  # the newest have no slot
        too_late_at = self._clock.monotonic() + AHEAD_WAIT_S
        for attempt in fresh[len(fresh) - waiting :]:
            self.deadlines.add(attempt, too_late_at, self._give_back_unstarted)

    def pump(self) -> None:
        """Start what can start, from the next turn of the loop on."""
        if self._queue and not self._is_turn_coming:
            self._is_turn_coming = True
            self._loop.call_soon(self._begin_some)

    def _begin_some(self) -> None:
        try:
            is_trusted = self._current.is_trusted()  # asked once a turn: `may_start` asks again for each run
            for _ in range(BURST):
                if not is_trusted or not self._queue or self.busy >= self.slots:
                    self._is_turn_coming = False
                    return
                self._begin(self._queue.popleft())
            self._loop.call_soon(self._begin_some)
        except Exception as error:  # noqa: BLE001  told to the worker, which ends by it
            self._signals.broke(error)

    def stop(self, attempt: Attempt, cause: Cause, why: str, *, grace_s: float | None = None) -> None:
        """Ask an attempt to stop; what it is asked first is what counts."""
        if attempt.stop_cause is None:
            attempt.stop_cause, attempt.stop_why = cause, why
        if attempt.has_locks:
            self.locks.stop(attempt)
        if self._is_queued(attempt):
            self._queue.remove(attempt)
            self._finish(attempt, Outcome(cause=attempt.stop_cause, error=f"{why}; it had not started."))
        elif self.is_running(attempt):
            grace_s = attempt.run.grace_us / SECOND if grace_s is None else grace_s
            self._isolators_of[attempt.run.lease_id].stop(attempt, grace_s=grace_s)
            patience_s = max(grace_s, _PATIENCE_S)
            self.deadlines.add(attempt, self._clock.monotonic() + patience_s, self._will_not_stop)

    def void(self, attempt: Attempt) -> None:
        """The lease is another's: end it now and report nothing."""
        attempt.is_void = True
        if self._is_queued(attempt):
            self._queue.remove(attempt)
            self._finish(attempt, Outcome(cause=Cause.RELEASED))
        elif self.is_running(attempt):
            self.kill(attempt, Cause.CANCELLED, "Its lease is another's")

    def kill(self, attempt: Attempt, cause: Cause, why: str) -> None:
        """End an attempt without asking."""
        if attempt.stop_cause is None:
            attempt.stop_cause, attempt.stop_why = cause, why
        if self.is_running(attempt):
            self._isolators_of[attempt.run.lease_id].kill(attempt)

    def give_back_queued(self, why: str) -> None:
        """Hand back what has not started."""
        for attempt in list(self._queue):
            self.stop(attempt, Cause.RELEASED, why)

    # ------------------------------------------------------------------------------------- what isolators say (Host)

    def may_start(self, attempt: Attempt) -> bool:
        if attempt.stop_cause is not None:
            self._finish(attempt, Outcome(cause=attempt.stop_cause, error=f"{attempt.stop_why}; it had not started."))
            return False
        now = self._clock.monotonic()
        if not self._current.is_trusted_at(now):
            self.running.pop(attempt.run.lease_id, None)
            self._isolators_of.pop(attempt.run.lease_id, None)
            self._queue.appendleft(attempt)
            return False
        attempt.started_at = now
        self._figures.started += 1
        if attempt.run.timeout_us is not None:
            self.deadlines.add(attempt, now + attempt.run.timeout_us / SECOND, self._time_out)
        return True

    def ended(self, attempt: Attempt, outcome: Outcome) -> None:
        self._finish(attempt, outcome)
        self.pump()

    def progressed(self, attempt: Attempt) -> None:
        del attempt
        self._signals.progressed()

    def wait(self, attempt: Attempt, what: str | None) -> None:
        attempt.waits = None if what is None else Wait(what, self._clock.monotonic())
        attempt.has_waited = True
        if what is None:
            self._take_slot(attempt)
        elif self.is_running(attempt) and attempt.has_slot:
            self._leave_slot(attempt)
        self._signals.progressed()

    async def open_callback(self, attempt: Attempt) -> CallbackAddress:
        return await ask_for_callback(self._around, self._current.session, attempt)

    def lock_trusted(self, attempt: Attempt, claim: str, until: float) -> None:
        """A lock of the attempt surely holds until then."""
        isolator = self._isolators_of.get(attempt.run.lease_id)
        if isolator is not None:
            isolator.lock_trusted(attempt, claim, until)

    def lock_lost(self, attempt: Attempt, name: str) -> None:
        """A lock is lost without which the attempt must not go on."""
        self.stop(attempt, Cause.ERROR, f"It lost the lock {name}")

    def _leave_slot(self, attempt: Attempt) -> None:
        """Others may have its slot while it waits. With too many of them it keeps it."""
        if self.waiting >= self._waiting_max:
            log.warning("run.waits_in_its_slot", run=format_run_id(attempt.run.run_id), waiting=self.waiting)
            return
        attempt.has_slot = False
        self.waiting += 1
        self.pump()
        self._signals.slots_changed()

    def _take_slot(self, attempt: Attempt) -> None:
        if not attempt.has_slot:
            attempt.has_slot = True
            self.waiting -= 1

    # -------------------------------------------------------------------------------------------------------- inside

    def _is_queued(self, attempt: Attempt) -> bool:
        return not attempt.is_over and attempt.run.lease_id not in self.running

    def _begin(self, attempt: Attempt) -> None:
        run = attempt.run
        self.running[run.lease_id] = attempt
        try:
            handler = handler_of(self.kinds, run)
        except Exception as error:  # noqa: BLE001  options that the kind cannot use: the run is not fit to start
            self._reject(attempt, f"{type(error).__name__}: {error}", type(error).__name__)
            return
        if handler is None:
            self._reject(attempt, f"This worker has no handler {run.handler}.", "UnknownHandler")
            return
        isolation = self._isolation_of(attempt, handler)
        isolator = None if isolation is None else self.isolators.get(isolation)
        if isolator is None or (run.isolation == Isolation.LOOP and not handler.is_async):
            self._reject(attempt, f"{run.handler} cannot run in isolation {run.isolation}.", "UnfitIsolation")
            return
        self._isolators_of[run.lease_id] = isolator
        isolator.begin(attempt, handler)

    def _isolation_of(self, attempt: Attempt, handler: Invocable) -> Isolation | None:
        asked = attempt.run.isolation
        if asked is None:
            return Isolation.LOOP if handler.is_async else self._plain
        try:
            return Isolation(asked)
        except ValueError:
            return None

    def _reject(self, attempt: Attempt, error: str, error_type: str) -> None:
        self._finish(attempt, Outcome(cause=Cause.REJECTED, error=error, error_type=error_type))

    def _time_out(self, attempt: Attempt) -> None:
        timeout_s = (attempt.run.timeout_us or 0) / SECOND
        self.stop(attempt, Cause.TIMEOUT, f"Timed out after {timeout_s:g} s")

    def _will_not_stop(self, attempt: Attempt) -> None:
        """Asked long ago and still there: say so, and ask again."""
        if not self.is_running(attempt):
            return
        log.warning("run.will_not_stop", run=format_run_id(attempt.run.run_id), job=attempt.run.job)
        attempt.add_line(
            "WARNING", "asked to stop, and still running: what runs in a thread or in the loop cannot be killed"
        )
        self.stop(attempt, Cause.CANCELLED, attempt.stop_why)

    def _give_back_unstarted(self, attempt: Attempt) -> None:
        """Leased ahead, and every slot is still taken: let another worker have it. Without trust it waits on."""
        if self._is_queued(attempt) and self._current.is_trusted():
            self.stop(attempt, Cause.RELEASED, "No slot became free in time")

    def _finish(self, attempt: Attempt, outcome: Outcome) -> None:
        run = attempt.run
        attempt.is_over = True
        self._take_slot(attempt)
        if attempt.has_locks:
            self.locks.end(attempt)
        self.running.pop(run.lease_id, None)
        self._isolators_of.pop(run.lease_id, None)
        now = self._clock.monotonic()
        started_at = attempt.started_at if outcome.cause is not Cause.REJECTED else None
        if started_at is not None and not attempt.has_waited:
            self.typical_s += (now - started_at - self.typical_s) * _EWMA
        if self._spans is not None and not attempt.is_void:
            self._spans.end(attempt, outcome, started_at=started_at, now=now)
        self._figures.ended[outcome.cause] = self._figures.ended.get(outcome.cause, 0) + 1
        if outcome.cause is not Cause.SUCCEEDED:
            log.info(
                "run.ended",
                run=format_run_id(run.run_id),
                job=run.job,
                attempt=run.attempt,
                cause=outcome.cause.value,
                error_type=outcome.error_type,
            )
        if attempt.log is not None:
            attempt.log.end()
        if attempt.is_void:
            if attempt.log is not None:
                attempt.log.drop()
            self._current.release([run.lease_id])
        else:
            self._signals.ended.send(
                AttemptEnd(
                    run_id=run.run_id,
                    lease_id=run.lease_id,
                    outcome=_without_secrets(outcome, attempt.cover),
                    ended_at=now,
                    started_at=started_at,
                    checkpoint=attempt.checkpoint,
                    log=attempt.log,
                    job=run.job,
                )
            )
        self._signals.slots_changed.send()


def _without_secrets(outcome: Outcome, cover: Cover) -> Outcome:
    """The outcome as it may be kept: on disk, in the store, before people."""
    if outcome.error is not None:
        error = cover.hidden(outcome.error, is_cut=outcome.error.endswith(CUT))
        outcome = replace(outcome, error=redacted(safe_text(error)), traceback=None)
    if outcome.result is None:
        return outcome
    result = cover.hidden_json(outcome.result)
    return outcome if result is outcome.result else replace(outcome, result=result)
