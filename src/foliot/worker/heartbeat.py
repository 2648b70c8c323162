"""The heartbeat: an OS thread of its own, so that no handler that blocks the loop can make the worker look dead."""

import threading
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import structlog

from foliot.domain.clocks import Offset
from foliot.domain.drills import NodeDrills
from foliot.domain.instants import SECOND, to_instant
from foliot.ports.worker_link import Beat, BeatAnswer, drill_fields
from foliot.worker.checkpoints import Checkpoints
from foliot.worker.locks import RunLocks
from foliot.worker.server_calls import NO_ANSWER, GrowingRest
from foliot.worker.session import Session, to_held
from foliot.worker.surroundings import Surroundings

log = structlog.get_logger("foliot.worker.heartbeat")

_HURRIES_PER_BEAT: Final = 5
_JOIN_WITHIN_S: Final = 1.0


class BeatListener(Protocol):
    """Who learns what came of beats. Called in the beat's thread."""

    def heard(self, session: Session, answer: BeatAnswer) -> None:
        """A beat was answered."""
        ...

    def beat_missed(self) -> None:
        """No answer came to a beat."""
        ...

    def broke_in_thread(self, error: BaseException) -> None:
        """A bug came up: there are no more beats."""
        ...


class Heartbeat:
    """Beats for one session. `beat` is one beat; the thread does it again and again."""

    def __init__(
        self,
        around: Surroundings,
        session: Session,
        listener: BeatListener,
        *,
        load: Callable[[], Mapping[str, float]],
        is_draining: Callable[[], bool],
        is_syncing: Callable[[], bool],
        locks: RunLocks,
        drills: NodeDrills | None = None,
    ) -> None:
        """`drills`: in which the worker takes part; None: in none."""
        self._drills = drills
        self._link = around.link
        self._clock = around.clock
        self._figures = around.figures
        self._session = session
        self._listener = listener
        self._load = load
        self._is_draining = is_draining
        self._is_syncing = is_syncing
        self._locks = locks
        self._beat_no = 0
        self._checkpoints = Checkpoints()
        self._offset = Offset()  # of this machine's wall clock (C2)
        self._backoff = GrowingRest(around.chance, first_s=session.beat_every_s / 10, most_s=session.beat_every_s / 2)
        self._urgent = threading.Event()
        self._wake = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="foliot-heartbeat", daemon=True)

    def start(self) -> None:
        """Beat from now on."""
        self._thread.start()

    def hurry(self) -> None:
        """There is something to say: beat soon rather than at the next turn. From any thread, and often."""
        if not self._wake.is_set():
            self._wake.set()

    def beat_now(self) -> None:
        """The server calls for a beat: do not even keep the distance between two that hurry."""
        self._urgent.set()
        self._wake.set()

    def stop(self) -> None:
        """Beat no more."""
        self._over.set()
        self._urgent.set()
        self._wake.set()

    def join(self) -> None:
        """Wait for the thread; a beat that hangs in a call is not waited for long."""
        if self._thread.is_alive():
            self._thread.join(_JOIN_WITHIN_S)

    def beat(self) -> bool:
        """Beat once; False when no answer came."""
        session = self._session
        settled, attempts = session.held()
        checkpoints = self._checkpoints.choose(attempts)
        claims = self._locks.claims(session.id)
        note = None if self._drills is None else self._drills.note(self._offset.us)
        sent_at = self._clock.monotonic()
        self._beat_no += 1
        beat = Beat(
            session=session.id,
            beat_no=self._beat_no,
            settled=settled,
            held=tuple(
                to_held(attempt, now=sent_at, checkpoint=checkpoints.get(attempt.run.lease_id)) for attempt in attempts
            ),
            load=self._load(),
            draining=self._is_draining(),
            syncing=self._is_syncing(),
            clock_offset_us=self._offset.us,
            locks=claims,
            **drill_fields(note),
        )
        try:
            answer = self._link.beat(beat)
        except NO_ANSWER as error:
            self._figures.beats_unanswered += 1
            log.warning("beat.no_answer", beat=beat.beat_no, error=type(error).__name__)
            self._listener.beat_missed()
            return False
        self._figures.beats += 1
        self._checkpoints.answered(checkpoints)
        self._compare_clocks(answer, sent_at)
        if answer.alive:
            session.renew(sent_at)
            self._locks.answered(answer, sent_at=sent_at)
        else:
            session.die()
        self._listener.heard(session, answer)
        if self._drills is not None and self._drills.heard(answer.drill, begin=answer.drill_begin, said=note):
            self.beat_now()
        return True

    def _compare_clocks(self, answer: BeatAnswer, sent_at: float) -> None:
        """Half the way there and back is allowed for; the next beat tells."""
        if not answer.store_now:
            return
        wall = to_instant(self._clock.now()) - int((self._clock.monotonic() - sent_at) / 2 * SECOND)
        if self._offset.learn(wall, answer.store_now):
            tell = log.warning if self._offset.is_off else log.info
            tell(
                "clock.off" if self._offset.is_off else "clock.right",
                ahead_of_store_s=(self._offset.us or 0) / SECOND,
            )

    def _work(self) -> None:
        try:
            while not self._over.is_set() and not self._session.is_dead:
                self._round()
        except BaseException as error:  # noqa: BLE001  a bug must not leave a worker that only believes itself alive
            self._listener.broke_in_thread(error)

    def _round(self) -> None:
        """Beat and rest; at least a fraction of a turn lies between two beats, however many hurry."""
        self._urgent.clear()
        self._wake.clear()
        began_at = self._clock.monotonic()
        if not self.beat():
            self._over.wait(self._backoff.next_s())
            return
        self._backoff.reset()
        rest_s = self._session.beat_every_s - (self._clock.monotonic() - began_at)
        least_s = self._session.beat_every_s / _HURRIES_PER_BEAT
        if not self._over.is_set() and not self._urgent.wait(least_s) and rest_s > least_s:
            self._wake.wait(rest_s - least_s)
