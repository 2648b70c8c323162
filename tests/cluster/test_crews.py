"""Slots per kind of handler, on real processes: one worker whose calls are many and whose functions are few."""

import asyncio
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from foliot.cli import main
from tests.cluster.api import Api, people_of
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.servers.web_site import Visit, WebSite

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

CALLS, FUNCTIONS = 50, 2
MORE = 5  # runs of each kind that find no slot
OPTIONS = f'--enable http --handler-option http.allow=["loopback"] --slots http={CALLS} --drain-timeout 10m'.split()
JOBS = """
import asyncio
from pathlib import Path

from foliot import Ctx, job

HERE = Path(__file__).parent


def note(what: str) -> None:
    with (HERE / "notes").open("a") as notes:
        notes.write(what + "\\n")


@job(overlap="allow")
async def function() -> None:
    note("begin")
    while not (HERE / "go").exists():
        await asyncio.sleep(0.02)
    note("end")
"""


class Calls:
    """A page that answers nobody before the test lets it."""

    def __init__(self) -> None:
        self.open = self.most = 0
        self._lock = threading.Lock()
        self._answer = threading.Event()

    def __call__(self, visit: Visit) -> None:
        with self._lock:
            self.open += 1
            self.most = max(self.most, self.open)
        self._answer.wait(300)
        with self._lock:
            self.open -= 1
        visit.answer(200, {"ok": True})

    def answer_all(self) -> None:
        self._answer.set()


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_calls_fill_their_own_slots_and_functions_keep_to_theirs(cluster: Cluster, tmp_path: Path) -> None:
    site, calls = WebSite(), Calls()
    site.pages["/call"] = calls
    (tmp_path / "few.py").write_text(JOBS)
    cluster.start_server("s1")
    worker = cluster.start_worker("w1", slots=FUNCTIONS, jobs=str(tmp_path / "few.py"), options=OPTIONS)
    await cluster.answers("s1")
    async with people_of(cluster, "s1") as api:
        http = {"url": f"{site.url}/call", "timeout": {"connect": "2m", "read": "5m", "total": "10m"}}
        definition = {"run": {"http": http}, "overlap": "allow"}
        created = await api.ask("POST", "/api/v1/jobs", {"name": "call", "definition": definition})
        assert created.status_code == 201, created.text
        await soon(lambda: is_declared(api, "function"), within_s=60, what="the function is declared")
        for job, slots in (("call", CALLS), ("function", FUNCTIONS)):
            answers = await asyncio.gather(*(api.trigger(job) for _ in range(slots + MORE)))
            assert {answer.status_code for answer in answers} == {201}

        await soon(lambda: calls.open == CALLS, within_s=60, what="all calls are open at once")
        await soon(lambda: begun(tmp_path) == FUNCTIONS, within_s=60, what="functions run beside them")
        await check_what_people_see(api, cluster)

        os.kill(worker.pid, signal.SIGTERM)
        await soon(lambda: all_drain(api), within_s=60, what="both sessions drain")
        assert worker.is_alive
        calls.answer_all()
        (tmp_path / "go").touch()
        await soon(lambda: not worker.is_alive, within_s=60, what="the process is gone")
        assert worker.stop() == 0
        runs = (await api.get("/api/v1/runs?limit=200")).json()["items"]
        sessions = await sessions_of(api)
    site.close()

    assert (calls.most, most_at_once(tmp_path)) == (CALLS, FUNCTIONS)
    for job, slots in (("call", CALLS), ("function", FUNCTIONS)):
        states = sorted((run["state"], run["attempt"]) for run in runs if run["job"] == job)
        assert states == [("PENDING", 0)] * MORE + [("SUCCEEDED", 1)] * slots, job
    assert [session["health"] for session in sessions] == ["LEFT", "LEFT"]


async def check_what_people_see(api: Api, cluster: Cluster) -> None:
    """Each kind's slots, under one name; a drain of that name reaches both."""
    sessions = await sessions_of(api)
    kinds = {tuple({offer.partition(":")[0] for offer in one["handlers"]}): one["slots"] for one in sessions}
    assert kinds == {("http",): CALLS, ("python",): FUNCTIONS}
    status = (await api.get("/api/v1/cluster")).json()
    assert (status["workers_online"], status["slots"]) == (1, CALLS + FUNCTIONS)
    waiting = (await api.get("/api/v1/runs?state=PENDING&limit=200")).json()["items"]
    call = next(run["id"] for run in waiting if run["job"] == "call")
    why = (await api.get(f"/api/v1/runs/{call}/why")).text
    assert f"({CALLS} of {CALLS} on 1 worker)" in why

    listed = await said(cluster, "node", "list")
    assert f"{CALLS}/{CALLS} http" in listed
    assert f"{FUNCTIONS}/{FUNCTIONS} python" in listed
    shown = await said(cluster, "node", "show", "w1")
    assert f"http: {CALLS} of {CALLS} slots taken" in shown
    assert f"python: {FUNCTIONS} of {FUNCTIONS} slots taken" in shown
    drained = await said(cluster, "node", "drain", "--self", "--no-wait")
    assert f"w1 takes no more work; {CALLS + FUNCTIONS} runs go on" in drained
    assert {one["state"] for one in await sessions_of(api)} == {"DRAINING"}
    await said(cluster, "node", "undrain", "w1")


async def said(cluster: Cluster, *words: str) -> str:
    """What a command says to people, on both streams."""
    token = cluster.folder / "reader.token"
    token.touch(0o600)
    token.write_text(cluster.token)
    command = [*words, "--server", cluster.server_urls[0], "--token-file", str(token)]
    environment = {"COLUMNS": "200", "LC_ALL": "C.UTF-8"}
    answer = await asyncio.to_thread(CliRunner().invoke, main, command, prog_name="foliot", env=environment)
    assert answer.exit_code == 0, answer.output
    return str(answer.output)


async def sessions_of(api: Api) -> list[dict[str, Any]]:
    nodes = (await api.get("/api/v1/nodes")).json()["items"]
    return [node for node in nodes if node["kind"] == "worker" and node["host"] == socket.gethostname()]


async def all_drain(api: Api) -> bool:
    return [one["state"] for one in await sessions_of(api)] == ["DRAINING", "DRAINING"]


async def is_declared(api: Api, job: str) -> bool:
    return (await api.get(f"/api/v1/jobs/{job}")).status_code == 200


def notes(folder: Path) -> list[str]:
    file = folder / "notes"
    return file.read_text().split() if file.exists() else []


def begun(folder: Path) -> int:
    return notes(folder).count("begin")


def most_at_once(folder: Path) -> int:
    most = running = 0
    for note in notes(folder):
        running += 1 if note == "begin" else -1
        most = max(most, running)
    return most
