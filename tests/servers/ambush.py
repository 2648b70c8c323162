"""Waiting for one certain request, to lose it or its answer."""

import threading
from collections.abc import Callable
from typing import Literal

Pattern = bytes | Callable[[bytes], bool]
Lose = Literal["answer", "request"]
Then = Literal["reset", "close", "silence"]


class Ambush:
    """Counts the requests that match and names those to be lost; made by `FaultProxy.ambush`."""

    def __init__(self, request: Pattern | None, *, nth: int, times: int, lose: Lose, then: Then) -> None:
        self.lose = lose
        self.then = then
        self.seen = 0
        """Matching requests so far."""
        self.sprung = 0
        """Requests or answers lost so far."""
        self._matches = _question(request)
        self._targets = range(nth, nth + times)
        self._progress = threading.Condition()

    def matches(self, request: bytes) -> bool:
        """Whether this is a request of the kind waited for."""
        return self._matches(request)

    def takes_next(self) -> bool:
        """Count one more matching request; whether it is one to be lost."""
        self.seen += 1
        return self.seen in self._targets

    def spring(self) -> None:
        """Note that it has happened."""
        with self._progress:
            self.sprung += 1
            self._progress.notify_all()

    def wait(self, *, times: int = 1, within_s: float = 30.0) -> None:
        """Block until it has happened `times` times."""
        with self._progress:
            if not self._progress.wait_for(lambda: self.sprung >= times, within_s):
                raise AssertionError(f"sprung {self.sprung} times, not {times}; {self.seen} matching requests seen")


def _question(request: Pattern | None) -> Callable[[bytes], bool]:
    if request is None:
        return lambda _: True
    if isinstance(request, bytes):
        return lambda sent: request in sent
    return request
