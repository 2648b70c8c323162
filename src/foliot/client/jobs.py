"""Jobs of a cluster: trigger, list, look at, pause, resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Call, Duration, Moment, get, moment, name_in_path, post, trigger
from foliot.client.machine import Machine
from foliot.client.pages import Page, page_of
from foliot.client.run import AsyncRun, Run

if TYPE_CHECKING:
    from foliot.client.foliot import AsyncFoliot, Foliot


class Job:
    """What a server said of a job. `raw` has all of it."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    def __repr__(self) -> str:
        return f"<job {self.name}: {self.state}>"

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def namespace(self) -> str:
        return str(self.raw.get("namespace", ""))

    @property
    def state(self) -> str:
        """active, paused or done."""
        return str(self.raw.get("state", ""))

    @property
    def version(self) -> int:
        return int(self.raw.get("version") or 0)


class _Calls:
    def __init__(self, namespace: str, machine: Machine) -> None:
        self._namespace = namespace
        self._machine = machine

    def _token(self) -> str:
        return self._machine.token()

    def _list(self, limit: int, cursor: str | None, namespace: str | None) -> Call:
        return get("/jobs", namespace=namespace or self._namespace, limit=limit, cursor=cursor)

    def _get(self, name: str, namespace: str | None) -> Call:
        return get(f"/jobs/{name_in_path(name)}", namespace=namespace or self._namespace)

    def _pause(self, name: str, until: Moment | None, reason: str, namespace: str | None) -> Call:
        return self._verb(name, "pause", {"until": moment(until), "reason": reason or None}, namespace)

    def _resume(self, name: str, catch_up: bool, reason: str, namespace: str | None) -> Call:
        return self._verb(name, "resume", {"catch_up": catch_up or None, "reason": reason or None}, namespace)

    def _reschedule(self, name: str, dry_run: bool, reason: str, namespace: str | None) -> Call:
        return self._verb(name, "reschedule", {"dry_run": dry_run or None, "reason": reason or None}, namespace)

    def _verb(self, name: str, verb: str, body: Mapping[str, Any], namespace: str | None) -> Call:
        path = f"/jobs/{name_in_path(name)}:{verb}"
        return post(path, body, token=self._token(), namespace=namespace or self._namespace)


class Jobs(_Calls):
    """Jobs of a cluster."""

    def __init__(self, client: Foliot) -> None:
        super().__init__(client.namespace, client.machine)
        self._client = client

    def trigger(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: Moment | None = None,
        reason: str = "",
        overlap: str | None = None,
        priority: int | None = None,
        namespace: str | None = None,
    ) -> Run:
        """Ask for a run now or later. The same `key` means the same run, however often it is sent."""
        call = trigger(
            name,
            params,
            key=key,
            token=self._token(),
            namespace=namespace or self._namespace,
            delay=delay,
            at=at,
            reason=reason,
            overlap=overlap,
            priority=priority,
        )
        return Run(self._client.send(call), self._client.runs)

    def list(self, *, limit: int = 50, cursor: str | None = None, namespace: str | None = None) -> Page[Job]:
        """A page of jobs."""
        return page_of(Job, self._client.send(self._list(limit, cursor, namespace)))

    def get(self, name: str, *, namespace: str | None = None) -> Job:
        """A job; `JobNotFound` when there is none of this name."""
        return Job(self._client.send(self._get(name, namespace)))

    def pause(self, name: str, *, until: Moment | None = None, reason: str = "", namespace: str | None = None) -> Job:
        """Stop its schedule; triggers go on working."""
        return Job(self._client.send(self._pause(name, until, reason, namespace)))

    def resume(self, name: str, *, catch_up: bool = False, reason: str = "", namespace: str | None = None) -> Job:
        """Let its schedule go on; with `catch_up`, by the misfire policy for the time it was paused."""
        return Job(self._client.send(self._resume(name, catch_up, reason, namespace)))

    def reschedule(
        self, name: str, *, dry_run: bool = False, reason: str = "", namespace: str | None = None
    ) -> Mapping[str, Any]:
        """Set its schedule right after the store's clock was ahead: where it stood `before` and stands `after`."""
        return dict(self._client.send(self._reschedule(name, dry_run, reason, namespace)))


class AsyncJobs(_Calls):
    """Jobs of a cluster, for async code."""

    def __init__(self, client: AsyncFoliot) -> None:
        super().__init__(client.namespace, client.machine)
        self._client = client

    async def trigger(
        self,
        name: str,
        params: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        delay: Duration | None = None,
        at: Moment | None = None,
        reason: str = "",
        overlap: str | None = None,
        priority: int | None = None,
        namespace: str | None = None,
    ) -> AsyncRun:
        """Ask for a run now or later. The same `key` means the same run, however often it is sent."""
        call = trigger(
            name,
            params,
            key=key,
            token=self._token(),
            namespace=namespace or self._namespace,
            delay=delay,
            at=at,
            reason=reason,
            overlap=overlap,
            priority=priority,
        )
        return AsyncRun(await self._client.send(call), self._client.runs)

    async def list(self, *, limit: int = 50, cursor: str | None = None, namespace: str | None = None) -> Page[Job]:
        """A page of jobs."""
        return page_of(Job, await self._client.send(self._list(limit, cursor, namespace)))

    async def get(self, name: str, *, namespace: str | None = None) -> Job:
        """A job; `JobNotFound` when there is none of this name."""
        return Job(await self._client.send(self._get(name, namespace)))

    async def pause(
        self, name: str, *, until: Moment | None = None, reason: str = "", namespace: str | None = None
    ) -> Job:
        """Stop its schedule; triggers go on working."""
        return Job(await self._client.send(self._pause(name, until, reason, namespace)))

    async def resume(self, name: str, *, catch_up: bool = False, reason: str = "", namespace: str | None = None) -> Job:
        """Let its schedule go on; with `catch_up`, by the misfire policy for the time it was paused."""
        return Job(await self._client.send(self._resume(name, catch_up, reason, namespace)))

    async def reschedule(
        self, name: str, *, dry_run: bool = False, reason: str = "", namespace: str | None = None
    ) -> Mapping[str, Any]:
        """Set its schedule right after the store's clock was ahead: where it stood `before` and stands `after`."""
        return dict(await self._client.send(self._reschedule(name, dry_run, reason, namespace)))
