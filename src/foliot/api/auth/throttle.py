"""Wrong tries are counted: after some in a minute, the next must wait."""

from collections import deque
from typing import Final

from foliot.domain.access import TooManyTries
from foliot.ports.clock import Clock

TRIES_MAX: Final = 10
WINDOW_S: Final = 60.0


class Throttle:
    """Counts wrong tries of this server, whoever made them: a login code is guessed by nobody."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong_at: deque[float] = deque(maxlen=TRIES_MAX)

    def check(self) -> None:
        """Raise `TooManyTries` while there were too many."""
        now = self._clock.monotonic()
        while self._wrong_at and now - self._wrong_at[0] > WINDOW_S:
            self._wrong_at.popleft()
        if len(self._wrong_at) >= TRIES_MAX:
            raise TooManyTries(retry_after_s=max(1, round(WINDOW_S - (now - self._wrong_at[0]))))

    def wrong(self) -> None:
        """A try was wrong."""
        self._wrong_at.append(self._clock.monotonic())
