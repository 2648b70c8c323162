"""What a worker sends is bounded at the edge: so many bytes, and numbers that the store can keep (SEC-32)."""

from typing import Any

import msgspec
import pytest

from foliot.api import worker_protocol
from foliot.api.worker_protocol import worker_routes
from foliot.domain.access import Grant, Scope
from foliot.operations.serving_workers import WorkerService
from foliot.operations.tokens import create_token
from tests.api.asking import opened_api
from tests.api.stage import ROOT, Stage
from tests.api.test_hanging_up import NoDesk, call_of

KIB = 1024


async def test_a_message_in_pieces_is_read_no_further_than_it_may_be_long(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_protocol, "BODY_MAX", 64 * KIB)
    pieces, sent = 0, []

    async def receive() -> dict[str, Any]:
        nonlocal pieces
        pieces += 1
        assert pieces < 1000, "it is taken in without end"
        return {"type": "http.request", "body": b"x" * KIB, "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    service = WorkerService(stage.services, NoDesk())
    async with opened_api(stage, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        token = await create_token(stage.services, ROOT, "mine", Grant(scopes=frozenset({Scope.WORKER})))
        await api.app(call_of("/api/worker/v1/heartbeat", token.secret), receive, send)
    assert pieces == 65, "one more than it may have"
    assert (sent[0]["status"], msgspec.json.decode(sent[1]["body"])["code"]) == (422, "FOL-1040")
