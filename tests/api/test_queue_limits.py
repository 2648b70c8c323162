"""A full job over HTTP: a trigger is refused with the figure and the next step, and nothing is silent."""

from tests.api.asking import Api
from tests.api.stage import Stage


async def test_a_trigger_of_a_full_job_is_refused_and_says_what_to_do(api: Api) -> None:
    await api.create_job("tick", place={"max_waiting": 1})
    first = await api.post("/jobs/tick:trigger", {"key": "once"})
    refused = await api.post("/jobs/tick:trigger")
    told = refused.json()
    assert (refused.status_code, told["code"], refused.headers["retry-after"]) == (429, "FOL-3091", "5")
    assert told["detail"].startswith("1 run of tick waits already, the most that may (place.max_waiting).")
    assert "foliot run list --job tick --state held" in told["hint"]
    chinese = await api.ask("POST", "/jobs/tick:trigger", {}, headers={"Accept-Language": "zh"})
    assert "tick 已有 1 个执行在等待" in chinese.json()["detail"]
    again = await api.post("/jobs/tick:trigger", {"key": "once"})
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


async def test_a_flood_of_refusals_is_one_line_in_the_journal(api: Api) -> None:
    await api.create_job("tick", place={"max_waiting": 1})
    await api.post("/jobs/tick:trigger")
    for _ in range(3):
        assert (await api.post("/jobs/tick:trigger")).status_code == 429
    events = (await api.get("/journal", subject="tick")).json()["items"]
    (told,) = [event for event in events if event["kind"] == "job.queue_full"]
    assert told["data"] == {"most": 1}


async def test_many_jobs_at_once_are_triggered_but_for_the_full_one(api: Api) -> None:
    await api.create_job("tick", place={"max_waiting": 1})
    await api.create_job("tock")
    await api.post("/jobs/tick:trigger")
    answer = (await api.post("/jobs:trigger", {"jobs": [{"name": "tick"}, {"name": "tock"}]})).json()
    assert [(item["name"], item["outcome"]) for item in answer["items"]] == [("tick", "failed"), ("tock", "done")]
    assert answer["items"][0]["code"] == "FOL-3091"


async def test_a_fire_that_a_full_job_leaves_out_is_explained(api: Api, stage: Stage) -> None:
    schedule = {"every": "1m"}
    await api.create_job("tick", schedule=schedule, overlap="allow", place={"max_waiting": 1})
    await api.post("/jobs/tick:trigger")
    stage.elapse("70s")
    await stage.fire()
    told = (await api.get("/jobs/tick/why", since="2026-01-01T00:00:00Z")).json()["items"]
    assert told[-1]["sentence"].endswith("skipped: 1 run was already waiting, the most that may.")
