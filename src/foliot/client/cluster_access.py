"""What both clients know of a cluster: its servers, the token, the namespace, how long to try. No I/O here."""

import ssl
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import httpx2

from foliot.client.calls import CALLS, Call, Duration, call
from foliot.client.contexts import find_endpoint, find_settings
from foliot.client.discovery import Resolved
from foliot.client.endpoint import CLIENT_FILE, Endpoint
from foliot.client.loopback import is_on_this_machine
from foliot.client.machine import Machine
from foliot.client.requests import Servers, Tries, age_of, request_of, timeout_of
from foliot.client.trust import trusting
from foliot.domain.errors import FoliotError
from foliot.domain.instants import SECOND, parse_duration
from foliot.domain.job import DEFAULT_NAMESPACE

UNAUTHORISED: Final = 401
UNSAID: Final = ""
"""No namespace was given."""


class ClusterAccess(ABC):
    """The way to a cluster, without the connection."""

    def __init__(
        self,
        url: str | Sequence[str] | None = None,
        token: str | None = None,
        *,
        namespace: str | None = UNSAID,
        timeout: Duration = "10s",
        ca_file: str | None = None,
        insecure_http: bool = False,
        lang: str | None = None,
        verify: ssl.SSLContext | None = None,
        machine: Machine | None = None,
    ) -> None:
        """`namespace`: the context's, else `default`. None: the token's own, and lists are about all it sees.

        `lang`: of messages, such as zh-CN.
        """
        found = find_settings() if not url else Resolved()
        self.endpoint = (
            Endpoint.of(url, token, ca_file=ca_file, insecure_http=insecure_http) if url else found.endpoint()
        )
        if self.endpoint.token:
            self.endpoint.demand_safe_way()
        self.namespace = namespace
        if namespace == UNSAID:
            self.namespace = found.get("namespace") or DEFAULT_NAMESPACE
        self.machine = machine or Machine()
        self._lang = lang
        self.replica_age_s: int | None = None
        """Of the last answer: how old it is at most, because a replica gave it; None: the store itself did."""
        self._within_s = parse_duration(timeout) / SECOND
        self._servers = Servers(self.endpoint)
        # Proxy variables of the environment do not hold for this machine itself.
        local = all(is_on_this_machine(address) for address in self.endpoint.urls)
        secure = any(address.startswith("https:") for address in self.endpoint.urls)
        if secure and verify is None and self.endpoint.ca_file is not None:
            verify = trusting(self.endpoint.ca_file)
        # Reading the system's certificates takes a while: only where they are needed.
        self._connect(verify=verify or secure, trust_env=not local)

    @abstractmethod
    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        """Make the HTTP client, blocking or async."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {','.join(self.endpoint.urls)}>"

    def call(self, operation: str, **given: Any) -> Call:
        """The request of an operation of the table, in this client's namespace unless another is given."""
        if "namespace" in given and given["namespace"] is None:
            given["namespace"] = self.namespace
        if CALLS[operation].method == "POST":
            given.setdefault("token", self.machine.token())
        return call(operation, **given)

    def tries(self, call: Call) -> Tries:
        """A fresh series of tries for a call."""
        return Tries(call, self._servers, self.machine, within_s=self._time_of(call))

    def _time_of(self, call: Call) -> float:
        return self._within_s if call.within_s is None else call.within_s

    def _request(self, call: Call) -> dict[str, Any]:
        request = request_of(call, self._servers.url, self.endpoint.token)
        if self._lang:
            request["headers"]["Accept-Language"] = self._lang
        return request | {"timeout": timeout_of(call, self._time_of(call))}

    def heard(self, response: httpx2.Response) -> None:
        """Note how old an answer is that counts."""
        self.replica_age_s = age_of(response)

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
