"""`make screenshots`: a cluster with a team's jobs, and a picture of each page of its console into docs/images/.

Three servers and ten workers as real processes on PostgreSQL. One further worker beats late, one is dead.
"""

import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.cluster.cluster import Cluster
from tests.console.pictured_jobs import OTHERS
from tests.console.pictured_past import write_past
from tests.console.robot import ANSWER, NOTIFY, robots
from tests.eventually import eventually
from tests.probes.scene import stranger
from tests.servers.postgres import Postgres
from tests.sql.world import migrate
from web import build

SERVERS: Final = ("s1", "s2", "s3")
WORKERS: Final = 10
JOBS: Final = "tests.console.pictured_jobs"
LATE_S: Final = 9  # between two beats of the worker that is late; a warning comes after 7 s, offline after 11 s
RUNS_FIRST: Final = 12


def main() -> int:
    """Take the pictures; return the exit code."""
    if build.build() != 0:
        return 1
    with (
        tempfile.TemporaryDirectory(prefix="foliot-") as place,
        Postgres() as postgres,
        stranger(ANSWER) as (robot, _),
        Cluster(postgres.database(migrate), Path(place)) as cluster,
    ):
        _start(cluster, robot)
        with (
            httpx2.Client(base_url=cluster.server_urls[0], timeout=60) as http,
            _late_worker(cluster),
            _empty(postgres, Path(place) / "empty") as empty,
        ):
            scene = Scene(http, cluster.token)
            _fill(cluster, scene)
            os.environ.update(
                FOLIOT_URL=cluster.server_urls[0],
                FOLIOT_TOKEN=cluster.token,
                FOLIOT_EMPTY=empty.server_urls[0],
                FOLIOT_EMPTY_TOKEN=empty.token,
            )
            return 0 if build.run("node", "e2e/screenshots.ts", shown=True) else 1


class Scene:
    """What the pictures are filled through: the API."""

    def __init__(self, http: httpx2.Client, token: str) -> None:
        self.http = http
        self.token = token

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        sent = {"Authorization": f"Bearer {self.token}", **headers}
        return self.http.request(method, path, json=body, headers=sent)


@contextmanager
def _empty(postgres: Postgres, place: Path) -> Iterator[Cluster]:
    """A server that nobody has given a job."""
    place.mkdir()
    with Cluster(postgres.database(migrate), place) as cluster:
        cluster.start_server("new")
        asyncio.run(cluster.answers("new"))
        yield cluster


def _start(cluster: Cluster, robot: str) -> None:
    notify = cluster.folder / "notify.toml"
    notify.write_text(NOTIFY)
    knows = {**robots(robot), "FOLIOT_NOTIFY": str(notify)}
    for name in SERVERS:
        cluster.start_server(name, options=("--timing", "prod"), environment=knows)
    for name in SERVERS:
        asyncio.run(cluster.answers(name))
    for number in range(1, WORKERS + 2):
        zone = "zone=cn-east" if number % 2 else "zone=eu-west"
        cluster.start_worker(f"w-{number:02}", slots=8, jobs=JOBS, options=("--labels", zone, "--allow-drills"))


@contextmanager
def _late_worker(cluster: Cluster) -> Iterator[None]:
    """A worker whose beats come late, as long as the block runs."""
    end = threading.Event()
    session = "c" * 32
    hello = {"session": session, "name": "w-late", "group": "", "slots": 8, "handlers": [{"name": "python:far:away"}]}

    def beat() -> None:
        with httpx2.Client(base_url=cluster.server_urls[0], timeout=60) as http:
            sent = {"Authorization": f"Bearer {cluster.token}"}
            http.post("/api/worker/v1/register", json=hello, headers=sent)
            number = 0
            while not end.wait(LATE_S):
                number += 1
                said = {"session": session, "beat_no": number, "settled": 0, "held": []}
                http.post("/api/worker/v1/heartbeat", json=said, headers=sent)

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def _fill(cluster: Cluster, scene: Scene) -> None:
    print("screenshots: waiting for some history …", flush=True)
    eventually(lambda: _is_known(scene, "settle_eu"), within_s=180, what="the workers are there")
    for name, definition in OTHERS.items():
        made = scene.ask("POST", "/api/v1/jobs", {"name": name, "definition": definition})
        assert made.is_success, made.text
    eventually(lambda: _has_history(scene), within_s=180, what="there is some history")
    asyncio.run(_write_past(cluster))
    cluster.kill(f"w-{WORKERS + 1:02}")
    scene.ask("POST", "/api/v1/jobs/warm_cache:pause", {"reason": "the shops move to new machines"})
    _fill_the_past(scene)
    _tell_people(scene)
    _watch_others(scene)
    _edit(scene)
    _rehearse(scene)
    eventually(lambda: _has_band(scene, "DEAD") and _has_band(scene, "WARNING"), within_s=180, what="nodes in trouble")


async def _write_past(cluster: Cluster) -> None:
    async with cluster.open_store() as store:
        await write_past(store)


def _is_known(scene: Scene, job: str) -> bool:
    return scene.ask("GET", f"/api/v1/jobs/{job}").status_code == 200


