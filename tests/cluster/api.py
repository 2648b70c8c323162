"""People who use a cluster while it is being broken: they ask a server's API and write down what it acknowledged."""

import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.cluster.cluster import Cluster
from tests.eventually import soon

ANSWER_WITHIN_S = 60.0


class Api:
    """One server's API, asked by somebody who may do everything. An answer that never comes is no answer."""

    def __init__(self, http: httpx2.AsyncClient, journal: Path) -> None:
        self.statuses: Counter[int] = Counter()  # of every answer; 0: none came
        self._http = http
        self._journal = journal

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """One request; `httpx2.TransportError` when nobody answers."""
        try:
            if content is not None:
                headers = {"Content-Type": "application/json", **(headers or {})}
                response = await self._http.request(method, path, content=content, headers=headers)
            else:
                response = await self._http.request(method, path, json=body, headers=headers)
        except httpx2.TransportError:
            self.statuses[0] += 1
            raise
        self.statuses[response.status_code] += 1
        return response

    async def get(self, path: str) -> httpx2.Response:
        return await self.ask("GET", path)

    async def trigger(
        self, job: str, params: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> httpx2.Response:
        """Ask for a run; what is acknowledged is written down, so that the checker looks for it (I15)."""
        body = {"params": params, "key": key}
        path = f"/api/v1/jobs/{job}:trigger"
        response = await self.ask("POST", path, {name: value for name, value in body.items() if value is not None})
        if response.status_code in (200, 201):
            self._note("acknowledged", run=response.json()["id"], job=job)
        return response

    async def ended(self, run: str, *, within_s: float = 60.0) -> Mapping[str, Any]:
        """The run once it is over."""
        found: dict[str, Any] = {}

        async def is_over() -> bool:
            found.update((await self.get(f"/api/v1/runs/{run}?wait=5")).json())
            return found.get("state") in ("SUCCEEDED", "FAILED", "CANCELLED")

        await soon(is_over, within_s=within_s, what=f"the end of {run}")
        return found

    async def is_up(self, *, within_s: float = 60.0) -> None:
        """Until the server answers."""

        async def answers() -> bool:
            try:
                return (await self._http.get("/healthz")).status_code == 200
            except httpx2.TransportError:
                return False

        await soon(answers, within_s=within_s, what="the server answers")

    def _note(self, what: str, **facts: object) -> None:
        with self._journal.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps({"what": what, "mono": time.monotonic(), **facts}) + "\n")


@asynccontextmanager
async def people_of(cluster: Cluster, server: str = "s1") -> AsyncIterator[Api]:
    """Somebody who asks this server, with a journal of their own."""
    journal = cluster.folder / f"client-{server}.jsonl"
    headers = {"Authorization": f"Bearer {cluster.token}"}
    url = f"http://127.0.0.1:{cluster.port_of(server)}"
    limits = httpx2.Limits(max_connections=100)
    async with httpx2.AsyncClient(
        base_url=url, headers=headers, timeout=ANSWER_WITHIN_S, limits=limits, trust_env=False
    ) as http:
        yield Api(http, journal)


async def lasting(seconds: float, *, every_s: float = 0.25, at_least: int = 0) -> AsyncIterator[int]:
    """Turns at this pace for so long, or so many: how a fault is made to last while something goes on."""
    began_at = time.monotonic()
    turn = 0
    while time.monotonic() - began_at < seconds or turn < at_least:
        yield turn
        turn += 1
        next_at = min(began_at + turn * every_s, began_at + seconds)
        await soon(lambda: time.monotonic() >= next_at, within_s=seconds + 5, what="the next turn")  # noqa: B023
