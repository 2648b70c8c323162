"""The OpenAPI document tells what a generator needs, and what it tells is true."""

from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx2
import pytest

from foliot.api.pages import page_of
from foliot.ports.store.lookups import BadCursor
from tests.api.asking import Api
from tests.api.stage import Stage
from tests.api.test_contract import DOCUMENT

OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def by_id(operation_id: str) -> dict[str, Any]:
    return next(operation for _, _, operation in OPERATIONS if operation["operationId"] == operation_id)


def headers_of(operation_id: str) -> dict[str, bool]:
    asked = by_id(operation_id).get("parameters", ())
    return {one["name"]: one["required"] for one in asked if one["in"] == "header"}


def test_every_operation_has_a_name_of_its_own() -> None:
    """A new route is named after its function; `client.calls.CALLS` has it under this name."""
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids) > 60
    assert all(one.replace("_", "").isalpha() for one in ids), "a name, not a path"


def test_headers_that_count_are_declared() -> None:
    for method, path, operation in OPERATIONS:
        declared = headers_of(operation["operationId"])
        is_once = method == "POST" and operation["x-foliot-right"] != "public"
        assert ("Idempotency-Key" in declared) is is_once, path
        if "429" in operation["responses"]:
            assert "Retry-After" in operation["responses"]["429"]["headers"], path
    assert headers_of("put_job") == {"If-Match": False, "If-None-Match": False}
    assert headers_of("patch_job") == headers_of("delete_job") == {"If-Match": True}
    assert headers_of("stream_events") == headers_of("get_run_logs") == {"Last-Event-ID": False}
    assert set(by_id("create_job")["responses"]["201"]["headers"]) >= {"ETag", "Location"}
    assert set(by_id("trigger_job")["responses"]["201"]["headers"]) >= {"Location", "Idempotent-Replayed"}


def test_answers_of_two_kinds_have_a_model_each() -> None:
    schemas = {
        status: by_id("trigger_job")["responses"][status]["content"]["application/json"]["schema"]
        for status in ("200", "201")
    }
    assert schemas["201"] == {"$ref": "#/components/schemas/RunOut"}
    assert [one["$ref"].rpartition("/")[2] for one in schemas["200"]["anyOf"]] == ["RunOut", "DryRunOut"]
    assert by_id("put_job")["responses"].keys() >= {"200", "201"}


def test_a_definition_has_a_form() -> None:
    models = DOCUMENT["components"]["schemas"]
    assert models["NewJob"]["properties"]["definition"] == {"$ref": "#/components/schemas/DefinitionForm"}
    form = models["DefinitionForm"]
    assert form["required"] == ["run"]
    from foliot.domain.fields import names_in

    assert list(form["properties"]) == list(names_in(""))


def test_there_are_two_ways_to_log_in() -> None:
    ways = DOCUMENT["components"]["securitySchemes"]
    assert (ways["cookie"]["name"], ways["csrf"]["name"]) == ("foliot_session", "X-Foliot-Csrf")
    assert by_id("get_job")["security"] == [{"bearer": []}, {"cookie": []}]
    assert by_id("pause_job")["security"] == [{"bearer": []}, {"cookie": [], "csrf": []}]
    assert by_id("login")["security"] == []


def test_streams_are_described() -> None:
    for operation_id in ("stream_events", "get_run_logs"):
        stream = by_id(operation_id)["responses"]["200"]["content"]["text/event-stream"]
        assert stream["schema"]["description"]
        assert stream["example"].endswith("\n\n")


# ---------------------------------------------------------------------------------------------------------- it is true


@pytest.mark.parametrize("name", ["tick", "结算", "ü-1"])
async def test_location_leads_to_what_was_made(api: Api, name: str) -> None:
    made = await api.create_job(name)
    assert (await follow(api, made))["name"] == name
    run = await api.post(f"/jobs/{quote(name)}:trigger")
    assert (await follow(api, run))["id"] == run.json()["id"]
    copy = await api.post(f"/jobs/{quote(name)}:clone", {"name": f"{name}2", "namespace": "其他"})
    assert (await follow(api, copy))["namespace"] == "其他"


async def follow(api: Api, made: httpx2.Response) -> dict[str, Any]:
    where = urlsplit(made.headers["location"])
    found: dict[str, Any] = (await api.get(where.path, **dict(parse_qsl(where.query)))).json()
    return found


async def test_a_method_that_is_not_served_is_told_which_are(api: Api) -> None:
    answer = await api.ask("POST", "/jobs/tick")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, PATCH, PUT")
    assert (await api.ask("PUT", "/jobs")).headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/jobs/tick:pause", 200),
        ("/jobs/tick:resume", 200),
        ("/jobs/tick:trigger", 201),
        ("/nodes/w-1:drain", 200),
        ("/tokens/machine:rotate", 200),
    ],
)
async def test_a_body_that_may_be_empty_may_be_missing(api: Api, stage: Stage, path: str, status: int) -> None:
    await api.create_job("tick", overlap="allow")
    await stage.worker("w-1", ["python:jobs:tick"])
    await api.post("/tokens", {"name": "machine", "scopes": ["read"]})
    assert (await api.ask("POST", path)).status_code == status
    assert "required" not in next(one for _, where, one in OPERATIONS if fits(where, path))["requestBody"]


