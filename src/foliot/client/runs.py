"""Runs of a cluster: list, look at, wait for, read, cancel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from foliot.client.calls import Call, Duration, Moment, get, post, run_in_path
from foliot.client.lines import Following
from foliot.client.machine import Machine
from foliot.client.pages import Page, page_of
from foliot.client.run import AsyncRun, Run, RunView, not_finished
from foliot.domain.instants import SECOND, parse_duration

if TYPE_CHECKING:
    from foliot.client.foliot import AsyncFoliot, Foliot

HELD_MAX_S: Final = 20.0
POLL_FIRST_S: Final = 0.05
POLL_MAX_S: Final = 1.0


class _Waiting:
    """A wait for a run's end: the server is asked to hold its answer; if it does not, asking gets rarer."""

    def __init__(self, machine: Machine, run: str, timeout: Duration) -> None:
        self._machine = machine
        self._run = run
        self._timeout = timeout
        self._until = machine.monotonic() + parse_duration(timeout) / SECOND
        self._pause_s = POLL_FIRST_S

    def call(self) -> Call:
        """The next question."""
        held_s = max(0.0, min(HELD_MAX_S, self._until - self._machine.monotonic()))
        return replace(get(f"/runs/{run_in_path(self._run)}", wait=f"{held_s:.3f}"), wait_s=held_s)

    def pause_s(self, seen: RunView) -> float:
        """How long to rest before it; `RunNotFinished` when the time is over."""
        left_s = self._until - self._machine.monotonic()
        if left_s <= 0:
            raise not_finished(seen, self._timeout)
        pause_s = min(self._pause_s, left_s)
        self._pause_s = min(self._pause_s * 1.5, POLL_MAX_S)
        return pause_s


class _Calls:
    def __init__(self, namespace: str, machine: Machine) -> None:
        self._namespace = namespace
        self._machine = machine

    def _list(
        self,
        job: str | None,
        state: str | Sequence[str] | None,
        since: Moment | None,
        until: Moment | None,
        limit: int,
        cursor: str | None,
        namespace: str | None,
    ) -> Call:
        states = state if state is None or isinstance(state, str) else list(state)
        return get(
            "/runs",
            namespace=namespace or self._namespace,
            job=job,
            state=states,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
        )

    def _cancel(self, run: str, reason: str) -> Call:
        return post(f"/runs/{run_in_path(run)}:cancel", {"reason": reason or None}, token=self._machine.token())


class Runs(_Calls):
    """Runs of a cluster."""

    def __init__(self, client: Foliot) -> None:
        super().__init__(client.namespace, client.machine)
        self._client = client

    def get(self, run: str) -> Run:
        """A run; `RunNotFound` when there is none with this id (any more)."""
        return self._of(self._client.send(get(f"/runs/{run_in_path(run)}")))

    def list(
        self,
        *,
        job: str | None = None,
        state: str | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> Page[Run]:
        """A page of runs, the newest first."""
        call = self._list(job, state, since, until, limit, cursor, namespace)
        return page_of(self._of, self._client.send(call))

    def wait(self, run: str, timeout: Duration = "1h") -> Run:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        waiting = _Waiting(self._machine, run, timeout)
        while not (seen := self._of(self._client.send(waiting.call()))).is_final:
            self._machine.pause(waiting.pause_s(seen))
        return seen

    def cancel(self, run: str, *, reason: str = "") -> Run:
        """Ask a run to stop."""
        return self._of(self._client.send(self._cancel(run, reason)))

    def logs(
        self,
        run: str,
        *,
        attempt: int | None = None,
        follow: bool = False,
        shard: int | None = None,
        level: str | None = None,
        since: str | None = None,
        tail: int | None = None,
    ) -> Iterator[str]:
        """The lines of a run; with `follow`, as they come, until it is over."""
        following = Following(run, follow=follow, tail=tail, attempt=attempt, shard=shard, level=level, since=since)
        return following.lines(self._client)

    def _of(self, raw: Any) -> Run:
        return Run(raw, self)


class AsyncRuns(_Calls):
    """Runs of a cluster, for async code."""

    def __init__(self, client: AsyncFoliot) -> None:
        super().__init__(client.namespace, client.machine)
        self._client = client

    async def get(self, run: str) -> AsyncRun:
        """A run; `RunNotFound` when there is none with this id (any more)."""
        return self._of(await self._client.send(get(f"/runs/{run_in_path(run)}")))

    async def list(
        self,
        *,
        job: str | None = None,
        state: str | Sequence[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> Page[AsyncRun]:
        """A page of runs, the newest first."""
        call = self._list(job, state, since, until, limit, cursor, namespace)
        return page_of(self._of, await self._client.send(call))

    async def wait(self, run: str, timeout: Duration = "1h") -> AsyncRun:
        """The run once it is over; `RunNotFinished` when that takes longer."""
        waiting = _Waiting(self._machine, run, timeout)
        while not (seen := self._of(await self._client.send(waiting.call()))).is_final:
            await self._machine.pause_async(waiting.pause_s(seen))
        return seen

    async def cancel(self, run: str, *, reason: str = "") -> AsyncRun:
        """Ask a run to stop."""
        return self._of(await self._client.send(self._cancel(run, reason)))

    def logs(
        self,
        run: str,
        *,
        attempt: int | None = None,
        follow: bool = False,
        shard: int | None = None,
        level: str | None = None,
        since: str | None = None,
        tail: int | None = None,
    ) -> AsyncIterator[str]:
        """The lines of a run; with `follow`, as they come, until it is over."""
        following = Following(run, follow=follow, tail=tail, attempt=attempt, shard=shard, level=level, since=since)
        return following.lines_async(self._client)

    def _of(self, raw: Any) -> AsyncRun:
        return AsyncRun(raw, self)
