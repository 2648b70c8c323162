"""The primary is killed or stands still: reads come from its replica with their age, until it is back (R17)."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.process import ROOT
from tests.eventually import soon
from tests.servers.replicas import replicated_mariadb, replicated_postgres
from tests.sql.world import migrate

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

Replicated = Callable[[], AbstractContextManager[tuple[Any, Any]]]
AGE = "Foliot-Replica-Age"
WITHIN_S = 60.0
JOB = {"name": "report", "definition": {"run": {"python": "jobs:report"}, "group": "nobody"}}


class Asker:
    """Asks the one server of the scene."""

    def __init__(self, cluster: Cluster) -> None:
        self._url = cluster.address_of("s1")
        self._token = cluster.token
        self._token_file = str(cluster.folder / "token")

    async def __call__(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {self._token}"}, timeout=60) as http:
            return await http.request(method, self._url + path, json=body)

    async def get(self, path: str) -> httpx2.Response:
        return await self("GET", path)

    async def comes_from_replica(self, path: str) -> bool:
        answer = await self.get(path)
        return answer.status_code == 200 and AGE in answer.headers

    async def comes_from_store(self, path: str) -> bool:
        answer = await self.get(path)
        return answer.status_code == 200 and AGE not in answer.headers

    async def knows_its_replica(self) -> bool:
        found = (await self.get("/api/v1/cluster")).json()["replica"]
        return found is not None and (found["servers"], found["fit"]) == (1, 1) and found["age_s"] is not None

    async def outage(self) -> Any:
        """What the table of failovers says of the store's absence, when it is noted."""
        found = (await self.get("/api/v1/failovers?type=store_unreachable")).json()["items"]
        return found and found[0]

    def shell(self, *words: str) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "FOLIOT_SERVER": self._url, "FOLIOT_TOKEN_FILE": self._token_file}
        command = [sys.executable, "-m", "foliot", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("replicated", [replicated_postgres, replicated_mariadb], ids=["postgresql", "mariadb"])
async def test_a_replica_answers_reads_while_its_primary_is_dead(replicated: Replicated, tmp_path: Path) -> None:
    with replicated() as (primary, replica):
        url = primary.database(migrate)
        copy = replica.url(url.rpartition("/")[2])
        with Cluster(url, tmp_path) as cluster:
            cluster.start_server("s1", options=["--replica", copy])
            await cluster.answers("s1")
            ask = Asker(cluster)
            assert (await ask("POST", "/api/v1/jobs", JOB)).status_code == 201
            run = (await ask("POST", "/api/v1/jobs/report:trigger", {})).json()["id"]
            reads = ["/api/v1/jobs", "/api/v1/jobs/report", "/api/v1/runs", f"/api/v1/runs/{run}",
                     f"/api/v1/runs/{run}/why", f"/api/v1/runs/{run}/logs", "/api/v1/cluster"]  # fmt: skip
            by_store = [(await ask.get(path)).json() for path in reads[:4]]
            assert all([await ask.comes_from_store(path) for path in reads])
            await soon(ask.knows_its_replica, within_s=WITHIN_S, what="the status shows the replica")
            await asyncio.to_thread(replica.catch_up)

            await asyncio.to_thread(primary.kill)
            await soon(lambda: ask.comes_from_replica("/api/v1/jobs"), within_s=WITHIN_S, what="the replica answers")
            assert all([await ask.comes_from_replica(path) for path in reads])
            assert [(await ask.get(path)).json() for path in reads[:4]] == by_store
            refused = await ask("POST", "/api/v1/jobs/report:trigger", {})
            assert (refused.status_code, AGE in refused.headers) == (503, False)
            assert (await ask.get(f"/api/v1/runs/{run}?wait=1")).status_code == 503, "who waits is told the truth"
            ready = await ask.get("/readyz")
            assert (ready.status_code, "a replica answers reads" in ready.text) == (503, True)
            assert (await ask.get("/readyz?reads=true")).status_code == 200

            listed = await asyncio.to_thread(ask.shell, "job", "list")
            assert "report" in listed.stdout, listed.stderr
            assert "Answered by a replica, at most" in listed.stderr
            figures = (await ask.get("/metrics")).text
            assert "foliot_replica_fit 1.0" in figures

            await asyncio.to_thread(primary.restart)
            await soon(lambda: ask.comes_from_store("/api/v1/jobs"), within_s=WITHIN_S, what="the store answers again")
            assert all([await ask.comes_from_store(path) for path in reads])
            outage = await soon(ask.outage, within_s=WITHIN_S, what="the outage is noted")
            assert outage["evidence"]["by_replica"] >= len(reads), outage
            await it_stands_still(ask, primary, reads, by_store)


async def it_stands_still(ask: Asker, primary: Any, reads: list[str], by_store: list[Any]) -> None:
    """Its connections stay open and nothing answers: the replica does, with its age, until the primary goes on."""
    await asyncio.to_thread(primary.pause)
    try:
        await soon(lambda: ask.comes_from_replica("/api/v1/jobs"), within_s=WITHIN_S, what="the replica answers")
        answers = [await ask.get(path) for path in reads]
    finally:
        await asyncio.to_thread(primary.resume)
    assert [(answer.status_code, AGE in answer.headers) for answer in answers] == [(200, True)] * len(reads)
    assert [answer.json() for answer in answers[:4]] == by_store
    assert all(int(answer.headers[AGE]) > 0 for answer in answers)
    await soon(lambda: ask.comes_from_store("/api/v1/jobs"), within_s=WITHIN_S, what="the store answers again")