def _has_band(scene: Scene, band: str) -> bool:
    return any(node["health"] == band for node in scene.ask("GET", "/api/v1/cluster").json()["nodes"])


def _fill_the_past(scene: Scene) -> None:
    asked = {"job": "nightly_report", "from": "2026-10-01T00:00:00Z", "to": "2026-11-14T00:00:00Z", "parallel": 4}
    seen = scene.ask("POST", "/api/v1/backfills:preview", asked).json()
    reason = {"reason": "the warehouse was empty", "token": seen["token"]}
    scene.ask("POST", "/api/v1/backfills", {**asked, **reason})


def _tell_people(scene: Scene) -> None:
    """A channel, rules of the team, and an alert that fires."""
    new = {"If-None-Match": "*"}
    oncall = {"kind": "dingtalk", "settings": {"webhook": "${secret:DING}"}, "language": "zh", "default": True}
    scene.ask("PUT", "/api/v1/channels/oncall", {"channel": oncall}, **new)
    scene.ask("POST", "/api/v1/channels/oncall:test")
    nights = {"when": "failed 3 of 5", "of": {"job": "settle*"}, "level": "critical", "to": ["oncall"], "remind": "4h"}
    scene.ask("PUT", "/api/v1/rules/settlements", {"rule": nights}, **new)
    slow = {"when": "slower p95*2", "of": {"group": "default"}, "for": "5m", "do": {"trigger": "greet"}}
    scene.ask("PUT", "/api/v1/rules/slow-runs", {"rule": slow}, **new)
    eventually(lambda: bool(scene.ask("GET", "/api/v1/alerts").json()["items"]), what="something fires")


CHECKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nightly-backup": {
        "cron": "0 2 * * *",
        "timezone": "Asia/Shanghai",
        "grace": "30m",
        "longest": "2h",
        "owner": "ops",
    },
    "warehouse-dump": {"every": "1d", "grace": "1h", "owner": "data", "runbook": "https://wiki.example/dump"},
    "exchange-rates": {"every": "10m", "owner": "payments", "description": "The bank's file of rates."},
    "old-host-cron": {"every": "1h", "owner": "ops"},
}
"""Jobs outside of Foliot that the team waits for."""


def _watch_others(scene: Scene) -> None:
    """Checks in several states, and schedules of reports."""
    for name, check in CHECKS.items():
        scene.ask("POST", "/api/v1/checks", {"name": name, "check": check})
    for name, kind, said in (
        ("nightly-backup", "start", {}),
        ("nightly-backup", "ok", {"exit_code": 0, "text": "214 GB in 38 files"}),
        ("exchange-rates", "ok", {}),
        ("exchange-rates", "start", {}),
        ("old-host-cron", "ok", {}),
        ("warehouse-dump", "start", {}),
        ("warehouse-dump", "fail", {"exit_code": 28, "text": "no space left on /var/dumps"}),
    ):
        scene.ask("POST", f"/api/v1/checks/{name}:ping?kind={kind}", said)
    scene.ask("POST", "/api/v1/checks/old-host-cron:pause", {"reason": "the host is replaced"})
    daily = {"kind": "daily", "at": "08:00", "timezone": "Asia/Shanghai", "to": ["oncall"], "language": "zh"}
    weekly = {"kind": "weekly", "at": "09:00", "weekday": "mon", "timezone": "Europe/Berlin", "to": ["oncall"]}
    scene.ask("PUT", "/api/v1/report-schedules/every-morning", {"schedule": daily})
    scene.ask("PUT", "/api/v1/report-schedules/mondays?namespace=default", {"schedule": weekly})


def _edit(scene: Scene) -> None:
    """One job has three versions."""
    name = "payouts"
    for changed in ({"schedule": {"cron": "30 9 * * 1-5"}}, {"retries": 2, "timeout": "20m"}):
        found = scene.ask("GET", f"/api/v1/jobs/{name}")
        body = {"definition": {**found.json()["definition"], **changed}}
        edited = scene.ask("PUT", f"/api/v1/jobs/{name}", body, **{"If-Match": found.headers["ETag"]})
        assert edited.is_success, edited.text


def _rehearse(scene: Scene) -> None:
    """A drill, and a silence for the time of it."""
    asked = {"type": "exhaust", "on": "w-03", "for": "10s", "reason": "every Tuesday"}
    drill = scene.ask("POST", "/api/v1/drills", asked)
    assert drill.is_success, drill.text
    silence = {"of": {"node": "w-03"}, "for": "2h", "reason": "the drill of this week"}
    made = scene.ask("POST", "/api/v1/silences", silence)
    assert made.is_success, made.text
    path = f"/api/v1/drills/{drill.json()['id']}"
    eventually(lambda: scene.ask("GET", path).json()["state"] == "ENDED", within_s=180, what="the drill is over")


def _has_history(scene: Scene) -> bool:
    runs = scene.ask("GET", "/api/v1/runs?job=settle_eu&state=SUCCEEDED")
    return runs.status_code == 200 and len(runs.json()["items"]) >= RUNS_FIRST


if __name__ == "__main__":
    sys.exit(main())
