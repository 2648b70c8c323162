"""What did not run, of all jobs: the newest first, by job, reason, time and namespace."""

from typing import Any

import pytest

from foliot.operations import pause, save
from foliot.store.sql.people import skip_reads
from tests.api.asking import Api
from tests.api.stage import NS, ROOT, Stage

EVERY = {"run": {"python": "jobs:tick"}, "schedule": {"every": "10s"}, "overlap": "skip"}


async def scene(stage: Stage) -> None:
    """Three instants of `busy` behind an open run; then a pause of `busy` and of `quiet`, in another namespace."""
    for namespace, name in ((NS, "busy"), ("payroll", "quiet")):
        await save.create(stage.services, ROOT, namespace, name, {**EVERY, "run": {"python": f"jobs:{name}"}})
    await pause.pause(stage.services, ROOT, "payroll", "quiet")
    for at in ("14:02:20.006", "14:02:30.006", "14:02:40.006", "14:02:50.006"):
        stage.clock.at = stage.moment(at)
        await stage.fire()
    stage.clock.at = stage.moment("14:03:05")
    await pause.resume(stage.services, ROOT, "payroll", "quiet")


async def told(api: Api, **query: Any) -> list[tuple[str, str, int]]:
    answer = await api.get("/skips", **query)
    assert answer.status_code == 200, answer.text
    return [(one["job"], one["reason"], one["count"]) for one in answer.json()["items"]]


BUSY = ("busy", "overlap", 3)
QUIET = ("quiet", "paused", 5)


async def test_ranges_of_all_jobs_are_listed_the_newest_first(stage: Stage, api: Api) -> None:
    await scene(stage)
    assert await told(api) == [QUIET, BUSY]
    (newest, oldest) = (await api.get("/skips")).json()["items"]
    assert (newest["namespace"], newest["why"]) == ("payroll", "the job was paused")
    assert oldest == {
        "id": oldest["id"],
        "job": "busy",
        "namespace": NS,
        "from_at": "2026-03-02T06:02:30Z",
        "to_at": "2026-03-02T06:02:50Z",
        "count": 3,
        "reason": "overlap",
        "why": "an earlier run was still open",
        "version": 1,
        "decided_at": oldest["decided_at"],
    }


async def test_they_are_narrowed_by_job_reason_namespace_and_time(stage: Stage, api: Api) -> None:
    await scene(stage)
    assert await told(api, reason="paused") == [QUIET]
    assert await told(api, reason="Overlap,paused", job="busy") == [BUSY]
    assert await told(api, namespace="payroll") == [QUIET]
    assert await told(api, since="2026-03-02T06:02:51Z") == [QUIET]
    assert await told(api, until="2026-03-02T06:02:20Z") == []
    wrong = await api.get("/skips", reason="late")
    assert (wrong.status_code, "overlap, misfire, calendar" in wrong.text) == (422, True)


async def test_a_token_of_a_namespace_sees_nothing_of_others(stage: Stage, api: Api) -> None:
    await scene(stage)
    limited = await api.with_scopes("read", namespace="payroll")
    assert await told(limited) == [QUIET]
    assert await told(limited, namespace=NS) == []


async def test_a_filter_looks_at_a_bounded_number_of_rows_and_says_where_to_go_on(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene(stage)
    first = (await api.get("/skips", limit=1)).json()
    assert [one["job"] for one in first["items"]] == ["quiet"]
    last = (await api.get("/skips", limit=1, cursor=first["next_cursor"])).json()
    assert ([one["job"] for one in last["items"]], last["next_cursor"]) == (["busy"], None)
    monkeypatch.setattr(skip_reads, "LOOK_MAX", 1)
    empty = (await api.get("/skips", job="busy")).json()
    assert empty["items"] == []
    assert await told(api, job="busy", cursor=empty["next_cursor"]) == [BUSY]
