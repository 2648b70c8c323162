"""The guard: an OS thread that acts when the loop cannot: it ends what trust no longer covers, and watches the loop.

The beat may hang in a call and the loop in a handler; the guard waits for neither.
"""

import threading
from collections.abc import Callable
from typing import Final

from foliot.ports.clock import Clock
from foliot.worker.answers import Answers
from foliot.worker.current_session import CurrentSession
from foliot.worker.loop_watch import LoopWatch
from foliot.worker.session import Session

LOOK_EVERY_S: Final = 0.2
_JOIN_WITHIN_S: Final = 1.0


class Guard:
    """Looks several times a second. `look` is one look."""

    def __init__(
        self,
        clock: Clock,
        current: CurrentSession,
        answers: Answers,
        watch: LoopWatch,
        *,
        is_loop_used: Callable[[], bool],
    ) -> None:
        """`answers` learns at each look past the trust window that trust has ended, in the guard's thread."""
        self._clock = clock
        self._current = current
        self._answers = answers
        self._watch = watch
        self._is_loop_used = is_loop_used
        self._doubted: Session | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="foliot-guard", daemon=True)

    def start(self) -> None:
        """Look from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_WITHIN_S)  # a look is quick: it waits for nobody

    def look(self) -> None:
        """One look at trust and at the loop."""
        session = self._current.session
        if session is not None:
            if session.is_trusted(self._clock.monotonic()):
                self._doubted = None
            else:
                first = self._doubted is not session
                self._doubted = session
                self._answers.trust_ended(session, first)
        if self._is_loop_used():
            self._watch.look()

    def _work(self) -> None:
        try:
            while not self._over.wait(LOOK_EVERY_S):
                self.look()
        except BaseException as error:  # noqa: BLE001  nobody else would notice that the guard is gone
            self._answers.broke_in_thread(error)
