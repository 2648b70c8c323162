"""Answers of the server: the worker takes leases, stops runs, ends a dead session; and acts when no answer comes.

The answer to a beat comes in the thread of the heartbeat, and another thread watches trust. What cannot wait for the
loop is done in those threads: no handler may start, children are killed. The rest is done in the loop.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from foliot.domain.health import Health
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import BeatAnswer, Leased
from foliot.worker.attempt import Attempt
from foliot.worker.current_session import CurrentSession
from foliot.worker.execution import Execution
from foliot.worker.figures import Figures
from foliot.worker.isolation.kill_list import KillList
from foliot.worker.logs import Logs
from foliot.worker.session import Session
from foliot.worker.signals import Signals

log = structlog.get_logger("foliot.worker.answers")

CLOGGED: Final = 4000  # ends not acknowledged: take no more work on
UNATTENDED: Final = "No server answered in time, and this job must not run unattended"


class Answers:
    """Obeys what is said to the current session (`heartbeat.BeatListener`)."""

    def __init__(
        self,
        current: CurrentSession,
        execution: Execution,
        logs: Logs,
        kills: KillList,
        figures: Figures,
        signals: Signals,
    ) -> None:
        self._current = current
        self._execution = execution
        self._logs = logs
        self._kills = kills
        self._figures = figures
        self._signals = signals
        self._loop = asyncio.get_running_loop()

    # ------------------------------------------------------------------------------------------------------ to a poll

    def leased(self, session: Session, leased: Leased) -> None:
        """A poll was answered."""
        if leased.dead:
            self.bury(session)
        if session is not self._current.session:
            return  # it died meanwhile: these runs are not ours any more, and must not start in the next one's trust
        session.is_draining = session.is_draining or leased.draining
        if leased.hurry:
            self._signals.beat_asked()
        fresh = session.take(leased.request_no, [Attempt(run, self._logs) for run in leased.runs])
        self._figures.leased += len(fresh)
        self._execution.accept(fresh)

    # ------------------------------------------------------------------------------------------------------ to a beat

    def heard(self, session: Session, answer: BeatAnswer) -> None:
        """A beat was answered. In the beat's thread."""
        if not answer.alive:
            for attempt in session.held()[1]:
                attempt.is_void = True
            self._kills.kill_where(lambda attempt: attempt is not None and attempt.is_void)
        self.from_thread(self._obey, session, answer)

    def _obey(self, session: Session, answer: BeatAnswer) -> None:
        if session is not self._current.session:
            return
        if not answer.alive:
            self.bury(session)
            return
        session.is_draining = answer.draining
        self._note_band(session, answer)
        self._cancel(session, [lease_id for lease_id in answer.cancel if lease_id not in answer.kill])
        for lease_id in answer.kill:
            self._end(session.find(lease_id))
        for lease_id in answer.invalid:
            self._let_go(session.find(lease_id))
        if answer.declare:
            self._signals.declaring_asked()
        self._execution.pump()
        self._signals.slots_changed()

    def _note_band(self, session: Session, answer: BeatAnswer) -> None:
        """The server gives this worker more or less work than before: say it once."""
        if not answer.health or answer.health == session.health:
            return
        session.health = answer.health
        say = log.warning if answer.health == Health.WARNING else log.info
        say("worker.band", health=answer.health, slots=answer.slots)

    def _cancel(self, session: Session, lease_ids: Sequence[str]) -> None:
        for lease_id in lease_ids:
            attempt = session.find(lease_id)
            if attempt is not None and attempt.stop_cause is None:
                self._execution.stop(attempt, Cause.CANCELLED, "Cancelled")

    def _end(self, attempt: Attempt | None) -> None:
        """Somebody does not want to wait for it to stop by itself."""
        if attempt is None or not self._execution.has(attempt):
            return
        if attempt.stop_cause is None and not self._execution.is_running(attempt):
            self._execution.stop(attempt, Cause.CANCELLED, "Cancelled")
        else:
            self._execution.kill(attempt, Cause.CANCELLED, "Cancelled")

    def _let_go(self, attempt: Attempt | None) -> None:
        """The lease is another's. One that has ended already is left to its report, which will be told so."""
        if attempt is None or not self._execution.has(attempt):
            return
        if attempt.waits is not None:  # mostly: a callback has ended it
            log.info("wait.over", run=attempt.run.run_id, job=attempt.run.job)
        else:
            self._figures.dropped += 1
            log.warning("lease.taken", run=attempt.run.run_id, job=attempt.run.job)
        self._execution.void(attempt)

    def bury(self, session: Session) -> None:
        """The session is dead by store time: its runs are others' now. End them; the next begins afresh. Once."""
        if session is not self._current.session:
            return
        log.warning("session.dead", session=session.id, running=len(self._execution.running))
        session.die()
        self._current.session = None
        for attempt in session.held()[1]:
            self._let_go(attempt)
        self._signals.session_died()

    # --------------------------------------------------------------------------------------------------------- trust

    def trust_ended(self, session: Session, first: bool) -> None:
        """No beat was answered in time: end what must not run unattended. In the guard's thread, at every look."""
        for attempt in session.held()[1]:
            if attempt.must_not_outlive_trust and attempt.started_at is not None and attempt.stop_cause is None:
                attempt.stop_why = UNATTENDED
                attempt.stop_cause = attempt.cause_when_ended
        self._kills.kill_where(lambda attempt: attempt is not None and attempt.must_not_outlive_trust)
        if first:
            self.from_thread(self._doubt, session)

    def _doubt(self, session: Session) -> None:
        """The same for what runs in the loop and in threads, as far as it can be ended."""
        if session is not self._current.session:
            return
        self._figures.trust_lost += 1
        log.warning("trust.lost", session=session.id, running=len(self._execution.running))
        for attempt in list(self._execution.running.values()):
            if attempt.must_not_outlive_trust:
                self._execution.kill(attempt, attempt.cause_when_ended, UNATTENDED)

    @property
    def is_clogged(self) -> bool:
        """Whether too many runs are over here and not yet in the store to take more work on."""
        unacknowledged = self._current.held_count - len(self._execution.running) - self._execution.queued
        return unacknowledged > CLOGGED

    # -------------------------------------------------------------------------------------------------- from threads

    def beat_missed(self) -> None:
        """No answer came to a beat."""
        self.from_thread(self._signals.beat_missed)

    def broke_in_thread(self, error: BaseException) -> None:
        """A bug came up in a thread."""
        self.from_thread(self._signals.broke, error)

    def from_thread(self, call: Callable[..., None], *args: object) -> None:
        """Do it in the loop, soon."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the worker is gone
            self._loop.call_soon_threadsafe(call, *args)
