"""`AsyncFoliot`: a cluster over HTTP, for programs."""

import ssl
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self

import httpx2

from foliot.client.awaited.alerts import AsyncAlerts
from foliot.client.awaited.backfills import AsyncBackfills
from foliot.client.awaited.calendars import AsyncCalendars
from foliot.client.awaited.channels import AsyncChannels
from foliot.client.awaited.checks import AsyncChecks
from foliot.client.awaited.cluster import AsyncCluster
from foliot.client.awaited.drills import AsyncDrills
from foliot.client.awaited.events import AsyncEvents
from foliot.client.awaited.handlers import AsyncHandlers
from foliot.client.awaited.jobs import AsyncJobs
from foliot.client.awaited.limits import AsyncLimits
from foliot.client.awaited.locks import AsyncLocks
from foliot.client.awaited.nodes import AsyncNodes
from foliot.client.awaited.reports import AsyncReports
from foliot.client.awaited.rules import AsyncRules
from foliot.client.awaited.runs import AsyncRuns
from foliot.client.awaited.silences import AsyncSilences
from foliot.client.awaited.tokens import AsyncTokens
from foliot.client.awaited.views import AsyncViews
from foliot.client.calls import Call
from foliot.client.cluster_access import ClusterAccess
from foliot.client.errors import OtherProtocol
from foliot.client.requests import read


class AsyncFoliot(ClusterAccess):
    """A Foliot cluster: `AsyncFoliot("http://host:7171", token).jobs.trigger("greet", {"name": "Foliot"})`.

    Several servers may be named; any of them answers. Without a URL, the environment or `./.foliot` says which.
    A token goes over plain HTTP to this machine only, unless `insecure_http` is given.
    """

    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        self._http = httpx2.AsyncClient(verify=verify, trust_env=trust_env)
        self.jobs = AsyncJobs(self)
        self.runs = AsyncRuns(self)
        self.backfills = AsyncBackfills(self)
        self.calendars = AsyncCalendars(self)
        self.limits = AsyncLimits(self)
        self.locks = AsyncLocks(self)
        self.alerts = AsyncAlerts(self)
        self.rules = AsyncRules(self)
        self.reports = AsyncReports(self)
        self.channels = AsyncChannels(self)
        self.checks = AsyncChecks(self)
        self.silences = AsyncSilences(self)
        self.nodes = AsyncNodes(self)
        self.handlers = AsyncHandlers(self)
        self.cluster = AsyncCluster(self)
        self.drills = AsyncDrills(self)
        self.views = AsyncViews(self)
        self.events = AsyncEvents(self)
        self.tokens = AsyncTokens(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close its connections. The locks that it still renews are lost."""
        self.locks.close()
        await self._http.aclose()

    async def ask(self, operation: str, **given: Any) -> Any:
        """Send an operation of the table of calls; the answer's JSON."""
        return await self.send(self.call(operation, **given))

    async def send(self, call: Call) -> Any:
        """Send a call, to the next server when one is away; the answer's JSON."""
        tries = self.tries(call)
        while True:
            try:
                response = await self._http.request(**self._request(call))
            except httpx2.RequestError as error:
                if tries.may_be_tls(error) and await self.machine.speaks_tls_async(self._servers.url):
                    raise OtherProtocol(self._servers.url) from error
                pause = tries.failed(error)
            else:
                if self._finds_another_token(response):
                    tries = self.tries(call)
                    continue
                again = tries.answered(response)
                if again is None:
                    self.heard(response)
                    return read(response)
                pause = again
            await self.machine.pause_async(pause)

    def stream(self, call: Call) -> AbstractAsyncContextManager[httpx2.Response]:
        """The open answer to a call, to be read as it comes."""
        return self._http.stream(**self._request(call))
