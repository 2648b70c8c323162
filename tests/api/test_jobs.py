"""Jobs over the API: create, read, change with the version it was made from, pause, trigger, delete."""

from collections.abc import Sequence
from typing import Any

import pytest

from foliot.ports.store.journal import EventFilter
from tests.api.asking import Api
from tests.api.stage import Stage

EVERY = {"every": "1m"}


async def test_a_job_lives_and_goes(api: Api) -> None:
    made = await api.create_job("settle", schedule={"cron": "0 2 * * *", "tz": "Asia/Shanghai"}, owner="data")
    assert made.status_code == 201, made.text
    assert made.headers["etag"] == '"v1"'
    job = (await api.get("/jobs/settle")).json()
    assert (job["name"], job["version"], job["state"], job["owner"]) == ("settle", 1, "ACTIVE", "data")
    assert job["next_due_at"] == "2026-03-02T18:00:00Z"
    assert job["schedule"] == "every day at 02:00, Asia/Shanghai"
    assert job["zones"] == ["Asia/Shanghai"]
    gone = await api.ask("DELETE", "/jobs/settle", headers={"If-Match": '"v1"'})
    assert gone.status_code == 204
    assert (await api.get("/jobs/settle")).status_code == 404


async def test_a_misspelt_job_is_not_found_with_the_nearest_name(api: Api) -> None:
    await api.create_job("greet")
    answer = await api.get("/jobs/gret")
    problem = answer.json()
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["code"] == "FOL-2001"
    assert problem["detail"] == 'No job "gret" in namespace "default".'
    assert problem["hint"] == "did you mean greet?"
    chinese = (await api.ask("GET", "/jobs/gret", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})).json()
    assert chinese["detail"] == "命名空间“default”中没有任务“gret”。"
    assert chinese["hint"] == "是否想写 greet？"


async def test_a_deleted_job_is_not_found_with_the_way_to_its_runs(api: Api) -> None:
    await api.create_job("settled")
    for name in ("settle", "never"):
        await api.create_job(name)
    assert (await api.post("/jobs/settle:trigger")).is_success
    for name in ("settle", "never"):
        assert (await api.ask("DELETE", f"/jobs/{name}", headers={"If-Match": '"v1"'})).status_code == 204
    problem = (await api.get("/jobs/settle")).json()
    assert (problem["code"], problem["hint"]) == ("FOL-2001", "it was deleted; its runs: foliot run list --job settle")
    assert len((await api.get("/runs", job="settle")).json()["items"]) == 1
    chinese = (await api.ask("GET", "/jobs/settle", headers={"Accept-Language": "zh-CN"})).json()
    assert chinese["hint"] == "该任务已删除；查看其执行：foliot run list --job settle"
    assert "deleted" not in (await api.get("/jobs/never")).json()["hint"], "it left no runs"


async def test_creating_a_job_that_exists_is_a_conflict(api: Api) -> None:
    await api.create_job("tick")
    again = await api.create_job("tick", owner="other")
    assert (again.status_code, again.json()["code"]) == (409, "FOL-3011")


async def test_a_change_must_say_which_version_it_was_made_from(api: Api) -> None:
    await api.create_job("tick", schedule=EVERY, timeout="30m")
    body: dict[str, Any] = {
        "definition": {"run": {"python": "jobs:tick"}, "schedule": EVERY, "timeout": "45m"},
        "reason": "slow",
    }
    missing = await api.ask("PUT", "/jobs/tick", body)
    assert (missing.status_code, missing.json()["code"]) == (428, "FOL-3015")
    changed = await api.ask("PUT", "/jobs/tick", body, headers={"If-Match": '"v1"'})
    assert changed.status_code == 200
    assert (changed.json()["version"], changed.headers["etag"]) == (2, '"v2"')
    stale = await api.ask(
        "PUT", "/jobs/tick", {"definition": {**body["definition"], "timeout": "1h"}}, headers={"If-Match": '"v1"'}
    )
    problem = stale.json()
    assert (stale.status_code, problem["code"]) == (412, "FOL-3001")
    assert problem["current"]["version"] == 2
    assert problem["changes"] == [{"path": "timeout", "before": "1h", "after": "45m"}]
    same = await api.ask("PUT", "/jobs/tick", body, headers={"If-Match": '"v2"'})
    assert (same.status_code, same.json()["version"], same.headers["foliot-outcome"]) == (200, 2, "same")


