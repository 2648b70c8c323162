"""What a worker sends is bounded at the edge: so many bytes, and numbers that the store can keep (SEC-32)."""

from typing import Any

import msgspec
import pytest

from foliot.api import worker_protocol
from foliot.api.worker_protocol import worker_routes
from foliot.domain.access import Grant, Scope
from foliot.operations.tokens import create_token
from foliot.operations.worker_service import WorkerService
from tests.api.asking import opened_api
from tests.api.stage import ROOT, Stage
from tests.api.test_hanging_up import NoDesk, call_of

KIB = 1024
HELLO: dict[str, Any] = {"session": "s" * 32, "name": "w", "group": "default", "slots": 4, "handlers": []}
POLL: dict[str, Any] = {"session": "s" * 32, "request_no": 1, "free": 1, "settled": 0, "wait_us": 0}
BEAT: dict[str, Any] = {"session": "s" * 32, "beat_no": 1, "settled": 0, "held": []}
REPORT: dict[str, Any] = {"run_id": 1, "lease_id": "x", "cause": "succeeded"}
CHUNK: dict[str, Any] = {"run_id": 1, "lease_id": "x", "attempt": 1, "offset": 0, "text": "hi"}
BEYOND: list[tuple[str, dict[str, Any]]] = [
    *(("register", {**HELLO, name: value}) for name in ("slots", "pid", "protocol") for value in (-1, 2**31, 2**63)),
    *(("register", {**HELLO, name: "x" * 201}) for name in ("session", "name", "group", "host", "version")),
    *(("register", {**HELLO, name: "a\0b"}) for name in ("session", "name", "group", "host", "version")),
    *(("lease", {**POLL, "session": value}) for value in ("a\0", "a b", "a\n", "\u00e9")),
    *(("lease", {**POLL, name: value}) for name in ("request_no", "settled", "wait_us") for value in (-1, 2**63)),
    *(("lease", {**POLL, name: value}) for name in ("free", "ahead") for value in (-1, 2**31)),
    ("lease", {**POLL, "session": ""}),
    *(("heartbeat", {**BEAT, name: value}) for name in ("beat_no", "settled") for value in (-1, 2**63, 10**30)),
    *(("heartbeat", {**BEAT, "clock_offset_us": value}) for value in (-(2**63), 2**63)),
    *(
        ("heartbeat", {**BEAT, "held": [{"run_id": 1, "lease_id": "x", name: value}]})
        for name in ("run_id", "started_us_ago")
        for value in (-1, 2**63)
    ),
    *(
        ("complete", {"session": "s", "reports": [{**REPORT, name: value}]})
        for name in ("run_id", "started_us_ago", "took_us")
        for value in (-1, 2**63)
    ),
    *(
        ("logs", {"session": "s", "chunks": [{**CHUNK, name: value}]})
        for name in ("run_id", "attempt", "offset")
        for value in (-1, 2**63)
    ),
    ("leave", {"session": "s" * 33}),
]


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
    assert (sent[0]["status"], msgspec.json.decode(sent[1]["body"])["code"]) == (413, "FOL-1081")


async def test_numbers_and_names_beyond_what_the_store_keeps_are_refused_at_the_edge(stage: Stage) -> None:
    """One worker's poll with such a number stopped leasing for all workers of the server."""
    service = WorkerService(stage.services, NoDesk())
    async with opened_api(stage, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        worker = await api.with_scopes("worker")
        for path, message in BEYOND:
            refused = await worker.ask("POST", f"/api/worker/v1/{path}", message)
            assert (refused.status_code, refused.json()["code"]) == (422, "FOL-1040"), (path, message, refused.text)
