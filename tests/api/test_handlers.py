"""Kinds of handlers through the API: who offers them, what failed, and what a save says of a kind nobody offers."""

from typing import Any

import msgspec
import pytest

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import InvalidInput
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import HandlerOffer, Hello, KindFailure, KindOffer
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.api.test_registering import Desk

WORKER = Principal(name="w", scopes=frozenset({Scope.WORKER}), line="t-1")
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BROKEN = KindFailure(kind="grpc", package="foliot-grpc", version="0.3", why="ImportError: no module named grpc")


def hello(number: int, **fields: Any) -> Hello:
    usual = {
        "session": f"{number:032}",
        "name": f"w-{number}",
        "group": "default",
        "slots": 4,
        "pid": number,
        "handlers": (HandlerOffer(name="weather"),),
        "kinds": (KindOffer(kind="weather", version="1.2", options=SCHEMA),),
    }
    return Hello(**{**usual, **fields})


async def register(stage: Stage, *hellos: Hello) -> None:
    service = WorkerService(stage.services, Desk())
    for one in hellos:
        await service.register(one, by=WORKER)
        stage.elapse("1s")


async def test_a_kind_shows_its_versions_nodes_options_and_failures(api: Api, stage: Stage) -> None:
    newer = KindOffer(kind="weather", version="2.0", options={**SCHEMA, "required": []})
    await register(stage, hello(1), hello(2), hello(3, kinds=(newer,), failed_kinds=(BROKEN,)))
    listed = (await api.get("/handlers")).json()["items"]
    assert [kind["kind"] for kind in listed] == ["grpc", "http", "python", "shell", "sql", "weather"]
    assert [kind["kind"] for kind in listed if kind["is_own"]] == ["http", "python", "shell", "sql"]
    shown = (await api.get("/handlers/weather")).json()
    assert [(one["version"], one["nodes"]) for one in shown["versions"]] == [("2.0", ["w-3"]), ("1.2", ["w-1", "w-2"])]
    assert shown["versions"][1]["options_schema"] == SCHEMA
    assert shown["options_schema"]["required"] == []
    grpc = (await api.get("/handlers/grpc")).json()
    assert grpc["failed"] == [{"node": "w-3", "package": "foliot-grpc", "version": "0.3", "why": BROKEN.why}]
    own = (await api.get("/handlers/shell")).json()
    assert (own["versions"], "argv" in str(own["options_schema"])) == ([], True), "servers know their own kinds"
    unknown = await api.get("/handlers/weathre")
    assert (unknown.status_code, unknown.json()["code"], unknown.json()["hint"]) == (
        404,
        "FOL-2020",
        "did you mean weather?",
    )


async def test_a_node_shows_its_kinds_and_those_that_failed_and_the_journal_says_it_once(
    api: Api, stage: Stage
) -> None:
    one = hello(3, failed_kinds=(BROKEN,))
    await register(stage, one, msgspec.structs.replace(one, session="f" * 32), hello(4))
    node = (await api.get("/nodes/w-3")).json()
    assert node["kinds"] == [{"kind": "weather", "version": "1.2"}]
    assert node["failed_kinds"] == [msgspec.to_builtins(BROKEN)]
    (event,) = (await api.get("/journal", topic="nodes")).json()["items"]
    assert (event["kind"], event["subject"]) == ("node.kinds_failed", "w-3")
    assert event["data"] == {"failed": [msgspec.to_builtins(BROKEN)]}
    troubles = (await api.get("/cluster")).json()["troubles"]
    (said,) = [trouble["message"] for trouble in troubles if trouble["code"] == "FOL-5043"]
    assert said == f'The kind of handler "grpc" of the package foliot-grpc 0.3 does not work on w-3: {BROKEN.why}.'
    chinese = (await api.ask("GET", "/cluster", headers={"Accept-Language": "zh"})).json()["troubles"]
    assert "软件包 foliot-grpc 0.3 的处理器类型“grpc”在 w-3 上无法使用" in str(chinese)


async def test_a_save_answers_with_its_warnings_and_a_look_at_the_definition_too(api: Api, stage: Stage) -> None:
    definition = {"run": {"weather": {"city": "Rome"}}}
    looked = (await api.post("/jobs:validate", {"definition": definition})).json()
    saved = (await api.create_job("rain", **definition)).json()
    assert [one["code"] for one in looked["warnings"]] == [one["code"] for one in saved["warnings"]] == ["FOL-1099"]
    assert (await api.get("/jobs/rain")).json()["warnings"] == []
    await register(stage, hello(1))
    refused = await api.create_job("sun", run={"weather": {"city": 7}})
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["detail"]) == (
        422,
        "FOL-1114",
        "run.weather.city=7 is not text.",
    )
    assert problem["errors"] == [{"path": "run.weather.city", "message": "is not text"}]
    assert (await api.create_job("sun", **definition)).json()["warnings"] == []


async def test_a_limited_token_sees_what_may_run_its_jobs_and_no_failures(api: Api, stage: Stage) -> None:
    theirs = hello(2, group="theirs", kinds=(KindOffer(kind="secretive"),), handlers=(HandlerOffer(name="secretive"),))
    await register(stage, hello(1, failed_kinds=(BROKEN,)), theirs)
    limited = await api.with_scopes("read", group="default")
    listed = (await limited.get("/handlers")).json()["items"]
    assert [kind["kind"] for kind in listed if not kind["is_own"]] == ["weather"]
    assert (await limited.get("/handlers/secretive")).status_code == 404


async def test_a_kind_that_says_too_much_is_refused_before_anything_is_kept(api: Api, stage: Stage) -> None:
    large = {"description": "x" * 70_000}
    service = WorkerService(stage.services, Desk())
    for options in (large, {"description": "\0"}):
        with pytest.raises(InvalidInput, match="What weather says of its options"):
            await service.register(hello(1, kinds=(KindOffer(kind="weather", options=options),)), by=WORKER)
    assert (await api.get("/nodes")).json()["items"] == []


async def test_an_older_worker_that_states_no_kinds_takes_any_options(api: Api, stage: Stage) -> None:
    await register(stage, hello(1, kinds=()))
    saved = await api.create_job("rain", run={"weather": {"anything": "goes"}})
    assert (saved.status_code, saved.json()["warnings"]) == (201, [])