async def test_put_creates_only_when_told_so(api: Api) -> None:
    body = {"definition": {"run": {"python": "jobs:tick"}}}
    made = await api.ask("PUT", "/jobs/tick", body, headers={"If-None-Match": "*"})
    assert made.status_code == 201
    again = await api.ask(
        "PUT", "/jobs/tick", {"definition": {**body["definition"], "owner": "x"}}, headers={"If-None-Match": "*"}
    )
    assert again.status_code == 412


async def test_patch_merges(api: Api) -> None:
    await api.create_job("tick", schedule=EVERY, tags={"team": "data", "tier": "1"}, owner="a")
    changed = await api.ask(
        "PATCH",
        "/jobs/tick",
        {"definition": {"tags": {"tier": None}, "owner": None, "timeout": "5m"}},
        headers={"If-Match": '"v1"'},
    )
    definition = changed.json()["definition"]
    assert definition["tags"] == {"team": "data"}
    assert (definition["timeout"], "owner" in definition) == ("5m", False)


async def test_versions_diff_and_rollback(api: Api) -> None:
    await api.create_job("tick", schedule=EVERY, timeout="30m")
    await api.ask(
        "PATCH", "/jobs/tick", {"definition": {"timeout": "45m"}, "reason": "slow"}, headers={"If-Match": '"v1"'}
    )
    versions = (await api.get("/jobs/tick/versions")).json()["items"]
    assert [(version["version"], version["reason"]) for version in versions] == [(2, "slow"), (1, "")]
    diff = (await api.get("/jobs/tick/diff", before=1, after=2)).json()
    assert diff["changes"] == [{"path": "timeout", "before": "30m", "after": "45m"}]
    back = await api.post("/jobs/tick:rollback", {"to": 1})
    assert (back.json()["version"], back.json()["definition"]["timeout"]) == (3, "30m")
    missing = await api.post("/jobs/tick:rollback", {"to": 9})
    assert (missing.status_code, missing.json()["code"]) == (404, "FOL-2004")
    assert (await api.get("/jobs/tick/versions/2")).json()["definition"]["timeout"] == "45m"


async def test_clone(api: Api) -> None:
    await api.create_job("tick", schedule=EVERY, owner="a")
    made = await api.post("/jobs/tick:clone", {"name": "tock", "changes": {"owner": "b"}})
    assert made.status_code == 201
    assert made.json()["definition"] == {"run": {"python": "jobs:tick"}, "schedule": EVERY, "owner": "b"}
    assert (await api.post("/jobs/tick:clone", {"name": "tock"})).status_code == 409


async def test_pause_and_resume(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule=EVERY)
    paused = (await api.post("/jobs/tick:pause", {"reason": "migration", "until": "2026-03-02T08:00:00Z"})).json()
    assert (paused["state"], paused["pause_reason"], paused["paused_until"]) == (
        "PAUSED",
        "migration",
        "2026-03-02T08:00:00Z",
    )
    assert (await api.get("/jobs/tick/fires", limit=2)).json()["future"][0]["due_at"] == "2026-03-02T08:00:00Z"
    past = await api.post("/jobs/tick:pause", {"until": "2020-01-01T00:00:00Z"})
    assert (past.status_code, past.json()["errors"][0]["path"]) == (422, "until")
    stage.elapse("10m")
    resumed = (await api.post("/jobs/tick:resume")).json()
    assert resumed["state"] == "ACTIVE"
    fires = (await api.get("/jobs/tick/fires")).json()
    assert [(fire["decision"], fire["reason"], fire["count"]) for fire in fires["past"]] == [("SKIPPED", "paused", 10)]
    assert fires["future"][0]["decision"] == "PLANNED"
    journal = (await api.get("/journal", subject="tick")).json()["items"]
    assert [event["kind"] for event in journal] == ["job.resumed", "job.paused", "job.created"]


