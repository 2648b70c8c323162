"""The overview: what needs somebody, what runs, what comes next, in one answer and within a token's limits."""

from tests.api.asking import Api
from tests.api.stage import Stage


async def test_the_overview_tells_what_comes_and_what_is_held_and_why(api: Api, stage: Stage) -> None:
    await api.create_job("soon", schedule={"every": "1h"})
    await api.create_job("stuck")
    held = (await api.post("/jobs/stuck:trigger")).json()["id"]
    quiet = (await api.get("/overview")).json()
    assert [job["name"] for job in quiet["next"]] == ["soon"]
    assert quiet["held"] == [], "it waits for less than a minute"
    stage.elapse("2m")
    seen = (await api.get("/overview")).json()
    assert [one["run"]["id"] for one in seen["held"]] == [held]
    assert seen["held"][0]["why"]["sentence"]
    assert seen["cluster"]["queue"] == 1
    assert {event["kind"] for event in seen["changes"]} >= {"job.created"}
    chinese = await api.ask("GET", "/overview", headers={"Accept-Language": "zh-CN"})
    assert chinese.json()["held"][0]["why"]["sentence"] != seen["held"][0]["why"]["sentence"]


async def test_a_limited_token_sees_its_namespace_and_nothing_of_the_cluster(api: Api) -> None:
    ours = {"name": "ours", "definition": {"run": {"python": "jobs:ours"}, "schedule": {"every": "1h"}}}
    assert (await api.post("/jobs", ours, namespace="pay")).status_code == 201
    await api.create_job("theirs", schedule={"every": "1h"})
    limited = await api.with_scopes("read", namespace="pay")
    seen = (await limited.get("/overview")).json()
    assert [job["name"] for job in seen["next"]] == ["ours"]
    assert seen["cluster"] is None
    assert {event["namespace"] for event in seen["changes"]} <= {"pay"}
    foreign = (await limited.get("/overview", namespace="default")).json()
    assert [foreign["next"], foreign["changes"], foreign["cluster"]] == [[], [], None]


async def test_jobs_come_with_their_latest_runs_and_figures_when_asked(api: Api) -> None:
    await api.create_job("tick")
    runs = [(await api.post("/jobs/tick:trigger")).json()["id"] for _ in range(3)]
    (job,) = (await api.get("/jobs", strip=2)).json()["items"]
    assert [run["id"] for run in job["strip"]["runs"]] == runs[1:]
    assert (job["strip"]["p95_s"], job["strip"]["success_rate"]) == (None, None), "none of them is over"
    assert (await api.get("/jobs")).json()["items"][0]["strip"] is None
    one = (await api.get("/jobs/tick", strip=60)).json()
    assert [run["id"] for run in one["strip"]["runs"]] == runs
    assert (await api.get("/jobs", strip=61)).status_code == 422
