"""Whoever saves a job that lowers a limit below what runs hold, wait for or need is told so; it is saved."""

from typing import Any

from foliot.operations.declarations import Declaring
from foliot.ports.worker_link import DeclaredJob, Hello
from tests.api.asking import Api
from tests.api.stage import ROOT, Stage


def said(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code in (200, 201), answer.text
    return [(one["code"], one["message"]) for one in answer.json()["warnings"]]


async def lowered(api: Api, name: str, **place: object) -> list[tuple[str, str]]:
    version = (await api.get(f"/jobs/{name}")).json()["version"]
    headers = {"If-Match": f'"v{version}"'}
    return said(await api.ask("PATCH", f"/jobs/{name}", {"definition": {"place": place}}, headers=headers))


async def test_limits_of_a_job_below_what_it_runs_and_what_waits(api: Api, stage: Stage) -> None:
    place = {"max_running": 3, "max_waiting": 9, "max_per_worker": 3, "max_per_key": 3, "concurrency_by": "customer"}
    assert said(await api.create_job("settle", overlap="allow", place=place)) == []
    worker = await stage.worker("w-1", ["python:jobs:settle"], slots=4)
    for _ in range(6):
        assert (await api.post("/jobs/settle:trigger", {"params": {"customer": 7}})).status_code == 201
    for _ in range(3):
        assert await worker.lease() is not None
    assert await lowered(api, "settle", max_running=4, max_waiting=3) == [], "nothing is too small"
    found = await lowered(api, "settle", max_running=2, max_per_key=1, max_per_worker=2, max_waiting=2)
    stays = "are taken: no run is stopped, and none starts until fewer are taken."
    assert found == [
        ("FOL-1243", f"max_running is 2 now, and 3 {stays}"),
        ("FOL-1243", f"max_per_key is 1 now, and 3 {stays}"),
        ("FOL-1243", f"max_per_worker is 2 now, and 3 {stays}"),
        ("FOL-1245", "max_waiting is 2 now, and 3 runs wait: they stay, and triggers are refused until fewer do."),
    ]
    event = (await api.get("/journal", subject="settle")).json()["items"][0]
    assert event["data"]["warnings"] == ["FOL-1243", "FOL-1243", "FOL-1243", "FOL-1245"]


async def test_a_limit_below_what_runs_hold_and_what_a_run_of_another_job_takes(api: Api, stage: Stage) -> None:
    await api.create_job("heavy", overlap="allow", place={"concurrency": {"db": 4}, "takes": {"db": 3}})
    worker = await stage.worker("w-1", ["python:jobs:heavy"])
    await api.post("/jobs/heavy:trigger")
    assert await worker.lease() is not None
    light = {"name": "light", "definition": {"run": {"python": "jobs:light"}, "place": {"concurrency": {"db": 2}}}}
    assert said(await api.ask("POST", "/jobs", light, headers={"Accept-Language": "zh"})) == [
        ("FOL-1243", "db 现为 2，已占用 3：不会停止任何执行，占用减少之前也不会开始新的执行。"),
        ("FOL-1244", "限额 db 现为 2，而 heavy 的一次执行占用 3：它的执行永远无法开始。"),
    ]
    assert await lowered(api, "light", concurrency={"db": 3}) == []
    document = '{"run": {"python": "jobs:declared"}, "place": {"concurrency": {"db": 1}}}'
    job = DeclaredJob(namespace="default", name="declared", document=document)
    hello = Hello(session="w-2", name="w-2", group="default", slots=1, handlers=(), jobs=(job,))
    declared = await Declaring(stage.services).declare(hello, ROOT)
    assert [why.partition(":")[0] for why in declared.warned] == ["declared", "declared"]
    assert "db is 1 now, and 3 are taken" in declared.warned[0]
    assert "a run of heavy takes 3" in declared.warned[1]
    assert (await Declaring(stage.services).declare(hello, ROOT)).warned == (), "it is said once"


async def test_a_token_hears_of_no_job_that_it_does_not_see(api: Api) -> None:
    await api.ask("PUT", "/cluster/limits/db", {"max": 4})
    ours, theirs = await api.with_scopes("write", namespace="ours"), await api.with_scopes("write", namespace="theirs")
    heavy = {"run": {"python": "jobs:heavy"}, "place": {"concurrency": {"db": 4}, "takes": {"db": 3}}}
    assert said(await theirs.post("/jobs", {"name": "heavy", "definition": heavy})) == []
    await api.ask("PUT", "/cluster/limits/db", {"max": 2})
    light = {"run": {"python": "jobs:light"}, "place": {"concurrency": {"db": 2}}}
    assert said(await ours.post("/jobs", {"name": "light", "definition": light})) == []
    assert [code for code, _ in said(await api.post("/jobs", {"name": "light", "definition": light}))] == ["FOL-1244"]