async def test_a_paused_job_has_no_fires_to_come(api: Api, stage: Stage) -> None:
    await api.create_job("tick", schedule=EVERY)
    assert (await api.get("/jobs/tick/fires")).json()["future"]
    await api.post("/jobs/tick:pause")
    assert (await api.get("/jobs/tick/fires")).json()["future"] == []


async def test_trigger_is_once_per_key_and_checks_parameters_before_queueing(api: Api, stage: Stage) -> None:
    schema = {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date"}, "dry_run": {"type": "boolean"}},
        "required": ["day"],
        "additionalProperties": False,
    }
    await stage.worker("w-1", {"python:jobs:settle": schema})
    await api.create_job("settle")
    bad = await api.post("/jobs/settle:trigger", {"params": {"day": "2026-13-01", "dry-run": True}})
    problem = bad.json()
    assert (bad.status_code, problem["code"]) == (422, "FOL-1006")
    assert problem["detail"] == 'settle: day="2026-13-01" is not a date; dry-run is unknown.'
    assert problem["hint"] == "parameters: day (date), dry_run (true/false)"
    assert (await api.post("/jobs/settle:trigger")).status_code == 422  # day is needed
    order = {"params": {"day": "2026-01-31"}, "key": "jan", "reason": "month end"}
    first, second = await api.post("/jobs/settle:trigger", order), await api.post("/jobs/settle:trigger", order)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    padded = await api.post("/jobs/settle:trigger", {**order, "key": "jan "})
    assert (padded.status_code, padded.json()["code"]) == (422, "FOL-1058")  # not every store tells it from "jan"
    run = (await api.get(f"/runs/{first.json()['id']}")).json()
    assert (run["params"], run["triggered_by"], run["reason"], run["origin"]) == (
        {"day": "2026-01-31"},
        "root",
        "month end",
        "trigger",
    )
    dry = await api.post("/jobs/settle:trigger", {"params": {"day": "2026-02-01"}, "dry_run": True})
    assert (dry.status_code, dry.json()["dry_run"]) == (200, True)
    assert len((await api.get("/runs")).json()["items"]) == 1


async def test_validate_tells_what_a_definition_means(api: Api) -> None:
    body: dict[str, Any] = {
        "name": "settle",
        "definition": {"run": {"python": "m:f"}, "schedule": {"cron": "0 9 1 * MON"}, "priorty": 3},
    }
    unknown = await api.post("/jobs:validate", body)
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (422, "priorty")
    del body["definition"]["priorty"]
    found = (await api.post("/jobs:validate", body)).json()
    assert len(found["next"]) == 5
    assert [warning["code"] for warning in found["warnings"]] == ["FOL-1003"]
    assert (found["exists_at_version"], found["is_offered"]) == (None, False)
    bad = await api.post(
        "/jobs:validate", {"definition": {"run": {"python": "m:f"}, "schedule": {"cron": "0 25 * * *"}}}
    )
    assert (bad.status_code, bad.json()["code"]) == (422, "FOL-1001")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["a-etl", "b-tick", "c-settle"]),
        ({"state": "paused"}, ["b-tick"]),
        ({"owner": "data"}, ["a-etl"]),
        ({"group": "billing"}, ["c-settle"]),
        ({"label": "team:fin"}, ["c-settle"]),
        ({"q": "结算"}, ["c-settle"]),
        ({"q": "tick"}, ["b-tick"]),
        ({"sort": "next"}, ["a-etl", "c-settle"]),
    ],
)
async def test_jobs_are_listed_by_what_one_knows_of_them(api: Api, query: dict[str, str], names: list[str]) -> None:
    await api.create_job("a-etl", schedule={"every": "1m"}, owner="data")
    await api.create_job("b-tick", schedule={"every": "10m"})
    await api.create_job(
        "c-settle", schedule={"every": "1h"}, group="billing", tags={"team": "fin"}, description="月末结算"
    )
    await api.post("/jobs/b-tick:pause")
    assert [job["name"] for job in (await api.get("/jobs", **query)).json()["items"]] == names
    page, seen, cursor = None, [], None
    while page is None or cursor:
        page = (await api.get("/jobs", limit=1, cursor=cursor, **query)).json()
        seen += [job["name"] for job in page["items"]]
        cursor = page["next_cursor"]
    assert seen == names


