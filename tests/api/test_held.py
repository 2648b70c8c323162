"""Held is held everywhere: a run that something keeps from starting is HELD in lists, by itself, and of its job."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage

HANDLER = "python:jobs:tick"
Scene = Callable[[Api, Stage], Awaitable[Any]]


async def nobody(api: Api, stage: Stage) -> None:
    """No worker is there."""


async def group(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", [HANDLER], group="elsewhere")


async def handler(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:tock"])


async def label(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", [HANDLER])


async def draining(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", [HANDLER])
    await api.post("/nodes/w-1:drain")


async def limit(api: Api, stage: Stage) -> None:
    await taken(api, stage, slots=8)


async def busy(api: Api, stage: Stage) -> None:
    await taken(api, stage, slots=1)


async def line(api: Api, stage: Stage) -> None:
    await taken(api, stage, slots=8)


async def maintenance(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", [HANDLER])
    assert (await api.post("/cluster:maintenance", {"on": True})).status_code == 200


async def taken(api: Api, stage: Stage, *, slots: int) -> None:
    """A run of the job executes."""
    worker = await stage.worker("w-1", [HANDLER], slots=slots)
    await api.post("/jobs/tick:trigger")
    assert await worker.lease()


JOBS: dict[str, dict[str, Any]] = {
    "label": {"place": {"require": {"gpu": "yes"}}},
    "limit": {"place": {"concurrency": {"warehouse": 1}}, "overlap": "allow"},
    "busy": {"overlap": "allow"},
    "line": {"overlap": "queue"},
}


@pytest.mark.parametrize("scene", [nobody, group, handler, label, draining, limit, busy, line, maintenance])
async def test_a_run_that_something_keeps_is_held_wherever_it_is_shown(api: Api, stage: Stage, scene: Scene) -> None:
    kind = scene.__name__
    await api.create_job("tick", **JOBS.get(kind, {}))
    await scene(api, stage)
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    stage.elapse("1s")
    shown = (await api.get(f"/runs/{run}")).json()
    assert (shown["state"], shown["shown"], shown["hold"]) == ("PENDING", "HELD", kind)
    assert (await api.get(f"/runs/{run}/why")).json()["verdict"] == f"held_{kind}"
    newest = (await api.get("/runs")).json()["items"][0]
    assert (newest["id"], newest["shown"], newest["hold"]) == (run, "HELD", kind)
    for wanted in ("held", "HELD", "held,failed"):
        assert [one["id"] for one in (await api.get("/runs", state=wanted)).json()["items"]] == [run]
    assert (await api.get("/runs", state="retrying")).json()["items"] == []
    for job in ((await api.get("/jobs/tick")).json(), (await api.get("/jobs")).json()["items"][0]):
        assert job["last_run"]["shown"] == "HELD"


async def test_a_run_that_a_worker_may_take_or_that_is_not_due_is_not_held(api: Api, stage: Stage) -> None:
    await api.create_job("tick", overlap="allow")
    await stage.worker("w-1", [HANDLER])
    ready = (await api.post("/jobs/tick:trigger")).json()["id"]
    later = (await api.post("/jobs/tick:trigger", {"delay": "1h"})).json()["id"]
    for run, verdict in ((ready, "ready"), (later, "later")):
        shown = (await api.get(f"/runs/{run}")).json()
        assert (shown["shown"], shown["hold"]) == ("PENDING", None)
        assert (await api.get(f"/runs/{run}/why")).json()["verdict"] == verdict
    assert (await api.get("/runs", state="held")).json()["items"] == []


async def test_a_retry_is_held_when_it_is_due_and_nobody_takes_it(api: Api, stage: Stage) -> None:
    await api.create_job("tick", retries={"max": 3, "backoff": "10s"})
    worker = await stage.worker("w-1", [HANDLER])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: no")
    assert (await api.get(f"/runs/{run}")).json()["shown"] == "RETRYING"
    assert [one["id"] for one in (await api.get("/runs", state="retrying")).json()["items"]] == [run]
    stage.elapse("1h")  # its worker is gone
    assert (await api.get(f"/runs/{run}")).json()["shown"] == "HELD"
    assert (await api.get("/runs", state="retrying")).json()["items"] == []
    assert [one["id"] for one in (await api.get("/runs", state="held", job="tick")).json()["items"]] == [run]
