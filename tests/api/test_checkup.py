"""The doctor through the API: what is wrong is found, said in the reader's language, and mended where that is safe."""

from typing import Any

from foliot.domain.access import INTERNAL
from foliot.domain.instants import SECOND
from foliot.operations.checkup import check_up
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.locks import LockAsk
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.conformance.locking import acquire


async def findings(api: Api, **headers: str) -> dict[str, dict[str, Any]]:
    answer = await api.ask("GET", "/cluster/doctor", headers=headers)
    assert answer.status_code == 200, answer.text
    return {finding["check"]: finding for finding in answer.json()["findings"]}


async def test_an_overdue_fire_a_lane_without_a_worker_and_an_old_token_are_found(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:other"])
    await api.create_job("settle", schedule={"every": "1h"})
    await api.create_job("report")
    assert (await findings(api))["business.lanes"]["level"] == "NOTICE"  # a job needs it soon
    await api.post("/jobs/report:trigger")
    await api.post("/tokens", {"name": "ci", "scopes": ["read"], "expires": "6d"})
    stage.clock.at = stage.moment("15:00:30")

    found = await findings(api)

    overdue = found["business.overdue"]
    assert (overdue["level"], overdue["value"], overdue["threshold"], overdue["unit"]) == ("WARNING", 30, 10, "seconds")
    assert overdue["message"] == "1 job is overdue, the earliest by 30 s."
    assert overdue["fix"] == "cursors"
    lanes = found["business.lanes"]
    assert (lanes["level"], lanes["subject"], lanes["others"]) == ("CRITICAL", "python:jobs:report", 1)
    assert lanes["hint"] == "start a worker that offers it: foliot worker --help"
    token = found["business.tokens"]
    assert (token["level"], token["subject"], token["family"]) == ("WARNING", "ci", "business")
    of_reader = await findings(await api.with_scopes("read"))
    assert (of_reader["business.tokens"]["level"], of_reader["business.tokens"]["subject"]) == ("WARNING", None)
    assert "ci" not in str(of_reader["business.tokens"]["message"]).split(), "names of tokens are for admins"
    own = (await check_up(stage.services, INTERNAL)).findings
    assert [one.subject for one in own if one.check == "business.tokens"] == [""], "events are for every reader"
    assert found["database.latency"]["level"] == "OK"
    assert found["database.size"]["hint"] is None

    chinese = await findings(api, **{"Accept-Language": "zh-CN"})
    assert chinese["business.overdue"]["message"] == "1 个任务逾期，最早的已逾期 30 秒。"
    assert chinese["business.overdue"]["title"] == "逾期的触发"


async def test_a_worker_for_the_lane_and_a_fire_make_it_well(api: Api, stage: Stage) -> None:
    await stage.worker("w-1", ["python:jobs:settle"])
    await api.create_job("settle", schedule={"every": "1h"})
    stage.elapse("1h30s")
    await stage.fire()
    stage.elapse("30s")

    found = await findings(api)

    assert [found[check]["level"] for check in ("business.overdue", "business.lanes", "business.queue")] == ["OK"] * 3
    assert found["business.queue"]["message"] == "A run waits 30 s for python:jobs:settle in group default."


async def test_safe_repairs_say_what_they_changed_and_the_journal_keeps_it(api: Api, stage: Stage) -> None:
    await acquire(
        stage.store.locks, LockAsk(claim="c1", namespace="default", name="acct", most=1, ttl_us=SECOND, line="l")
    )
    stage.elapse("1h")

    answer = await api.post("/cluster/doctor:fix", {"reason": "3 a.m."})

    fixes = {one["fix"]: one for one in answer.json()["fixes"]}
    assert fixes.keys() == {"cursors", "limits", "locks", "write_ahead_log"}
    assert all(one["is_done"] for one in fixes.values())
    assert fixes["locks"]["message"] == "1 lock freed."
    assert "cursors" in stage.woken
    (event,) = (await stage.store.journal.newest(EventFilter(subject="cluster"), limit=5)).items
    assert (event.kind, event.by, event.data["locks"], event.data["reason"]) == ("health.fixed", "root", 1, "3 a.m.")


async def test_only_who_may_see_the_whole_cluster_asks_and_only_an_admin_repairs(api: Api) -> None:
    reader = await api.with_scopes("read")
    assert (await reader.get("/cluster/doctor")).status_code == 200
    assert (await reader.post("/cluster/doctor:fix")).status_code == 403
    limited = await api.with_scopes("read", namespace="default")
    assert (await limited.get("/cluster/doctor")).status_code == 403


async def test_tokens_that_foliot_made_or_that_are_meant_to_end_are_no_trouble(api: Api, stage: Stage) -> None:
    await api.post("/tokens", {"name": "short", "scopes": ["read"], "expires": "1d"})
    await api.post("/tokens", {"name": "old", "scopes": ["read"], "expires": "20d"})
    await api.post("/tokens/old:rotate", {"grace": "10d"})
    code = (await api.post("/login-codes")).json()["code"]
    await api.post("/login", {"code": code})
    stage.clock.at += 12 * 3600 * SECOND

    token = (await findings(api))["business.tokens"]

    assert (token["level"], token["subject"], token["others"]) == ("OK", "old", 0)
    assert token["value"] > 15  # of the new secret
