"""What installed packages bring, on real processes: a coordinator that elects, a kind of handler on its own worker."""

import base64
import contextlib
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.cluster.api import Api, people_of
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.installing import install_wheel, make_package

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

PLUG_INS = Path(__file__).parents[1] / "plug_ins"
TERM = "SELECT term FROM leases WHERE name = 'leader'"
LABELS = "SELECT labels FROM nodes WHERE kind = 'server' ORDER BY started_at DESC"
SECRET = "plugged-in-canary-7193"  # no other test on this machine has it in a command line
FORMS = (SECRET, base64.b64encode(f"user:{SECRET}".encode()).decode()[8:-4])
SETTINGS = f"""
[handlers.echo]
voice = "low"
listeners.anne = {{name = "anne", password = "{SECRET}"}}

[secrets.OF_ENV]
env = "OWN_TOKEN"
namespaces = ["default"]

[secrets.OF_FILE]
file = "token-file"
namespaces = ["default"]
hosts = ["*.example.org"]

[secrets.OF_COMMAND]
command = ["printenv", "OWN_TOKEN"]
namespaces = ["billing"]
"""
TOLD = {
    "by-env": {"text": "${secret:OF_ENV}"},
    "by-file": {"text": "Bearer ${secret:OF_FILE}", "host": "api.example.org", "fails": True},
    "by-command": {"text": "${secret:OF_COMMAND}"},
}


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_what_packages_bring_serves_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    lock, settings = tmp_path / "lock", tmp_path / "handlers.toml"
    settings.write_text(SETTINGS, "utf-8")
    make_package(
        tmp_path, group="foliot.coordinators", name="flock", target="tests.cluster.flock_coordinator:FlockCoordinator"
    )
    packages = make_package(tmp_path, group="foliot.handlers", name="echo", target="tests.conformance.echo_kind:Echo")
    make_package(
        tmp_path, group="foliot.handlers", name="indiscreet", target="tests.conformance.indiscreet_kind:Indiscreet"
    )
    installed = {"PYTHONPATH": str(packages)}
    by_lock = ("--coord", f"flock://{lock}")

    cluster.start_server("s1", options=by_lock, environment=installed)
    await soon(partial(is_chosen, cluster, "s1", lock), within_s=60, what="the backend chose s1, and it leads")
    cluster.start_server("s2", options=by_lock, environment=installed)
    (tmp_path / "token-file").write_text(SECRET)
    (tmp_path / "token-file").chmod(0o600)
    worker = cluster.start_worker(
        "w1",
        jobs="",
        options=("--handler-settings", str(settings), "--keep-env", "OWN_*"),
        environment={**installed, "OWN_TOKEN": SECRET},
    )
    await cluster.answers("s2")
    assert '"coordinator":"flock"' in await asked(cluster.url, LABELS)

    async with people_of(cluster, "s2") as api:
        job = {"name": "loud", "definition": {"run": {"echo": {"text": "hello", "blocks": True}}}}
        created = await api.ask("POST", "/api/v1/jobs", job)
        assert created.status_code == 201, created.text
        run = (await api.trigger("loud")).json()["id"]
        ended = await api.ended(run)
        await check_nothing_is_told(api, worker.pid)
        await check_wheels_serve(cluster, api, tmp_path)
    assert (ended["state"], ended["result"]) == ("SUCCEEDED", "hello (low)"), ended

    term = await asked(cluster.url, TERM)
    cluster.kill("s1")
    await soon(partial(is_chosen, cluster, "s2", lock), within_s=60, what="the backend chose s2, and it leads")
    assert await asked(cluster.url, TERM) > term
    written = [*tmp_path.glob("*.log"), *tmp_path.glob("foliot.db*")]
    assert len(written) >= 4, written
    assert [file for file in written if any(form.encode() in file.read_bytes() for form in FORMS)] == []


async def check_wheels_serve(cluster: Cluster, api: Api, folder: Path) -> None:
    """Two packages from wheels beside one worker: one works, the other cannot be imported and stops nothing."""
    definition = {"run": {"weather": {"city": "Rome", "days": 2}}}
    early = await api.ask("POST", "/api/v1/jobs", {"name": "early", "definition": definition})
    assert [warning["code"] for warning in early.json()["warnings"]] == ["FOL-1099"], early.text
    run = (await api.trigger("early")).json()["id"]
    why = await api.get(f"/api/v1/runs/{run}/why")
    assert "no worker offers weather" in why.text, why.text

    for name in ("weather", "storm"):
        installed = install_wheel(PLUG_INS / name, folder)
    cluster.start_worker("w2", jobs="", environment={"PYTHONPATH": str(installed)})
    ended = await api.ended(run)
    assert (ended["state"], ended["result"]) == ("SUCCEEDED", {"city": "Rome", "days": ["rain", "rain"]}), ended

    wrong = {"run": {"weather": {"city": "Rome", "days": 9}}}
    refused = (await api.ask("POST", "/api/v1/jobs", {"name": "late", "definition": wrong})).json()
    assert (refused["code"], refused["detail"]) == ("FOL-1114", "run.weather.days=9 is more than 7."), refused
    weather = (await api.get("/api/v1/handlers/weather")).json()
    assert [(one["version"], one["nodes"]) for one in weather["versions"]] == [("1.2", ["w2"])]
    node = (await api.get("/api/v1/nodes/w2")).json()
    assert node["kinds"] == [{"kind": "weather", "version": "1.2"}]
    (failed,) = node["failed_kinds"]
    assert failed == {
        "kind": "storm",
        "package": "foliot-storm",
        "version": "0.1",
        "why": "RuntimeError: there is no barometer here",
    }
    events = (await api.get("/api/v1/journal?topic=nodes&subject=w2")).json()["items"]
    assert [event["kind"] for event in events].count("node.kinds_failed") == 1


async def check_nothing_is_told(api: Api, worker: int) -> None:
    """Jobs that tell their secrets wherever they can: no answer, no log and no process shows one (SEC-18, 19, 20)."""
    answers = []
    for name, options in TOLD.items():
        created = await api.ask("POST", "/api/v1/jobs", {"name": name, "definition": {"run": {"indiscreet": options}}})
        assert created.status_code == 201, created.text
        run = (await api.trigger(name)).json()["id"]
        await api.ended(run)
        answers += [await api.get(f"/api/v1/runs/{run}{more}") for more in ("", "/logs", "/why", "/attempts")]
    answers += [await api.get(f"/api/v1/{what}") for what in ("runs", "jobs", "nodes", "journal")]
    texts = [answer.text for answer in answers]
    assert [text for text in texts if any(form in text for form in FORMS)] == []
    assert sum("***" in text for text in texts) >= 4, texts
    assert any("The secret OF_COMMAND may not go to the namespace" in text for text in texts), texts
    processes = psutil.Process(worker).children(recursive=True)
    assert processes, "the job that blocks has run in one"
    assert [child.environ() for child in processes if SECRET in str(child.environ())] == []
    assert [line for line in map(cmdline, psutil.process_iter()) if SECRET in str(line)] == []


def cmdline(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return list(process.cmdline())
    return []


async def is_chosen(cluster: Cluster, name: str, lock: Path) -> bool:
    """Whether the backend and the store name this server, in the same term."""
    cluster.check_processes()
    chosen = lock.read_text().split() if lock.exists() else []
    return chosen == [str(cluster.processes[name].pid), str(await asked(cluster.url, TERM))]