async def test_search_finds_jobs_runs_and_nodes(api: Api, stage: Stage) -> None:
    await api.create_job("settle", description="月末结算 Nightly")
    await stage.worker("w-settle", ["python:jobs:settle"])
    run = (await api.post("/jobs/settle:trigger")).json()["id"]
    assert [hit["kind"] for hit in (await api.get("/search", q="settle")).json()["items"]] == ["node", "job"]
    assert (await api.get("/search", q="结算")).json()["items"][0]["name"] == "settle"
    assert (await api.get("/search", q=run)).json()["items"][0] == {
        "kind": "run",
        "name": run,
        "namespace": "default",
        "detail": "settle PENDING",
    }
    check = {"check": {"every": "1d", "description": "the books"}}
    assert (await api.ask("PUT", "/checks/settle-outside", check, headers={"If-None-Match": "*"})).status_code == 201
    assert (await api.get("/search", q="tle-out")).json()["items"] == [
        {"kind": "check", "name": "settle-outside", "namespace": "default", "detail": "the books"}
    ]
    assert (await api.get("/search", q="%")).json()["items"] == []


async def test_a_job_that_this_server_cannot_read_is_paused_and_says_so(api: Api, stage: Stage) -> None:
    """As in a rolling upgrade: a newer server saved what this one does not know."""
    await api.create_job("tick", schedule=EVERY)
    document = '{"run":{"python":"m:f"},"schedule":{"every":"1h"},"of_the_future":1}'
    await stage._change(f"UPDATE job_versions SET definition = '{document}', version = 2")
    await stage._change("UPDATE jobs SET version = 2")
    await stage._change("UPDATE cursors SET version = 2")
    for verb, state in (("pause", "PAUSED"), ("resume", "ACTIVE")):
        answer = await api.post(f"/jobs/tick:{verb}")
        assert (answer.status_code, answer.json()["state"]) == (200, state), answer.text
    noted = (await stage.store.journal.newest(EventFilter(), limit=2)).items
    assert [event.kind for event in noted] == ["job.resumed", "job.paused"]


@pytest.mark.parametrize("run", [None, "text", {"python": "jobs:tick", "of_the_future": 1}, {"python": 7}, []])
async def test_a_job_whose_handler_only_a_newer_foliot_reads_is_shown_without_what_it_executes(
    api: Api, stage: Stage, run: Any
) -> None:
    await api.create_job("tick", schedule=EVERY)
    run_id = await stage.trigger("tick")
    assert (await api.get("/jobs/tick")).json()["executes"] == "python: jobs:tick"
    written = {"schedule": EVERY} if run is None else {"schedule": EVERY, "run": run}
    await stage.rewrite("tick", written)
    job, shown = await api.get("/jobs/tick"), await api.get(f"/runs/{run_id}")
    assert (job.status_code, job.json()["executes"]) == (200, None)
    assert (shown.status_code, shown.json()["executes"]) == (200, None)


async def test_a_job_says_its_cron_expressions_and_alone_what_to_look_at_again(api: Api) -> None:
    await api.create_job("mondays", schedule={"cron": "0 9 1 * MON"})
    await api.create_job("ticks", schedule=EVERY)
    listed = (await api.get("/jobs")).json()["items"]
    assert [(job["name"], job["cron"], job["warnings"]) for job in listed] == [
        ("mondays", ["0 9 1 * MON"], []),
        ("ticks", [], []),
    ]
    read = (await api.get("/jobs/mondays")).json()
    (warning,) = read["warnings"]
    assert (read["cron"], warning["code"]) == (["0 9 1 * MON"], "FOL-1003")
    assert (warning["message"], warning["hint"]) != ("", None)
    chinese = (await api.ask("GET", "/jobs/mondays", headers={"Accept-Language": "zh-CN"})).json()
    assert chinese["warnings"][0]["message"] != warning["message"]
    assert (await api.get("/jobs/ticks")).json()["warnings"] == []


