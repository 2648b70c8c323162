"""Commands and scripts on a cluster: workers that are killed, retries, at-most-once, secrets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.api import Api, people_of
from tests.cluster.cluster import Cluster
from tests.eventually import soon
from tests.unit.worker.shell_runs import marked_processes, wait_until_gone

CANARY = "s3cret-canary-of-the-cluster"

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.mark.parametrize("recorded_url", ["sqlite"], indirect=True)
async def test_scripts_survive_their_worker_as_their_job_says(cluster: Cluster, tmp_path: Path) -> None:
    mark = f"foliot-cluster-{tmp_path.name}"
    first_only = f"echo $FOLIOT_FENCE; [ $FOLIOT_ATTEMPT = 2 ] || exec sh -c 'sleep 600; :' {mark}-$FOLIOT_JOB"
    settings = tmp_path / "handlers.toml"
    settings.write_text(
        f"[handlers.shell]\n[secrets.DB]\nfile = '{secret_file(tmp_path)}'\nnamespaces = ['*']\n", "utf-8"
    )
    enabled = ("--handler-settings", str(settings))
    cluster.start_server("s1")
    cluster.start_worker("w1", jobs="", options=enabled)
    await cluster.answers("s1")
    async with people_of(cluster) as api:
        await create(api, "again", {"argv": ["sh", "-c", first_only]})
        await create(api, "once", {"argv": ["sh", "-c", first_only]}, on_lost="fail")
        await create(api, "flaky", flaky(), retries={"max": 3, "backoff": "100ms"})
        runs = {name: (await api.trigger(name)).json()["id"] for name in ("again", "once")}
        await soon(lambda: len(marked_processes(f"{mark}-")) == 2, what="both at work")

        cluster.kill("w1")
        wait_until_gone(f"{mark}-")
        cluster.start_worker("w2", jobs="", options=enabled)
        again, once = await api.ended(runs["again"]), await api.ended(runs["once"])
        assert (again["state"], again["attempt"]) == ("SUCCEEDED", 2), again
        assert again["result"] > 1, "the fence did not rise"
        assert (once["state"], once["kind"], once["attempt"]) == ("FAILED", "lost", 1), once

        flaked = await api.ended((await api.trigger("flaky")).json()["id"])
        assert (flaked["state"], flaked["attempt"]) == ("FAILED", 2), flaked
        assert "exit code 9" in flaked["error"]

        await create(api, "teller", teller())
        run = (await api.trigger("teller")).json()["id"]
        told = await api.ended(run)
        log = (await api.get(f"/api/v1/runs/{run}/logs")).text
        assert "password is ***" in told["error"], told
        assert "password is ***" in log
        assert CANARY not in f"{told} {log}"
    written = [*tmp_path.glob("*.log"), *tmp_path.glob("foliot.db*")]
    assert len(written) >= 4, written
    assert [file for file in written if CANARY.encode() in file.read_bytes()] == []


def secret_file(folder: Path) -> Path:
    file = folder / "secret"
    file.touch(0o600)
    file.write_text(CANARY)
    return file


def teller() -> dict[str, Any]:
    """It says its secret wherever it can."""
    text = "echo ::progress 1/2 $PASSWORD; echo password is $PASSWORD; echo password is $PASSWORD >&2; exit 1"
    return {"script": text, "language": "sh", "env": {"PASSWORD": "${secret:DB}"}}


def flaky() -> dict[str, Any]:
    """75 may be tried again; 9 is final, although the policy would allow more tries."""
    text = "[ $FOLIOT_ATTEMPT = 1 ] && exit 75; exit 9"
    return {"script": text, "language": "sh", "retry_codes": [75]}


async def create(api: Api, name: str, options: Mapping[str, Any], **fields: Any) -> None:
    created = await api.ask("POST", "/api/v1/jobs", {"name": name, "definition": {"run": {"shell": options}, **fields}})
    assert created.status_code == 201, json.dumps(created.json())
