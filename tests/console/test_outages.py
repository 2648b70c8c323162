"""The console on a cluster with PostgreSQL: people do their tasks, and two servers die and come back."""

from concurrent.futures import Executor, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cluster.cluster import Cluster
from tests.console.lived import Ask, live, until_told
from tests.console.walking import walk
from tests.eventually import eventually
from tests.probes.scene import Quiet, serving
from tests.servers.fixtures import MakeDatabase
from tests.sql.world import migrate
from web import build

pytestmark = pytest.mark.services


def hands_of(cluster: Cluster, thread: Executor) -> type[BaseHTTPRequestHandler]:
    """What kills and starts servers when the walk asks for it: POST /kill/s1, /start/s1.

    A process dies with the thread that started it, and a request's thread ends with the request: another does it.
    """

    class Hands(Quiet):
        def do_POST(self) -> None:  # noqa: N802  the name is the library's
            _, what, name = self.path.split("/")
            act = cluster.kill if what == "kill" else cluster.start_again
            thread.submit(act, name).result(60)
            if what == "start":
                _ready(cluster, name)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Hands


def _ready(cluster: Cluster, name: str) -> None:
    def answers() -> bool:
        cluster.check_processes()
        try:
            return httpx2.get(f"{cluster.address_of(name)}/readyz", timeout=5).status_code == 200
        except httpx2.HTTPError:
            return False

    eventually(answers, what=f"{name} is ready")


def asking(cluster: Cluster) -> Ask:
    """Requests to the first server, with the token of the cluster."""
    http = httpx2.Client(
        base_url=cluster.address_of("s1"), headers={"Authorization": f"Bearer {cluster.token}"}, timeout=60
    )

    def ask(method: str, path: str, body: Any = None) -> httpx2.Response:
        return http.request(method, path, json=body)

    return ask


def test_people_do_their_tasks_and_pages_outlive_their_servers(postgres_database: MakeDatabase, tmp_path: Path) -> None:
    assert build.build() == 0
    with Cluster(postgres_database(migrate), tmp_path) as cluster:
        for name in ("s1", "s2"):
            cluster.start_server(name)
        cluster.start_worker("w1", jobs="tests.console.jobs", slots=8, options=("--allow-drills",))
        for name in ("s1", "s2"):
            _ready(cluster, name)
        ask = asking(cluster)
        eventually(lambda: ask("GET", "/api/v1/jobs/counter").status_code == 200, what="the jobs are there")
        live(ask)
        until_told(ask)
        walk("tasks", FOLIOT_URL=cluster.address_of("s2"), FOLIOT_TOKEN=cluster.token)
        with ThreadPoolExecutor(1) as thread, serving(hands_of(cluster, thread)) as hands:
            servers = ",".join(cluster.server_urls)
            walk("outages", FOLIOT_SERVERS=servers, FOLIOT_HANDS=hands, FOLIOT_TOKEN=cluster.token)
