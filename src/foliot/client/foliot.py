"""`Foliot` and `AsyncFoliot`: a cluster over HTTP, for programs."""

import ssl
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Any, Final, Self

import httpx2

from foliot.client.calls import Call, Duration
from foliot.client.discovery import CLIENT_FILE, Endpoint, find_endpoint
from foliot.client.jobs import AsyncJobs, Jobs
from foliot.client.loopback import is_on_this_machine
from foliot.client.machine import Machine
from foliot.client.runs import AsyncRuns, Runs
from foliot.client.sending import Servers, Tries, read, request_of, timeout_of
from foliot.client.trust import trusting
from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.job import DEFAULT_NAMESPACE

UNAUTHORISED: Final = 401


class _Client:
    def __init__(
        self,
        url: str | Sequence[str] | None = None,
        token: str | None = None,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        timeout: Duration = "10s",
        ca_file: str | None = None,
        insecure_http: bool = False,
        verify: ssl.SSLContext | None = None,
        machine: Machine | None = None,
    ) -> None:
        self.endpoint = (
            Endpoint.of(url, token, ca_file=ca_file, insecure_http=insecure_http) if url else find_endpoint()
        )
        if self.endpoint.token:
            self.endpoint.demand_safe_way()
        self.namespace = namespace
        self.machine = machine or Machine()
        self._within_s = parse_duration(timeout) / SECOND
        self._servers = Servers(self.endpoint)
        # A proxy of the surroundings is no way to this very machine.
        local = all(is_on_this_machine(address) for address in self.endpoint.urls)
        secure = any(address.startswith("https:") for address in self.endpoint.urls)
        if secure and verify is None and self.endpoint.ca_file is not None:
            verify = trusting(self.endpoint.ca_file)
        # Reading the system's certificates takes a while: only where they are needed.
        self._connect(verify=verify or secure, trust_env=not local)

    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {','.join(self.endpoint.urls)}>"

    def _finds_another_token(self, response: httpx2.Response) -> bool:
        """Whether the `foliot up` of this folder is another one by now: its token ended with the one before."""
        if response.status_code != UNAUTHORISED or self.endpoint.said_by != str(CLIENT_FILE):
            return False
        try:
            found = find_endpoint()
        except FoliotError:
            return False
        if found.said_by != self.endpoint.said_by or found.token == self.endpoint.token:
            return False
        self.endpoint, self._servers = found, Servers(found)
        return True

    def tries(self, call: Call) -> Tries:
        """A fresh series of tries for a call."""
        return Tries(call, self._servers, self.machine, within_s=self._within_s)

    def _request(self, call: Call) -> dict[str, Any]:
        return request_of(call, self._servers.url, self.endpoint.token) | {"timeout": timeout_of(call, self._within_s)}


class Foliot(_Client):
    """A Foliot cluster: `Foliot("http://host:7171", token).jobs.trigger("greet", {"name": "Foliot"})`.

    Several servers may be named; any of them will do. Without a URL, the environment or `./.foliot` says which.
    A token goes over plain HTTP to this machine only, unless `insecure_http` is given.
    Safe to share between threads.
    """

    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        self._http = httpx2.Client(verify=verify, trust_env=trust_env)
        self.jobs = Jobs(self)
        self.runs = Runs(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def send(self, call: Call) -> Any:
        """Send a call, to the next server when one is away; the answer's JSON."""
        tries = self.tries(call)
        while True:
            try:
                response = self._http.request(**self._request(call))
            except httpx2.TransportError as error:
                pause = tries.failed(error)
            else:
                if self._finds_another_token(response):
                    tries = self.tries(call)
                    continue
                again = tries.answered(response)
                if again is None:
                    return read(response)
                pause = again
            self.machine.pause(pause)

    def stream(self, call: Call) -> AbstractContextManager[httpx2.Response]:
        """The open answer to a call, to be read as it comes."""
        return self._http.stream(**self._request(call))


class AsyncFoliot(_Client):
    """`Foliot` for async code: the same calls, awaited."""

    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        self._http = httpx2.AsyncClient(verify=verify, trust_env=trust_env)
        self.jobs = AsyncJobs(self)
        self.runs = AsyncRuns(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def send(self, call: Call) -> Any:
        """Send a call, to the next server when one is away; the answer's JSON."""
        tries = self.tries(call)
        while True:
            try:
                response = await self._http.request(**self._request(call))
            except httpx2.TransportError as error:
                pause = tries.failed(error)
            else:
                if self._finds_another_token(response):
                    tries = self.tries(call)
                    continue
                again = tries.answered(response)
                if again is None:
                    return read(response)
                pause = again
            await self.machine.pause_async(pause)

    def stream(self, call: Call) -> AbstractAsyncContextManager[httpx2.Response]:
        """The open answer to a call, to be read as it comes."""
        return self._http.stream(**self._request(call))
