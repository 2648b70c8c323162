"""Foliot in a FastAPI or Starlette application."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, Request
from starlette.testclient import TestClient

import foliot
from foliot import job
from foliot.domain.errors import BadField
from foliot.integrations.fastapi import RoleNotHere
from foliot.sdk.connection import connection
from tests.unit.client.answering import Answer, Answering, answering


@job
async def send(order_id: int) -> None: ...


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        here.say(Answer(201, {"id": "r-1", "job": "send", "state": "PENDING"}))
        yield here
    connection.configure()


def test_a_client_triggers_in_requests_and_closes_its_connections(server: Answering) -> None:
    app = FastAPI(lifespan=foliot.lifespan(url=server.url, token="t0ken"))
    used: list[Any] = []

    @app.post("/orders/{order_id}")
    async def order(order_id: int) -> dict[str, str]:
        run = await send.trigger_async(order_id=order_id)
        used.append(connection.async_client)
        return {"run": run.id}

    with TestClient(app) as web:
        assert web.post("/orders/7").json() == {"run": "r-1"}
        assert web.post("/orders/8").json() == {"run": "r-1"}
    assert server.asked[0].headers["authorization"] == "Bearer t0ken"
    assert used[0] is used[1]
    assert used[0]._http.is_closed


def test_an_application_starts_although_no_server_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOLIOT_SERVER", raising=False)
    with TestClient(FastAPI(lifespan=foliot.lifespan())) as web:
        assert web.get("/docs").status_code == 200


def test_the_applications_own_lifespan_goes_inside(server: Answering) -> None:
    events: list[str] = []

    @asynccontextmanager
    async def own(app: FastAPI) -> AsyncIterator[Mapping[str, Any]]:
        await send.trigger_async(order_id=1)
        events.append("up")
        yield {"answer": 42}
        await send.trigger_async(order_id=2)
        events.append("down")

    app = FastAPI(lifespan=foliot.lifespan(url=server.url, inner=own))

    @app.get("/")
    async def answer(request: Request) -> int:
        return int(request.state.answer)

    with TestClient(app) as web:
        assert web.get("/").json() == 42
    assert events == ["up", "down"]
    assert len(server.asked) == 2


def test_a_role_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(BadField, match='"cleint" is not one of client, worker, all_in_one') as refused:
        foliot.lifespan(role="cleint")  # type: ignore[arg-type]
    assert refused.value.hint == "did you mean client?"


@pytest.mark.parametrize("role", ["worker", "all_in_one"])
async def test_a_role_that_needs_a_node_is_not_silently_a_client(role: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever starts nodes inside a process is asked for one; without it the refusal says what to run instead."""
    asked: list[tuple[str, Any]] = []

    @asynccontextmanager
    async def start(wanted: str, **options: Any) -> AsyncIterator[None]:
        asked.append((wanted, options["jobs"]))
        yield

    monkeypatch.setitem(sys.modules, "foliot.app.embedded", None)
    with pytest.raises(RoleNotHere, match="is not available inside an application here"):
        async with foliot.lifespan(role=role, jobs=["jobs"])(None):
            pass
    monkeypatch.setitem(sys.modules, "foliot.app.embedded", SimpleNamespace(start=start))
    async with foliot.lifespan(role=role, jobs=["jobs"])(None):
        assert asked == [(role, ["jobs"])]
