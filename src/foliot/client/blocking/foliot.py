"""`Foliot`: a cluster over HTTP, for programs."""

# Written by python -m tests.client.derive: change foliot/client/awaited/foliot.py, then run it.

import ssl
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

import httpx2

from foliot.client.blocking.alerts import Alerts
from foliot.client.blocking.backfills import Backfills
from foliot.client.blocking.calendars import Calendars
from foliot.client.blocking.channels import Channels
from foliot.client.blocking.checks import Checks
from foliot.client.blocking.cluster import Cluster
from foliot.client.blocking.drills import Drills
from foliot.client.blocking.events import Events
from foliot.client.blocking.handlers import Handlers
from foliot.client.blocking.jobs import Jobs
from foliot.client.blocking.limits import Limits
from foliot.client.blocking.locks import Locks
from foliot.client.blocking.nodes import Nodes
from foliot.client.blocking.reports import Reports
from foliot.client.blocking.rules import Rules
from foliot.client.blocking.runs import Runs
from foliot.client.blocking.silences import Silences
from foliot.client.blocking.tokens import Tokens
from foliot.client.blocking.views import Views
from foliot.client.calls import Call
from foliot.client.cluster_access import ClusterAccess
from foliot.client.errors import OtherProtocol
from foliot.client.requests import read


class Foliot(ClusterAccess):
    """A Foliot cluster: `Foliot("http://host:7171", token).jobs.trigger("greet", {"name": "Foliot"})`.

    Several servers may be named; any of them answers. Without a URL, the environment or `./.foliot` says which.
    A token goes over plain HTTP to this machine only, unless `insecure_http` is given.
    """

    def _connect(self, *, verify: ssl.SSLContext | bool, trust_env: bool) -> None:
        self._http = httpx2.Client(verify=verify, trust_env=trust_env)
        self.jobs = Jobs(self)
        self.runs = Runs(self)
        self.backfills = Backfills(self)
        self.calendars = Calendars(self)
        self.limits = Limits(self)
        self.locks = Locks(self)
        self.alerts = Alerts(self)
        self.rules = Rules(self)
        self.reports = Reports(self)
        self.channels = Channels(self)
        self.checks = Checks(self)
        self.silences = Silences(self)
        self.nodes = Nodes(self)
        self.handlers = Handlers(self)
        self.cluster = Cluster(self)
        self.drills = Drills(self)
        self.views = Views(self)
        self.events = Events(self)
        self.tokens = Tokens(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections. The locks that it still renews are lost."""
        self.locks.close()
        self._http.close()

    def ask(self, operation: str, **given: Any) -> Any:
        """Send an operation of the table of calls; the answer's JSON."""
        return self.send(self.call(operation, **given))

    def send(self, call: Call) -> Any:
        """Send a call, to the next server when one is away; the answer's JSON."""
        tries = self.tries(call)
        while True:
            try:
                response = self._http.request(**self._request(call))
            except httpx2.RequestError as error:
                if tries.may_be_tls(error) and self.machine.speaks_tls(self._servers.url):
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
            self.machine.pause(pause)

    def stream(self, call: Call) -> AbstractContextManager[httpx2.Response]:
        """The open answer to a call, to be read as it comes."""
        return self._http.stream(**self._request(call))
