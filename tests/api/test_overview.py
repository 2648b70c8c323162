"""The overview: what needs somebody, what runs, what comes next, in one answer and within a token's limits."""

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.actor import Actor
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.conformance.test_statistics_store import read

PERSON = Actor(name="anne")


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
    assert seen["cluster"]["nodes"] == []
    await stage.worker("w-well", ["python:jobs:tick"])
    await stage.worker("w-late", ["python:jobs:tick"])
    stage.elapse("9s")
    back = await stage.worker("w-well", ["python:jobs:tick"])
    await back.beat()
    nodes = (await api.get("/overview")).json()["cluster"]["nodes"]
    assert {node["name"] for node in nodes if node["health"] == "WARNING"} == {"w-late", "w-well"}
    assert [node["name"] for node in nodes if node["health"] == "ONLINE"] == ["w-well"], "it came back under its name"
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
    assert seen["namespaces"] == ["pay"]
    assert (await api.get("/overview")).json()["namespaces"] == ["default", "pay"]
    assert {event["namespace"] for event in seen["changes"]} <= {"pay"}
    foreign = (await limited.get("/overview", namespace="default")).json()
    assert [foreign["next"], foreign["changes"], foreign["cluster"]] == [[], [], None]


async def test_jobs_come_with_their_latest_runs_and_figures_when_asked(api: Api) -> None:
    await api.create_job("tick")
    runs = [(await api.post("/jobs/tick:trigger")).json()["id"] for _ in range(3)]
    (job,) = (await api.get("/jobs", strip=2)).json()["items"]
    assert [run["id"] for run in job["strip"]["runs"]] == runs[1:]
    assert set(job["strip"]["runs"][0]) == {"id", "shown", "duration_s"}, "a page of jobs has thousands of them"
    assert (job["strip"]["p95_s"], job["strip"]["success_rate"]) == (None, None), "none of them is over"
    assert (await api.get("/jobs")).json()["items"][0]["strip"] is None
    one = (await api.get("/jobs/tick", strip=60)).json()
    assert [run["id"] for run in one["strip"]["runs"]] == runs
    assert (await api.get("/jobs", strip=61)).status_code == 422


async def test_the_minutes_ahead_tell_how_many_instants_are_due_and_of_which_jobs(api: Api) -> None:
    await api.create_job("each", schedule={"cron": "*/10 * * * *"})
    for name in ("one", "two", "three"):
        await api.create_job(name, schedule={"cron": "20 * * * *"})
    seen = (await api.get("/overview/ahead", minutes=30)).json()
    assert [(minute["at"][14:16], minute["fires"]) for minute in seen["minutes"]] == [("10", 1), ("20", 4), ("30", 1)]
    assert len(seen["minutes"][1]["jobs"]) == 3, "some of them are named"
    assert seen["is_whole"] is True
    elsewhere = await api.with_scopes("read", namespace="pay")
    assert (await elsewhere.get("/overview/ahead")).json()["minutes"] == []
    assert (await elsewhere.get("/overview/ahead", namespace="default")).json()["minutes"] == []
    assert (await api.get("/overview/ahead", minutes=181)).status_code == 422


async def test_the_minutes_ahead_foresee_how_many_slots_are_busy(api: Api, stage: Stage) -> None:
    """It is 06:03:56 in UTC when all is counted. A run of `long` took 90 s, one of `short` 15 s."""
    await api.create_job("long", overlap="allow", schedule={"cron": "5,6 * * * *"})
    await api.create_job("short", overlap="allow", group="etl", schedule={"cron": "5,6,7 * * * *"})
    await api.create_job("unknown", overlap="allow", schedule={"cron": "7 * * * *"})
    workers = []
    for name, group, slots, took_us in (("long", "default", 2, 90 * SECOND), ("short", "etl", 4, 15 * SECOND)):
        workers.append(await stage.worker(f"w-{name}", [f"python:jobs:{name}"], group=group, slots=slots))
        await api.post(f"/jobs/{name}:trigger")
        assert await workers[-1].lease() is not None
        await workers[-1].end(Cause.SUCCEEDED, after_us=took_us)
    statistics = stage.store.statistics
    assert await statistics.add(await statistics.progress(), await read(statistics), term=None)
    seen = (await api.get("/overview/ahead", minutes=6)).json()
    assert [(minute["at"][14:16], minute["slots"]) for minute in seen["minutes"]] == [
        ("05", 1.25),
        ("06", 1.75),
        ("07", 0.75),
    ]
    default, etl = seen["groups"]
    assert (default["group"], default["slots"], default["needs"], default["at"][14:16]) == ("default", 2, 1.5, "06")
    assert (default["is_short"], etl["is_short"]) == (True, False)
    await stage.store.nodes.drain(workers[0].session, by=PERSON)
    stage.services.offers.forget()
    assert (await api.get("/overview/ahead", minutes=6)).json()["groups"][0]["slots"] == 0


async def test_the_days_of_a_job_begin_at_midnight_of_the_zone_that_is_asked_for(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule={"every": "1h"})
    stage.elapse("9h")  # 15:02 UTC, 23:02 in Shanghai
    await api.post("/jobs/tick:trigger")
    stage.elapse("2h")
    await api.post("/jobs/tick:trigger")
    utc = (await api.get("/jobs/tick/days", tz="UTC")).json()
    assert [(day["day"], sum(day["counts"].values())) for day in utc["days"]] == [("2026-03-02", 2)]
    assert (utc["first"], utc["last"], utc["timezone"]) == ("2025-03-02", "2026-03-02", "UTC")
    here = (await api.get("/jobs/tick/days", tz="Asia/Shanghai", days=2)).json()
    assert [day["day"] for day in here["days"]] == ["2026-03-02", "2026-03-03"]
    assert here["whole_since"] is None
    earlier = (await api.get("/jobs/tick/days", tz="UTC", to="2026-03-01")).json()
    assert earlier["days"] == []
    assert (await api.get("/jobs/tick/days", tz="Moon/Base")).status_code == 422
    long_ago = (await api.get("/jobs/tick/days", to="0001-01-02")).json()
    assert (long_ago["last"], long_ago["days"]) == ("1972-01-01", [])
    assert (await api.get("/jobs/tick/days", to="tomorrow")).status_code == 422
