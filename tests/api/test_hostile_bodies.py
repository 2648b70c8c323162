"""SEC-32: whatever somebody sends, with a token or without, the loop of a server goes on."""

import json
import re
import threading
from typing import Any

import pytest

from foliot.api.app import build_api
from foliot.api.auth.rights import PUBLIC
from foliot.api.bodies import BODY_MAX, LOGIN_BODY_MAX
from foliot.api.worker_protocol import worker_routes
from foliot.domain import schema as schemas
from foliot.operations.worker_service import WorkerService
from tests.api.asking import Api
from tests.api.calling import Call
from tests.api.loop_meter import loop_metered
from tests.api.stage import Stage
from tests.api.test_hanging_up import NoDesk

STOPS_S = 0.050
KEYS = 45_000
REPEATED = b"{" + b",".join(b'"%d":1' % i for i in range(KEYS)) + b',"%d":1}' % (KEYS - 1)
HOSTILE: dict[str, bytes] = {
    "a key twice, behind many": REPEATED,
    "many keys": b"{" + b",".join(b'"%d":1' % i for i in range(2 * KEYS)) + b"}",
    "many lists": b"[" + b"[]," * (BODY_MAX // 3 - 10) + b"1]",
    "many mappings": b"[" + b'{"a":1},' * (BODY_MAX // 8 - 10) + b"1]",
    "deep": b"[" * BODY_MAX,
    "one text": b'"' + b"a" * (BODY_MAX - 10) + b'"',
    "text without end": b'"' + b"\\n" * (BODY_MAX // 2 - 10),
    "digits": b"1." + b"1" * (BODY_MAX - 10),
    "too long": b"x" * (BODY_MAX + 1),
    "no text": b"\xff" * (BODY_MAX - 10),
}


@pytest.fixture
def app(stage: Stage) -> Any:
    """The API with the worker protocol."""
    service = WorkerService(stage.services, NoDesk())
    return build_api(stage.services, plain_routes=lambda known: worker_routes(service, known.worker))


def filled(path: str) -> str:
    return re.sub(r"\{\w+\}", "1", path)


@pytest.mark.parametrize("token", [None, "fol_made-up-by-somebody-who-has-none"], ids=["no token", "a made-up token"])
async def test_without_a_token_no_route_reads_a_body_and_the_loop_goes_on(app: Any, token: str | None) -> None:
    wrong: list[str] = []
    with loop_metered() as meter:
        for (method, path), right in sorted(app.state.rights.items()):
            for name, body in HOSTILE.items():
                call = await Call(app, method, filled(path), (body, b""), token=token, length=len(body)).made()
                if right == PUBLIC and (call.asked > 1 or call.status is None or call.status >= 500):
                    wrong.append(f"{method} {path} with {name}: {call.status}, asked {call.asked} times")
                if right != PUBLIC and (call.asked, call.status) not in ((0, 401), (0, 429)):
                    wrong.append(f"{method} {path} with {name}: {call.status}, asked {call.asked} times")
    assert wrong == []
    assert meter.longest_s < STOPS_S, meter.what


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/" + "x" * 60_000,
        "/api/v1/jobs/" + ":" * 60_000,
        "/api/v1/jobs/" + "/why" * 15_000,
        "/api/v1/jobs?" + "&" * 60_000,
        "/healthz?" + "a&" * 30_000,
        "/readyz?" + "a=1&" * 15_000,
        "/login?" + "%" * 60_000,
    ],
    ids=lambda path: path[:20],
)
async def test_no_address_stops_the_loop(app: Any, path: str) -> None:
    with loop_metered() as meter:
        call = await Call(app, "GET", path).made()
    assert call.status in (200, 400, 401, 404)
    assert meter.longest_s < STOPS_S, meter.what


@pytest.mark.parametrize(
    "header", [("accept-language", "zh;q=0.1," * 6000), ("cookie", "a=1;" * 15_000), ("authorization", "x" * 60_000)]
)
async def test_no_header_stops_the_loop(app: Any, header: tuple[str, str]) -> None:
    with loop_metered() as meter:
        call = await Call(app, "POST", "/api/v1/jobs", (b"{}",), headers=dict([header])).made()
    assert call.status == 401
    assert meter.longest_s < STOPS_S, meter.what


@pytest.mark.parametrize("name", HOSTILE)
async def test_with_a_token_the_loop_goes_on_too(api: Api, name: str) -> None:
    body = HOSTILE[name]
    with loop_metered() as meter:
        call = await Call(api.app, "POST", "/api/v1/jobs", (body,), token=api.token, length=len(body)).made()
    assert call.status in (400, 413, 422)
    assert meter.longest_s < STOPS_S, meter.what


async def test_the_key_that_stands_twice_is_named(api: Api) -> None:
    call = await Call(api.app, "POST", "/api/v1/jobs", (REPEATED,), token=api.token).made()
    assert (call.status, call.code) == (400, "FOL-1080")
    assert f'the key "{KEYS - 1}" stands there twice' in json.loads(call.body)["detail"]


async def test_a_login_reads_a_short_body_and_no_long_one(app: Any) -> None:
    code = json.dumps({"code": "AAAA-BBBB-CCCC"}).encode()
    assert (await Call(app, "POST", "/api/v1/login", (code,)).made()).code == "FOL-4003"
    long = b'{"code": "' + b"x" * LOGIN_BODY_MAX + b'"}'
    announced = await Call(app, "POST", "/api/v1/login", (long,), length=len(long)).made()
    assert (announced.status, announced.code, announced.asked) == (413, "FOL-1081", 0)
    in_pieces = await Call(app, "POST", "/api/v1/login", (b"x" * LOGIN_BODY_MAX, b"x", b"x", b"")).made()
    assert (in_pieces.status, in_pieces.asked) == (413, 2)


MIB = 1024 * 1024
HELLO = b'{"session":"s","name":"w","group":"g","slots":1,"handlers":[%s],"labels":{%s},"jobs":[%s]}'
BEAT = b'{"session":"s","beat_no":1,"settled":0,"held":[],"load":{%s}}'
MANY = b",".join(b'"%d":1' % at for at in range(400_000))
MESSAGES: dict[str, tuple[str, bytes]] = {
    "a schema": ("register", HELLO % (b'{"name":"h","parameters":{"a":[%s1]}}' % (b"[]," * (2 * MIB)), b"", b"")),
    "handlers": ("register", HELLO % (b",".join([b'{"name":"h"}'] * 400_000), b"", b"")),
    "labels": ("register", HELLO % (b"", MANY, b"")),
    "jobs": ("register", HELLO % (b"", b"", b",".join([b'{"namespace":"","name":"","document":""}'] * 60_000))),
    "load": ("heartbeat", BEAT % MANY),
}


@pytest.mark.parametrize("name", MESSAGES)
async def test_no_message_of_a_worker_stops_the_loop(app: Any, api: Api, name: str) -> None:
    path, body = MESSAGES[name]
    worker = await api.with_scopes("worker")
    pieces = [body[at : at + MIB] for at in range(0, len(body), MIB)]
    with loop_metered() as meter:
        call = await Call(app, "POST", f"/api/worker/v1/{path}", tuple(pieces), token=worker.token).made()
    assert (call.status, call.code) == (422, "FOL-1087")
    assert meter.longest_s < STOPS_S, meter.what


NAMES = {str(at): "x" for at in range(40_000)}
DEFINITIONS: dict[str, dict[str, Any]] = {
    "tags": {"tags": NAMES},
    "labels of workers": {"place": {"require": NAMES}},
    "parameters": {"params": NAMES},
    "a duration": {"schedule": {"every": "1h" * 300_000}},
    "a timeout": {"timeout": "9" * 900_000 + "s"},
    "a zone": {"schedule": {"cron": "0 2 * * *", "tz": "A/" * 300_000}},
    "a calendar": {"schedule": {"cron": "0 2 * * *", "calendar": "x" * 900_000}},
    "a field": {"schedul" * 100_000: 1},
}


@pytest.mark.parametrize("name", DEFINITIONS)
async def test_no_definition_stops_the_loop(api: Api, name: str) -> None:
    body = json.dumps({"definition": {"run": {"python": "jobs:tick"}, **DEFINITIONS[name]}}).encode()
    with loop_metered() as meter:
        call = await Call(api.app, "POST", "/api/v1/jobs:validate", (body,), token=api.token).made()
    assert call.status in (404, 422)
    assert len(call.body) < 10_000
    assert meter.longest_s < STOPS_S, meter.what


NEXT_TWICE = {f"a{at}": {"anyOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(20)}
OTHER_LIST = {"const": [1] * 10_000}
SCHEMAS: dict[str, dict[str, Any]] = {
    "references": {"$defs": NEXT_TWICE | {"a20": {"type": "integer"}}, "default": 1},
    "words": {"$defs": NEXT_TWICE | {"a20": {"type": "string"}}, "default": 1},
    "a long choice": {"$defs": NEXT_TWICE | {"a20": OTHER_LIST}, "default": 1},
    "the same long choice": {"$defs": NEXT_TWICE | {"a20": OTHER_LIST}, "default": OTHER_LIST["const"]},
    "a long list": {"$defs": NEXT_TWICE | {"a20": {"type": "array"}}, "default": OTHER_LIST["const"]},
    "no items": {"$defs": NEXT_TWICE | {"a20": {"items": False}}, "default": OTHER_LIST["const"]},
    "no names": {
        "$defs": NEXT_TWICE | {"a20": {"additionalProperties": False}},
        "default": {str(at): 1 for at in range(5_000)},
    },
}


@pytest.mark.parametrize("name", SCHEMAS)
async def test_no_schema_of_a_definition_stops_the_loop(api: Api, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = SCHEMAS[name]
    part = {"$ref": "#/$defs/a0", "default": schema["default"]}
    parameters = {"$defs": schema["$defs"], "properties": {"n": part}}
    definition = {"run": {"http": {"url": "https://example.org"}}, "parameters": parameters}
    body = json.dumps({"name": "new", "definition": definition}).encode()
    reader = await api.with_scopes("read")
    threads = threads_of_steps(monkeypatch)
    with loop_metered() as meter:
        call = await Call(api.app, "POST", "/api/v1/jobs:validate", (body,), token=reader.token).made()
    assert call.status in (200, 422), call.body
    assert threads
    assert threading.get_ident() not in threads, "the loop's own thread checks nothing by a schema"
    assert meter.longest_s < STOPS_S, meter.what


def threads_of_steps(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The threads in which schemas are looked at from now on."""
    threads: set[int] = set()
    step = schemas._Walk.step

    def noted(walk: Any, schema: Any, depth: int) -> None:
        threads.add(threading.get_ident())
        step(walk, schema, depth)

    monkeypatch.setattr(schemas._Walk, "step", noted)
    return threads


LONG_NAME = "n" * 30_000


async def test_a_name_without_end_is_not_repeated_for_each_thing_below_it(api: Api) -> None:
    """Neither in the paths of a check nor in those of a diff, of which each has this name in it."""
    inside = {f"p{at}": {"type": "integer"} for at in range(1000)}
    run = {"http": {"url": "https://example.org"}}
    named = {"run": run, "parameters": {"properties": {LONG_NAME: {"properties": inside}}}}
    call = await validated(api, "new", named)
    assert (call.status, len(call.body) < 2000) == (422, True)
    assert "its name has more than 200 letters" in json.loads(call.body)["detail"]

    params = {LONG_NAME: {f"p{at}": 1 for at in range(1000)}}
    free = {"run": run, "parameters": {"additionalProperties": {"additionalProperties": {"type": "integer"}}}}
    made = await api.post("/jobs", {"name": "long", "definition": {**free, "params": params}})
    assert made.status_code == 201, made.text
    changed = {LONG_NAME: dict.fromkeys(params[LONG_NAME], 2)}
    diff = await validated(api, "long", {**free, "params": changed})
    assert diff.status == 200
    (change,) = json.loads(diff.body)["changes"]
    assert change["after"] == changed[LONG_NAME]


async def validated(api: Api, name: str, definition: dict[str, Any]) -> Call:
    body = json.dumps({"name": name, "definition": definition}).encode()
    with loop_metered() as meter:
        call = await Call(api.app, "POST", "/api/v1/jobs:validate", (body,), token=api.token).made()
    assert meter.longest_s < STOPS_S, meter.what
    return call


async def test_the_description_of_the_api_is_made_beside_the_loop(app: Any, api: Api) -> None:
    for path in ("/api/v1/openapi.json", "/api/docs"):
        app.openapi_schema = None
        with loop_metered() as meter:
            assert (await Call(app, "GET", path, token=api.token).made()).status == 200
        assert meter.longest_s < STOPS_S, meter.what


async def test_a_schema_with_many_choices_does_not_stop_the_loop(api: Api, stage: Stage) -> None:
    """Each of many parameters is compared with each of many choices: that is done beside the loop, and ends."""
    choices = [f"choice-{i}" for i in range(20_000)]
    schema = {"type": "object", "properties": {"picks": {"type": "array", "items": {"enum": choices}}}}
    await stage.worker("w1", {"python:jobs:tick": schema})
    await api.create_job("tick")
    await api.get("/jobs")
    picks = ["choice-19999"] * 3000
    with loop_metered() as meter:
        body = json.dumps({"params": {"picks": picks}}).encode()
        call = await Call(api.app, "POST", "/api/v1/jobs/tick:trigger", (body,), token=api.token).made()
    assert call.status == 201
    assert meter.longest_s < STOPS_S, meter.what
    refused = await api.post("/jobs/tick:trigger", {"params": {"picks": ["choice-0", "none"]}})
    assert (refused.status_code, refused.json()["code"]) == (422, "FOL-1006")
    assert len(refused.text) < 3000
