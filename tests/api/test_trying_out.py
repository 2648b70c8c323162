"""Testing a job by the API: a run of its own kind, which no statistics count."""

from typing import Any

import pytest

from foliot.domain.verdict import Cause
from foliot.operations.names import NAMESAKES_MAX
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
    assert len((await api.get("/runs", tests="only")).json()["items"]) == 1
    assert (await api.get("/runs", tests="none")).json()["items"] == []


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


async def test_a_definition_is_tested_before_it_is_saved_and_nothing_is_saved(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule={"every": "1h"})
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    before = (await api.get("/jobs/tick")).json()
    definition = {
        "run": {"python": "jobs:tick"},
        "schedule": {"every": "1s"},
        "retries": 3,
        "params": {"day": 1},
        "place": {"concurrency": {"db": 1}, "max_running": 1},
    }
    asked = {"name": "tick", "definition": definition, "params": {"day": 2}, "reason": "new URL"}
    made = await api.post("/jobs:test", asked)
    assert made.status_code == 201, made.text
    run = made.json()
    assert (run["job"], run["origin"], run["reason"], run["params"]) == ("tick", "test", "new URL", {"day": 2})
    assert (await worker.lease()) is not None
    await worker.end(Cause.ERROR, after_us=1000, error="ValueError: no")
    ended = (await api.get(f"/runs/{run['id']}")).json()
    assert (ended["state"], ended["attempt"], ended["executes"]) == ("FAILED", 1, "python: jobs:tick")
    why = (await api.get(f"/runs/{run['id']}/why")).json()["sentence"]
    assert "a test by " in why
    after = (await api.get("/jobs/tick")).json()
    assert after == before
    assert (await api.get("/jobs/tick/versions")).json()["items"][0]["version"] == 1
    assert [job["name"] for job in (await api.get("/jobs")).json()["items"]] == ["tick"]
    assert [one["id"] for one in (await api.get("/runs", job="tick")).json()["items"]] == [run["id"]]


async def test_many_tests_of_a_definition_hide_no_run_of_the_job_of_that_name(api: Api) -> None:
    await api.create_job("tick", overlap="allow")
    usual = (await api.post("/jobs/tick:trigger", {})).json()["id"]
    for _ in range(NAMESAKES_MAX + 1):
        made = await api.post("/jobs:test", {"name": "tick", "definition": {"run": {"python": "jobs:tick"}}})
        assert made.status_code == 201, made.text
    listed = [run["id"] for run in (await api.get("/runs", job="tick")).json()["items"]]
    assert (listed[-1], len(listed)) == (usual, NAMESAKES_MAX)


async def test_the_test_of_a_definition_changes_no_limit(api: Api) -> None:
    await api.create_job("tick", place={"concurrency": {"db": 5}})
    definition = {"run": {"python": "jobs:tick"}, "place": {"concurrency": {"db": 1, "new": 2}}}
    assert (await api.post("/jobs:test", {"definition": definition})).status_code == 201
    limits = (await api.get("/limits")).json()["items"]
    assert {(limit["name"], limit["max"]) for limit in limits} == {("db", 5), ("new", 2)}


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        ({"run": {"python": "jobs:tick"}, "exclusive": True, "overlap": "queue", "isolation": "process"}, "FOL-1152"),
        ({"run": {"python": "jobs:tick"}, "surprise": 1}, "FOL-1057"),
    ],
)
async def test_a_definition_that_cannot_be_tested_is_refused(api: Api, definition: Any, code: str) -> None:
    refused = await api.post("/jobs:test", {"definition": definition})
    assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert (await api.get("/runs")).json()["items"] == []


@pytest.mark.parametrize("scopes", [("read",), ("run",), ("read", "write")])
async def test_testing_a_definition_needs_the_rights_to_save_and_to_run(api: Api, scopes: tuple[str, ...]) -> None:
    limited = await api.with_scopes(*scopes)
    refused = await limited.post("/jobs:test", {"definition": {"run": {"python": "jobs:tick"}}})
    assert refused.status_code == 403, refused.text


async def test_testing_a_script_needs_the_right_to_save_one(api: Api) -> None:
    limited = await api.with_scopes("write", "run")
    refused = await limited.post("/jobs:test", {"definition": {"run": {"shell": {"argv": ["true"]}}}})
    assert refused.status_code == 403, refused.text
