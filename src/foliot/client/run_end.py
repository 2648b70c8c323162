"""The end of a run, waited for: when to ask, and when to give up. No I/O here."""

from dataclasses import replace
from typing import Final

from foliot.client.calls import Call, Duration
from foliot.client.cluster_access import ClusterAccess
from foliot.client.errors import RunNotFinished
from foliot.client.run import RunView
from foliot.domain.instants import SECOND, format_duration, parse_duration

HELD_MAX_S: Final = 20.0
POLL_FIRST_S: Final = 0.05
POLL_MAX_S: Final = 1.0


class EndWait:
    """A wait for a run's end: the server is asked to hold its answer; if it does not, asking gets rarer."""

    def __init__(self, client: ClusterAccess, run: str, timeout: Duration, *, every: Duration | None = None) -> None:
        """`every`: how long the server may hold an answer at most, for a reader who wants to see the run meanwhile."""
        self._client = client
        self._run = run
        self._timeout = timeout
        self._held_max_s = HELD_MAX_S
        if every is not None:
            self._held_max_s = min(HELD_MAX_S, parse_duration(every) / SECOND)
        self._until = client.machine.monotonic() + parse_duration(timeout) / SECOND
        self._pause_s = POLL_FIRST_S

    def call(self) -> Call:
        """The next question."""
        held_s = max(0.0, min(self._held_max_s, self._left_s))
        return replace(self._client.call("get_run", run=self._run, wait=f"{held_s:.3f}"), wait_s=held_s)

    def pause_s(self, seen: RunView) -> float:
        """How long to rest before it; `RunNotFinished` when the time is over."""
        left_s = self._left_s
        if left_s <= 0:
            waited = format_duration(parse_duration(self._timeout))
            raise RunNotFinished(seen.id, seen.job, seen.state, waited)
        pause_s = min(self._pause_s, left_s)
        longest_s = min(POLL_MAX_S, self._held_max_s)
        self._pause_s = min(self._pause_s * 1.5, longest_s)
        return pause_s

    @property
    def _left_s(self) -> float:
        return self._until - self._client.machine.monotonic()
