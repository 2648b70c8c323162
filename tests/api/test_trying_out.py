"""Testing a job by the API: a run of its own kind, which no statistics count."""

from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage


async def test_a_test_is_marked_and_counts_in_no_statistics(api: Api, stage: Stage) -> None:
    await api.create_job("tick", retries=3, schedule={"every": "1h"})
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    made = await api.post("/jobs/tick:trigger", {"test": True, "reason": "new URL"})
    assert made.status_code == 201, made.text
    run = made.json()
    assert (run["origin"], run["reason"], run["version"]) == ("test", "new URL", 1)
    assert await worker.lease() is not None
    await worker.end(Cause.ERROR, after_us=1000, error="ValueError: no")
    ended = (await api.get(f"/runs/{run['id']}")).json()
    assert (ended["state"], ended["attempt"], ended["origin"]) == ("FAILED", 1, "test")
    assert (await api.get("/jobs/tick/stats")).json()["runs"] == 0
    listed = (await api.get("/runs")).json()["items"]
    assert [one["origin"] for one in listed] == ["test"]


async def test_a_test_starts_now_and_needs_the_right_to_run(api: Api) -> None:
    await api.create_job("tick")
    late = await api.post("/jobs/tick:trigger", {"test": True, "delay": "10m"})
    assert (late.status_code, late.json()["errors"][0]["path"]) == (422, "test")
    reader = await api.with_scopes("read")
    assert (await reader.post("/jobs/tick:trigger", {"test": True})).status_code == 403


async def test_an_exclusive_job_is_tested_in_its_line(api: Api) -> None:
    await api.create_job("tick", exclusive=True, overlap="queue")
    await api.post("/jobs/tick:trigger")
    waiting = await api.post("/jobs/tick:trigger", {"test": True})
    assert waiting.status_code == 201, waiting.text
    assert (await api.get(f"/runs/{waiting.json()['id']}")).json()["shown"] == "HELD"
