"""Whoever hangs up in the middle of a question is nobody's error: no traceback, nothing done."""

from typing import Any

import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.domain.access import Grant, Scope
from foliot.operations.serving_workers import WorkerService
from foliot.operations.tokens import create_token
from foliot.ports.worker_link import Hello, Leased, LeasePoll
from tests.api.asking import opened_api
from tests.api.stage import ROOT, Stage


class NoDesk:
    """`LeaseDesk` nobody comes to."""

    async def ask(self, poll: LeasePoll) -> Leased:
        raise AssertionError(poll)

    def introduce(self, hello: Hello) -> None:
        raise AssertionError(hello)

    def knows(self, session: str) -> bool:
        raise AssertionError(session)

    def forget(self, session: str) -> None:
        raise AssertionError(session)


@pytest.mark.parametrize(("path", "scope"), [("/api/worker/v1/register", Scope.WORKER), ("/api/v1/jobs", Scope.ADMIN)])
async def test_a_question_cut_short_is_dropped_in_silence(stage: Stage, path: str, scope: Scope) -> None:
    service = WorkerService(stage.services, NoDesk())
    sent: list[Any] = []
    arriving: list[dict[str, Any]] = [
        {"type": "http.request", "body": b'{"session": "', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return arriving.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async with opened_api(stage, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        token = await create_token(stage.services, ROOT, "mine", Grant(scopes=frozenset({scope})))
        headers = [(b"authorization", f"Bearer {token.secret}".encode()), (b"content-type", b"application/json")]
        call = {
            "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": headers, "scheme": "http", "server": ("foliot", 80), "client": ("127.0.0.1", 1),
            "http_version": "1.1",
        }  # fmt: skip
        await api.app(call, receive, send)  # what it raised, the server would print with its traceback
    assert sent[0]["status"] in (400, 499), sent
