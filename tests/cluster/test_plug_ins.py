"""What installed packages bring, on real processes: a coordinator that elects, a kind of handler on its own worker."""

from functools import partial
from pathlib import Path

import pytest

from tests.cluster.api import people_of
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.installing import make_package

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

TERM = "SELECT term FROM leases WHERE name = 'leader'"
LABELS = "SELECT labels FROM nodes WHERE kind = 'server' ORDER BY started_at DESC"
SECRET = "s3cret-canary"
SETTINGS = f"""
[handlers.echo]
voice = "low"
listeners.anne = {{name = "anne", password = "{SECRET}"}}
"""


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_what_packages_bring_serves_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    lock, settings = tmp_path / "lock", tmp_path / "handlers.toml"
    settings.write_text(SETTINGS, "utf-8")
    make_package(
        tmp_path, group="foliot.coordinators", name="flock", target="tests.cluster.flock_coordinator:FlockCoordinator"
    )
    packages = make_package(tmp_path, group="foliot.handlers", name="echo", target="tests.conformance.echo_kind:Echo")
    installed = {"PYTHONPATH": str(packages)}
    by_lock = ("--coord", f"flock://{lock}")

    cluster.start_server("s1", options=by_lock, environment=installed)
    await soon(partial(is_chosen, cluster, "s1", lock), within_s=60, what="the backend chose s1, and it leads")
    cluster.start_server("s2", options=by_lock, environment=installed)
    cluster.start_worker("w1", jobs="", options=("--handler-settings", str(settings)), environment=installed)
    await cluster.answers("s2")
    assert '"coordinator":"flock"' in await asked(cluster.url, LABELS)

    async with people_of(cluster, "s2") as api:
        job = {"name": "loud", "definition": {"run": {"echo": {"text": "hello", "blocks": True}}}}
        created = await api.ask("POST", "/api/v1/jobs", job)
        assert created.status_code == 201, created.text
        run = (await api.trigger("loud")).json()["id"]
        ended = await api.ended(run)
    assert (ended["state"], ended["result"]) == ("SUCCEEDED", "hello (low)"), ended

    term = await asked(cluster.url, TERM)
    cluster.kill("s1")
    await soon(partial(is_chosen, cluster, "s2", lock), within_s=60, what="the backend chose s2, and it leads")
    assert await asked(cluster.url, TERM) > term
    written = [*tmp_path.glob("*.log"), *tmp_path.glob("foliot.db*")]
    assert len(written) >= 4, written
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


async def is_chosen(cluster: Cluster, name: str, lock: Path) -> bool:
    """Whether the backend and the store name this server, in the same term."""
    cluster.check_processes()
    chosen = lock.read_text().split() if lock.exists() else []
    return chosen == [str(cluster.processes[name].pid), str(await asked(cluster.url, TERM))]
