"""Triggering from code: parameters are bound and checked here, then sent to the server that was said or found."""

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import foliot
from foliot import AsyncFoliot, Ctx, Foliot, job
from foliot.client.errors import NoServerKnown
from foliot.domain.parameters import BadParameters
from foliot.sdk.connection import connection
from tests.unit.client.answering import Answer, Answering, answering

RUN = {"id": "r-8k2f", "job": "settle", "state": "PENDING"}


@job(namespace="prod", params={"region": "eu"})
def settle(ctx: Ctx, day: date, region: str, dry_run: bool = False) -> None: ...


@job
async def refund(order_id: int, reason: str = "") -> str:
    return reason


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        here.say(Answer(201, RUN))
        yield here


@pytest.fixture(autouse=True)
def nothing_configured() -> Iterator[None]:
    connection.configure()
    yield
    connection.configure()


def bodies(server: Answering) -> list[Any]:
    return [{name: value for name, value in asked.body.items() if name != "key"} for asked in server.asked]


def test_trigger_sends_checked_parameters(server: Answering) -> None:
    foliot.configure(server.url, "t0ken")
    run = settle.trigger(day=date(2026, 1, 31))  # type: ignore[call-arg]  # region is the job's own
    assert run.id == "r-8k2f"
    (asked,) = server.asked
    assert (asked.path, asked.query) == ("/api/v1/jobs/settle:trigger", {"namespace": "prod"})
    assert asked.headers["authorization"] == "Bearer t0ken"
    assert bodies(server) == [{"params": {"day": "2026-01-31"}}]


def test_positions_count_without_the_ctx(server: Answering) -> None:
    foliot.configure(server.url)
    settle.trigger(date(2026, 1, 31), "us", True)
    assert bodies(server) == [{"params": {"day": "2026-01-31", "region": "us", "dry_run": True}}]
    with pytest.raises(TypeError, match="settle takes 3 positional parameters, 4 were given"):
        settle.trigger(date(2026, 1, 31), "us", True, 4)  # type: ignore[call-arg]


def test_wrong_parameters_never_leave_the_process(server: Answering) -> None:
    foliot.configure(server.url)
    with pytest.raises(BadParameters, match="settle: day=7 is not a date"):
        settle.trigger(day=7)  # type: ignore[call-arg, arg-type]
    assert server.asked == []


def test_options(server: Answering) -> None:
    foliot.configure(server.url)
    call = refund.options(key="refund-7", delay="5m", reason="asked for", overlap="allow", priority=9)
    call.trigger(order_id=7)
    call.trigger(order_id=7)
    assert [asked.body["key"] for asked in server.asked] == ["refund-7", "refund-7"]
    assert bodies(server)[0] == {
        "params": {"order_id": 7}, "delay": "5m", "reason": "asked for", "overlap": "allow", "priority": 9,
    }  # fmt: skip


async def test_trigger_async(server: Answering) -> None:
    foliot.configure(server.url)
    run = await refund.trigger_async(order_id=7)
    await refund.options(at="2026-02-01T00:00:00Z").trigger_async(8)
    assert run.id == "r-8k2f"
    assert bodies(server) == [{"params": {"order_id": 7}}, {"params": {"order_id": 8}, "at": "2026-02-01T00:00:00Z"}]
    await connection.close_async()


def test_each_loop_has_a_client_of_its_own(server: Answering) -> None:
    foliot.configure(server.url)

    async def once() -> AsyncFoliot:
        await refund.trigger_async(order_id=7)
        client = connection.async_client
        assert connection.async_client is client
        await connection.close_async()
        return client

    assert asyncio.run(once()) is not asyncio.run(once())
    assert len(server.asked) == 2


async def test_clients_of_ones_own(server: Answering) -> None:
    with Foliot(server.url, "mine") as client:
        async with AsyncFoliot(server.url, "mine too") as async_client:
            foliot.configure(client=client, async_client=async_client)
            await asyncio.to_thread(refund.trigger, order_id=7)
            await refund.trigger_async(order_id=7)
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer mine", "Bearer mine too"]


def test_the_server_of_this_folder_is_found(server: Answering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOLIOT_SERVER", raising=False)
    with pytest.raises(NoServerKnown):
        refund.trigger(order_id=7)
    (tmp_path / ".foliot").mkdir()
    (tmp_path / ".foliot" / "client.json").touch(mode=0o600)
    (tmp_path / ".foliot" / "client.json").write_text(json.dumps({"url": server.url, "token": "local"}))
    refund.trigger(order_id=7)
    assert server.asked[0].headers["authorization"] == "Bearer local"


def test_calling_it_is_still_a_plain_call(server: Answering) -> None:
    foliot.configure(server.url)
    assert asyncio.run(refund(7, reason="late")) == "late"
    assert server.asked == []