def fits(template: str, path: str) -> bool:
    return template.endswith(path[path.index(":") :]) and template.startswith(f"/api/v1/{path.split('/')[1]}/")


async def test_runs_may_be_cancelled_and_retried_without_a_body(api: Api) -> None:
    await api.create_job("tick", overlap="allow")
    run = (await api.ask("POST", "/jobs/tick:trigger")).json()["id"]
    assert (await api.ask("POST", f"/runs/{run}:cancel")).json()["state"] == "CANCELLED"
    again = await api.ask("POST", f"/runs/{run}:retry")
    assert (again.status_code, again.headers["location"]) == (201, f"/api/v1/runs/{again.json()['id']}")


@pytest.mark.parametrize("state", ["paused", "PAUSED", "Paused"])
async def test_states_are_asked_for_in_any_case(api: Api, state: str) -> None:
    await api.create_job("tick")
    await api.post("/jobs/tick:pause")
    assert [job["name"] for job in (await api.get("/jobs", state=state)).json()["items"]] == ["tick"]
    await api.post("/jobs/tick:trigger")
    word = {"paused": "pending", "PAUSED": "PENDING", "Paused": "Pending"}[state]
    assert len((await api.get("/runs", state=word)).json()["items"]) == 1
    cancelled = await api.post("/runs:cancel", {"job": "tick", "states": [word], "expected": 1})
    assert cancelled.json()["count"] == 1


async def filled(api: Api, stage: Stage) -> str:
    """Three of everything a list shows; a sharded run."""
    for name in ("a", "b", "c"):
        await stage.worker(f"w-{name}", ["python:m:f"])
        await api.post("/tokens", {"name": name, "scopes": ["read"]})
        await api.ask("PUT", f"/calendars/{name}", {"calendar": {"country": "CN"}})
        await api.create_job(f"job-{name}", shards=3, place={"concurrency": {f"l-{name}": 1}})
    return str((await api.post("/jobs/job-a:trigger")).json()["id"])


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/nodes", "name"),
        ("/tokens", "id"),
        ("/calendars", "name"),
        ("/limits", "name"),
        ("/jobs", "name"),
        ("/search", "name"),
        ("/journal", "id"),
        ("/runs/{run}/shards", "id"),
        ("/runs/{run}/timeline", "what"),
    ],
)
async def test_every_list_goes_on_behind_its_cursor(api: Api, stage: Stage, path: str, key: str) -> None:
    run = await filled(api, stage)
    path = path.format(run=run)
    query = {"q": "job-"} if path == "/search" else {}
    whole = [item[key] for item in (await api.get(path, **query)).json()["items"]]
    assert len(whole) > 1
    seen: list[Any] = []
    cursor = None
    while cursor is not None or not seen:
        page = (await api.get(path, limit=2 if len(whole) > 2 else 1, cursor=cursor, **query)).json()
        seen += [item[key] for item in page["items"]]
        cursor = page["next_cursor"]
    assert seen == whole


def test_a_page_goes_on_where_it_was_when_its_last_item_is_gone() -> None:
    first, cursor = page_of(["a", "b", "c", "d"], str, limit=2, cursor=None)
    assert first == ["a", "b"]
    assert page_of(["a", "c", "d"], str, limit=2, cursor=cursor) == (["d"], None)
    assert page_of(["new", "a", "b", "c", "d"], str, limit=2, cursor=cursor) == (["c", "d"], None)
    assert page_of([], str, limit=2, cursor=cursor) == ([], None)
    with pytest.raises(BadCursor):
        page_of(["a"], str, limit=2, cursor="b")


async def test_fires_go_on_into_the_past(api: Api, stage: Stage) -> None:
    """Runs, and between them a range of instants that a pause left out."""
    await api.create_job("tick", schedule={"every": "1m"}, overlap="allow")
    for _ in range(3):
        stage.elapse("1m")
        await stage.fire()
    await api.post("/jobs/tick:pause")
    stage.elapse("5m")
    await api.post("/jobs/tick:resume")
    for _ in range(3):
        stage.elapse("1m")
        await stage.fire()
    whole = (await api.get("/jobs/tick/fires")).json()
    assert [fire["decision"] for fire in whole["past"]].count("SKIPPED") == 1
    assert len(whole["past"]) == 7
    assert whole["next_cursor"] is None
    seen: list[Any] = []
    cursor = None
    while cursor is not None or not seen:
        page = (await api.get("/jobs/tick/fires", limit=2, cursor=cursor)).json()
        assert bool(page["future"]) is (cursor is None)
        seen += page["past"]
        cursor = page["next_cursor"]
    assert seen == whole["past"]
