"""Two servers on one store: what is changed through one is in force on the other at once (C8)."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from foliot.api.app import build_api
from foliot.domain.verdict import Cause
from tests.api.asking import Api
from tests.api.stage import Stage


@pytest.fixture
async def second(api: Api, stage: Stage) -> AsyncIterator[Api]:
    """Another server, with caches of its own."""
    other = Stage(stage.url)
    other.clock = stage.clock
    await other.open()
    app = build_api(other.services)
    try:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://foliot") as http:
            yield Api(other, app, http, api.token)
    finally:
        await other.close()


async def test_a_definition_changed_here_fires_there(api: Api, second: Api) -> None:
    await api.create_job("tick", schedule={"every": "1m"}, params={"n": 1})
    assert (await second.get("/jobs/tick")).json()["version"] == 1
    second.stage.clock.at = second.stage.moment("14:03:00.001")
    await second.stage.fire()
    await api.ask(
        "PATCH", "/jobs/tick", {"definition": {"params": {"n": 2}, "overlap": "allow"}}, headers={"If-Match": '"v1"'}
    )
    second.stage.clock.at = second.stage.moment("14:04:00.001")
    worker = await second.stage.worker("w-1", ["python:jobs:tick"])
    await second.stage.fire()
    newest = (await second.get("/runs", job="tick")).json()["items"][0]
    assert newest["version"] == 2
    leased = await worker.lease()
    assert leased is not None
    await worker.end(Cause.SUCCEEDED, after_us=1000)


async def test_a_pause_here_holds_there_and_a_revoked_token_opens_nothing_there(api: Api, second: Api) -> None:
    await api.create_job("tick", schedule={"every": "1m"})
    made = (await api.post("/tokens", {"name": "ci", "scopes": ["read"]})).json()
    assert (await second.as_token(made["token"]).get("/jobs")).status_code == 200
    await api.post("/jobs/tick:pause")
    await api.ask("DELETE", "/tokens/ci")
    assert (await second.get("/jobs/tick")).json()["state"] == "PAUSED"
    assert (await second.as_token(made["token"]).get("/jobs")).status_code == 401
    second.stage.clock.at = second.stage.moment("14:10:00.001")
    await second.stage.fire()
    assert (await second.get("/runs", job="tick")).json()["items"] == []


async def test_a_key_used_here_is_known_there(api: Api, second: Api) -> None:
    key = {"Idempotency-Key": "k"}
    body = {"name": "tick", "definition": {"run": {"python": "m:f"}}}
    assert (await api.ask("POST", "/jobs", body, headers=key)).status_code == 201
    again = await second.ask("POST", "/jobs", body, headers=key)
    assert (again.status_code, again.headers["idempotent-replayed"]) == (201, "true")
