"""Runs of the kind `http`, executed as a worker does: what became of them, and what their log says."""

import json
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from foliot.domain.secret_references import names_in, with_values
from foliot.ports.secrets import Destination
from foliot.ports.worker_link import LeasedRun
from foliot.sdk.ctx import Ctx
from foliot.sdk.invocation import Outcome, invoke_async
from foliot.testing.inline_port import InlinePort
from foliot.worker.handlers.http.kind import HttpHandlers
from foliot.worker.handlers.settings import set_up


class CanarySecrets:
    """`ports.secrets.Secrets` with a few secrets; it remembers where each was to go."""

    def __init__(self, **values: str) -> None:
        self._known = values
        self.asked: list[tuple[str, Destination | None]] = []

    async def filled(self, value: Any, *, namespace: str, to: Destination | None = None) -> Any:
        return with_values(value, await self.values(names_in(value), namespace=namespace, to=to))

    async def values(
        self, names: Collection[str], *, namespace: str, to: Destination | None = None
    ) -> Mapping[str, str]:
        self.asked.append((namespace, to))
        return {name: self._known[name] for name in names}

    def hidden(self, text: str, *, is_cut: bool = False) -> str:
        del is_cut
        for secret in self._known.values():
            text = text.replace(secret, "***")
        return text


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that is over."""

    outcome: Outcome
    log: str

    @property
    def result(self) -> Any:
        assert self.outcome.result is not None, self.outcome
        return json.loads(self.outcome.result)

    @property
    def error(self) -> str:
        return f"{self.outcome.cause.value}: {self.outcome.error}"

    @property
    def names(self) -> list[str]:
        """Of the error and the classes above it, as a retry policy may say them."""
        return [name.rpartition(".")[2] for name in (self.outcome.error_type or "").split(",")]

    def everything(self) -> str:
        """All that others can read of the run."""
        return f"{self.outcome}\n{self.log}"


class HttpWorker:
    """The kind, set up as a worker's."""

    def __init__(self, secrets: CanarySecrets, told: Mapping[str, Any]) -> None:
        self.kind = HttpHandlers()
        self.kind.secrets = secrets
        self.secrets = secrets
        set_up(self.kind, told)
        self.kind.offers()

    async def call(self, options: Any, params: Any = None, **run: Any) -> Ended:
        """Execute one run of a job with these options."""
        self.kind.validate(options)
        leased = a_run(options, **run)
        handler = self.kind.handler_of(leased)
        assert handler is not None
        port = InlinePort()
        outcome = await invoke_async(handler, None if params is None else json.dumps(params), Ctx(leased, port))
        return Ended(outcome, "\n".join(map(str, port.lines)))


def a_run(options: Any, **fields: Any) -> LeasedRun:
    """A run as a worker leases it."""
    usual: dict[str, Any] = {
        "run_id": 7, "job_id": 1, "namespace": "shop", "job": "settle", "version": 1, "handler": "http", "attempt": 1,
        "lease_id": "l-1", "fence": 3, "due_at": 1_760_000_000_000_000, "leased_at": 1_760_000_001_000_000,
    }  # fmt: skip
    return LeasedRun(options=json.dumps(options), **(usual | fields))


@asynccontextmanager
async def calling(secrets: Mapping[str, str] | None = None, **told: Any) -> AsyncIterator[HttpWorker]:
    """A worker that may call the sites of tests, unless it is told otherwise."""
    worker = HttpWorker(CanarySecrets(**(secrets or {})), {"allow": ["loopback"]} | told)
    try:
        yield worker
    finally:
        await worker.kind.close()
