"""A run, and what can be asked of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Duration
from foliot.client.run import RunView

if TYPE_CHECKING:
    from foliot.client.awaited.runs import AsyncRuns


class AsyncRun(RunView):
    """A run, and the client it came from."""

    def __init__(self, raw: Mapping[str, Any], runs: AsyncRuns) -> None:
        super().__init__(raw)
        self._runs = runs

    async def refresh(self) -> AsyncRun:
        """The run as it is now."""
        return await self._runs.get(self.id)

    async def wait(self, timeout: Duration = "1h") -> AsyncRun:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        return await self._runs.wait(self.id, timeout)

    async def cancel(self, *, reason: str = "") -> AsyncRun:
        """Ask it to stop."""
        return await self._runs.cancel(self.id, reason=reason)

    def logs(self, *, attempt: int | None = None, follow: bool = False) -> AsyncIterator[str]:
        """Its lines; with `follow`, as they come, until it is over."""
        return self._runs.logs(self.id, attempt=attempt, follow=follow)
