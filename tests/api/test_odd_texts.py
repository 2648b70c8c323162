"""Half characters (lone surrogates) and NUL, wherever somebody may write them: a no in words, never a 500."""

import json
import re
from typing import Any

import pytest

from foliot.api.app import build_api
from foliot.api.worker_protocol import worker_routes
from foliot.operations.worker_service import WorkerService
from foliot.store.sql.kernel.database import RefusedForData
from tests.api.asking import Api
from tests.api.calling import Call
from tests.api.stage import Stage
from tests.api.test_registering import Desk

HALF = "\ud800"
TWICE = b'{"\\ud800":1,"\\ud800":1}'
BODIES: list[tuple[str, Any]] = [
    ("/api/v1/jobs:validate", {"definition": {"run": {HALF: "x"}}}),
    ("/api/v1/jobs", {"name": "j1", "definition": {"run": {HALF: {"every": 1e-07}}}}),
    ("/api/v1/jobs", {"name": HALF, "definition": {"run": {"python": "m:f"}}}),
    ("/api/v1/jobs/tick:trigger", {"delay": HALF}),
    ("/api/v1/jobs/tick:trigger", {"params": {"a": [{"b": HALF}]}}),
    ("/api/v1/tokens", {"name": "x", "scopes": [HALF]}),
    ("/api/v1/tokens/root:rotate", {"grace": HALF}),
]


@pytest.mark.parametrize(("path", "body"), BODIES, ids=[f"{path} {list(body)}" for path, body in BODIES])
async def test_half_a_character_in_a_body_is_refused_in_words(api: Api, path: str, body: Any) -> None:
    sent = json.dumps(body).encode()
    call = await Call(api.app, "POST", path, (sent,), token=api.token).made()
    assert (call.status, call.code) == (400, "FOL-1080")
    assert "half a character" in json.loads(call.body)["detail"]


async def test_a_whole_character_in_two_escapes_is_no_half(api: Api) -> None:
    sent = b'{"name": "\\ud83d\\ude00 tick", "definition": {"run": {"python": "m:f"}}}'
    call = await Call(api.app, "POST", "/api/v1/jobs", (sent,), token=api.token).made()
    assert b"half a character" not in call.body
    assert "\U0001f600" in call.body.decode()


@pytest.mark.parametrize("path", ["/api/v1/login", "/api/v1/cron:explain"])
async def test_half_a_character_that_stands_twice_is_quoted_in_letters(api: Api, path: str) -> None:
    token = None if path.endswith("login") else api.token
    call = await Call(api.app, "POST", path, (TWICE,), token=token).made()
    assert (call.status, call.code) == (400, "FOL-1080")
    assert r'the key "\ud800" stands there twice' in json.loads(call.body)["detail"]


async def test_nul_in_an_address_is_refused_on_every_route(api: Api) -> None:
    wrong: list[str] = []
    for method, path in sorted(api.app.state.rights):
        if "{" not in path or not path.startswith("/api/"):  # a page of the console shows what the API answers
            continue
        address = re.sub(r"\{\w+\}", "\0", path)
        call = await Call(api.app, method, address, (b"{}",), token=api.token).made()
        if (call.status, call.code) != (400, "FOL-1080"):
            wrong.append(f"{method} {path}: {call.status} {call.code}")
    assert wrong == []


async def test_what_the_store_refuses_is_no_failure_of_the_server(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*args: Any, **how: Any) -> Any:
        raise RefusedForData("INSERT INTO secret_table")

    monkeypatch.setattr(type(stage.store.database), "read", refuse)
    call = await Call(api.app, "GET", "/api/v1/calendars", token=api.token).made()
    assert (call.status, call.code) == (400, "FOL-1080")
    assert b"secret_table" not in call.body


@pytest.mark.parametrize(
    "document",
    [r'{"run": {"\ud800": "x"}}', r'{"\ud800": 1, "\ud800": 1}', r'{"run": {"python": "m:f"}, "\ud800": 1}'],
)
async def test_a_worker_is_told_of_a_document_with_half_a_character(api: Api, stage: Stage, document: str) -> None:
    service = WorkerService(stage.services, Desk())
    app = build_api(stage.services, plain_routes=lambda known: worker_routes(service, known.worker))
    worker = await api.with_scopes("worker")
    jobs = [{"namespace": "default", "name": "a", "document": document}]
    hello = {"session": "s" * 32, "name": "w1", "group": "default", "slots": 1, "handlers": [], "jobs": jobs}
    sent = json.dumps(hello).encode()
    call = await Call(app, "POST", "/api/worker/v1/register", (sent,), token=worker.token).made()
    assert call.status == 200, call.body
    call.body.decode()
