"""Who did it and why: of cancels, retries and pauses, on the run and the job; and when a run first began."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage

HANDLER = "python:jobs:tick"


async def why(api: Api, run: str) -> str:
    return str((await api.get(f"/runs/{run}/why")).json()["sentence"])


async def test_a_cancel_says_who_asked_for_it_and_why(api: Api, stage: Stage) -> None:
    await api.create_job("tick", overlap="allow")
    worker = await stage.worker("w-1", [HANDLER])
    running, waiting = [(await api.post("/jobs/tick:trigger")).json()["id"] for _ in range(2)]
    await worker.lease()
    await worker.beat()
    await api.post(f"/runs/{waiting}:cancel", {"reason": "wrong day"})
    asked = (await api.post(f"/runs/{running}:cancel", {"reason": "too slow"})).json()
    assert (asked["shown"], asked["cancelled_by"], asked["cancel_reason"]) == ("CANCELLING", "root", "too slow")
    assert (await why(api, running)).endswith("ago by root (too slow), still running on w-1.")
    await worker.end(Cause.CANCELLED, after_us=SECOND)
    for run, reason in ((running, "too slow"), (waiting, "wrong day")):
        seen = (await api.get(f"/runs/{run}")).json()
        assert (seen["state"], seen["cancelled_by"], seen["cancel_reason"]) == ("CANCELLED", "root", reason)
    assert (await why(api, running)).endswith("by root after 1.0 s on w-1: too slow.")
    assert (await why(api, waiting)).endswith("by root before it started: wrong day.")
    steps = (await api.get(f"/runs/{running}/timeline")).json()["items"]
    assert [step["detail"] for step in steps if step["what"] == "cancel asked"] == ["root: too slow"]


async def test_a_retry_says_what_it_repeats_who_asked_and_why(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    await api.post(f"/runs/{run}:cancel")
    stage.elapse("1h")
    again = (await api.post(f"/runs/{run}:retry", {"reason": "the data is there"})).json()
    assert (again["origin"], again["retry_of"], again["triggered_by"], again["reason"]) == (
        "retry", run, "root", "the data is there",
    )  # fmt: skip
    assert f"a retry of {run} by root at" in await why(api, again["id"])
    worker = await stage.worker("w-1", [HANDLER])
    stage.elapse("3s")
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    assert (await api.get(f"/runs/{again['id']}")).json()["delay_s"] == 3.0, "not since the run of an hour ago was due"
    (noted,) = (await api.get("/journal", subject=run, topic="runs")).json()["items"][:1]
    assert (noted["kind"], noted["by"], noted["data"]["run"], noted["data"]["reason"]) == (
        "run.retried", "root", again["id"], "the data is there",
    )  # fmt: skip
    plain = (await api.post(f"/runs/{run}:retry")).json()
    assert (plain["retry_of"], plain["reason"]) == (run, None)


async def test_a_pause_says_who_asked_for_it(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule={"every": "1m"})
    paused = (await api.post("/jobs/tick:pause", {"reason": "month end"})).json()
    assert (paused["paused_by"], paused["pause_reason"]) == ("root", "month end")
    stage.elapse("5m")
    said = (await api.get("/jobs/tick/why", since="2026-03-02T06:00:00Z")).json()["items"][-1]["sentence"]
    assert said.startswith("tick is paused by root since ")
    assert said.endswith(" (month end).")
    ben = await api.with_scopes("write")
    again = (await ben.post("/jobs/tick:pause", {"reason": "still"})).json()
    assert again["paused_by"].startswith("write-")
    assert (await api.post("/jobs/tick:resume")).json()["paused_by"] is None


async def test_the_delay_and_the_start_of_a_retried_run_are_those_of_its_first_attempt(api: Api, stage: Stage) -> None:
    await api.create_job("tick", retries={"max": 3, "backoff": "10s", "jitter": False})
    worker = await stage.worker("w-1", [HANDLER])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    stage.elapse("2s")
    await worker.lease()
    await worker.end(Cause.ERROR, after_us=SECOND, error="ValueError: no")
    waiting = (await api.get(f"/runs/{run}")).json()
    assert (waiting["shown"], waiting["delay_s"], waiting["started_at"]) == ("RETRYING", 2.0, "2026-03-02T06:02:13Z")
    stage.elapse("10s")
    await worker.lease()
    await worker.end(Cause.SUCCEEDED, after_us=5 * SECOND)
    listed = (await api.get("/runs")).json()["items"][0]
    for seen in (listed, (await api.get(f"/runs/{run}")).json()):
        assert (seen["delay_s"], seen["started_at"]) == (2.0, "2026-03-02T06:02:13Z")
        assert (seen["attempt_started_at"], seen["duration_s"]) == ("2026-03-02T06:02:24Z", 5.0)


async def test_the_runs_of_a_deleted_job_are_found_by_its_name(api: Api, stage: Stage) -> None:
    runs = []
    for _ in range(2):  # the second has the name of the first
        made = await api.create_job("tick")
        runs.append((await api.post("/jobs/tick:trigger")).json()["id"])
        await api.ask("DELETE", "/jobs/tick", headers={"If-Match": made.headers["etag"]})
    found = (await api.get("/runs", job="tick")).json()["items"]
    assert [run["id"] for run in found] == runs[::-1]
    page = (await api.get("/runs", job="tick", limit=1)).json()
    rest = (await api.get("/runs", job="tick", limit=1, cursor=page["next_cursor"])).json()
    assert [run["id"] for run in (*page["items"], *rest["items"])] == runs[::-1]
    assert (await api.get("/runs", job="tock")).json()["code"] == "FOL-2001"
    stranger = await api.with_scopes("read", namespace="elsewhere")
    assert (await stranger.get("/runs", job="tick", namespace="default")).json()["items"] == []


async def test_a_job_says_what_it_takes(api: Api, stage: Stage) -> None:
    await api.create_job("tick")
    assert (await api.get("/jobs/tick")).json()["parameters"] is None
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}
    await stage.worker("w-1", {HANDLER: schema})
    assert (await api.get("/jobs/tick")).json()["parameters"] == schema
