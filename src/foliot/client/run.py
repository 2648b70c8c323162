"""A run, as a client sees it: what the server said last, and what can be asked of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from foliot.client.errors import RunNotFinished, RunNotSucceeded
from foliot.domain.instants import format_duration, parse_duration
from foliot.domain.run import LIVE, RunState

if TYPE_CHECKING:
    from foliot.client.runs import AsyncRuns, Runs


class RunView:
    """What a server said of a run. `raw` has all of it."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    def __repr__(self) -> str:
        return f"<run {self.id} of {self.job}: {self.state}>"

    @property
    def id(self) -> str:
        """As people see it: `r-8k2f`."""
        return str(self.raw["id"])

    @property
    def job(self) -> str:
        return str(self.raw.get("job", ""))

    @property
    def namespace(self) -> str:
        return str(self.raw.get("namespace", ""))

    @property
    def state(self) -> str:
        """PENDING, RUNNING, SUCCEEDED, FAILED or CANCELLED."""
        return str(self.raw.get("state", ""))

    @property
    def is_final(self) -> bool:
        """Whether it is over for good."""
        return bool(self.state) and self.state not in LIVE

    @property
    def attempt(self) -> int:
        return int(self.raw.get("attempt") or 0)

    @property
    def due_at(self) -> datetime | None:
        return _moment(self.raw.get("due_at"))

    @property
    def progress(self) -> Mapping[str, Any] | None:
        """How far it is, while it runs and says so: done, total, note, rate_per_s, left_s."""
        return self.raw.get("progress")

    @property
    def error(self) -> str | None:
        """What went wrong, when something did."""
        return self.raw.get("error")

    @property
    def failure_kind(self) -> str | None:
        """Of a FAILED run: error, timeout, lost, rejected or poison."""
        return self.raw.get("kind")

    @property
    def result(self) -> Any:
        """What the job returned; `RunNotSucceeded` when it did not come to that."""
        if self.state == RunState.SUCCEEDED:
            return self.raw.get("result")
        if not self.is_final:
            raise RunNotFinished(self.id, self.job, self.state)
        raise RunNotSucceeded(self.id, self.job, self.state, self.failure_kind, self.error)


class Run(RunView):
    """A run, and the client it came from."""

    def __init__(self, raw: Mapping[str, Any], runs: Runs) -> None:
        super().__init__(raw)
        self._runs = runs

    def refresh(self) -> Run:
        """The run as it is now."""
        return self._runs.get(self.id)

    def wait(self, timeout: str | float | timedelta = "1h") -> Run:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        return self._runs.wait(self.id, timeout)

    def cancel(self, *, reason: str = "") -> Run:
        """Ask it to stop."""
        return self._runs.cancel(self.id, reason=reason)

    def logs(self, *, attempt: int | None = None, follow: bool = False) -> Iterator[str]:
        """Its lines; with `follow`, as they come, until it is over."""
        return self._runs.logs(self.id, attempt=attempt, follow=follow)


class AsyncRun(RunView):
    """`Run` for async code."""

    def __init__(self, raw: Mapping[str, Any], runs: AsyncRuns) -> None:
        super().__init__(raw)
        self._runs = runs

    async def refresh(self) -> AsyncRun:
        """The run as it is now."""
        return await self._runs.get(self.id)

    async def wait(self, timeout: str | float | timedelta = "1h") -> AsyncRun:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        return await self._runs.wait(self.id, timeout)

    async def cancel(self, *, reason: str = "") -> AsyncRun:
        """Ask it to stop."""
        return await self._runs.cancel(self.id, reason=reason)

    def logs(self, *, attempt: int | None = None, follow: bool = False) -> AsyncIterator[str]:
        """Its lines; with `follow`, as they come, until it is over."""
        return self._runs.logs(self.id, attempt=attempt, follow=follow)


def not_finished(run: RunView, timeout: str | float | timedelta) -> RunNotFinished:
    """The error of a wait that was not long enough."""
    return RunNotFinished(run.id, run.job, run.state, format_duration(parse_duration(timeout)))


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None