async def test_a_job_with_a_calendar_of_ones_own_says_what_a_look_at_its_definition_said(api: Api) -> None:
    """A change of clocks on a day that the calendar leaves out is none of the job's."""
    free = {"calendar": {"tz": "Europe/Berlin", "weekdays": ["mon", "tue", "wed", "thu", "fri"]}}
    assert (await api.ask("PUT", "/calendars/ours", free)).status_code < 300
    nightly = {"cron": "30 2 * * *", "tz": "Europe/Berlin"}
    await api.create_job("weekdays", schedule={**nightly, "calendar": "ours"})
    definition = (await api.get("/jobs/weekdays")).json()["definition"]
    looked = await api.post("/jobs:validate", {"name": "weekdays", "definition": definition})
    assert (await api.get("/jobs/weekdays")).json()["warnings"] == looked.json()["warnings"] == []
    every_day = {"calendar": {"tz": "Europe/Berlin"}}
    assert (await api.ask("PUT", "/calendars/ours", every_day)).status_code < 300
    assert {one["code"] for one in (await api.get("/jobs/weekdays")).json()["warnings"]} == {"FOL-1005"}


async def test_a_job_that_is_read_again_reads_no_calendar_again(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await api.ask("PUT", "/calendars/ours", {"calendar": {"tz": "Europe/Berlin"}})).status_code < 300
    nightly = {"cron": "30 2 * * *", "tz": "Europe/Berlin"}
    await api.create_job("nightly", schedule={**nightly, "calendar": "ours"})
    read: list[Any] = []
    find = stage.store.calendars.find

    async def finding(pins: Sequence[str]) -> Any:
        read.extend(pins)
        return await find(pins)

    monkeypatch.setattr(stage.store.calendars, "find", finding)
    first, second = [(await api.get("/jobs/nightly")).json()["warnings"] for _ in range(2)]
    assert first == second != []
    assert read == ["ours@1"]
    chinese = (await api.ask("GET", "/jobs/nightly", headers={"Accept-Language": "zh-CN"})).json()
    assert chinese["warnings"] != first
    stage.elapse("1d")
    await api.get("/jobs/nightly")
    assert len(read) == 3, "once for a language and a day"


async def test_a_job_says_why_no_live_worker_would_take_its_runs(api: Api, stage: Stage) -> None:
    await api.create_job("settle")
    assert await _unserved(api) == ("FOL-2002", "No worker is online: its runs wait until one is.")
    await stage.worker("w-1", ["python:jobs:settel"])
    code, said = await _unserved(api)
    assert (code, said) == ("FOL-2002", "No worker offers jobs:settle: its runs wait until one does.")
    hint = (await api.get("/jobs/settle")).json()["unserved"]["hint"]
    assert hint.endswith("nearest: jobs:settel on w-1")
    chinese = (await api.ask("GET", "/jobs/settle", headers={"Accept-Language": "zh-CN"})).json()
    assert chinese["unserved"]["message"] == "没有工作节点提供 jobs:settle：它的执行会一直等待。"
    await stage.worker("w-2", ["python:jobs:settle"])
    assert (await api.get("/jobs/settle")).json()["unserved"] is None
    assert (await api.get("/jobs")).json()["items"][0]["unserved"] is None, "a list does not ask"


async def test_a_job_that_nobody_serves_is_read_again_without_a_look_at_all_nodes(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.create_job("settle")
    await stage.worker("w-1", ["python:jobs:settel"])
    reads = 0
    nodes = stage.store.lookups.nodes

    async def reading(**which: Any) -> Any:
        nonlocal reads
        reads += 1
        return await nodes(**which)

    monkeypatch.setattr(stage.store.lookups, "nodes", reading)
    assert {(await _unserved(api))[0] for _ in range(5)} == {"FOL-2002"}
    assert reads == 1
    stage.elapse("4s")
    await _unserved(api)
    assert reads == 2


async def test_a_job_says_which_labels_no_worker_has(api: Api, stage: Stage) -> None:
    await api.create_job("settle", place={"require": {"gpu": "yes"}})
    await stage.worker("w-1", ["python:jobs:settle"])
    code, said = await _unserved(api)
    assert (code, said) == ("FOL-5005", "No worker that could run it has gpu=yes: its runs wait until one has.")


async def _unserved(api: Api) -> tuple[str, str]:
    found = (await api.get("/jobs/settle")).json()["unserved"]
    return found["code"], found["message"]
