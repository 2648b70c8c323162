"""A run, and what can be asked of it."""

# Written by python -m tests.client.derive: change foliot/client/awaited/run.py, then run it.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Duration
from foliot.client.run import RunView

if TYPE_CHECKING:
    from foliot.client.blocking.runs import Runs


class Run(RunView):
    """A run, and the client it came from."""

    def __init__(self, raw: Mapping[str, Any], runs: Runs) -> None:
        super().__init__(raw)
        self._runs = runs

    def refresh(self) -> Run:
        """The run as it is now."""
        return self._runs.get(self.id)

    def wait(self, timeout: Duration = "1h") -> Run:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        return self._runs.wait(self.id, timeout)

    def cancel(self, *, reason: str = "") -> Run:
        """Ask it to stop."""
        return self._runs.cancel(self.id, reason=reason)

    def logs(self, *, attempt: int | None = None, follow: bool = False) -> Iterator[str]:
        """Its lines; with `follow`, as they come, until it is over."""
        return self._runs.logs(self.id, attempt=attempt, follow=follow)
