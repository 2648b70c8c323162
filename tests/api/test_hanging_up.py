"""Whoever hangs up in the middle of a question is nobody's error: no traceback, nothing done."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from foliot.api.worker_protocol import worker_routes
from foliot.domain.access import Grant, Principal, Scope
from foliot.domain.run import Landing
from foliot.operations.tokens import create_token
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import Hello, Leased, LeasedRun, LeasePoll, Report
from tests.api.asking import opened_api
from tests.api.stage import ROOT, Stage


class NoDesk:
    """`LeaseDesk` nobody comes to."""

    async def ask(self, poll: LeasePoll) -> Leased:
        raise AssertionError(poll)

    def introduce(self, hello: Hello) -> None:
        raise AssertionError(hello)

    def hello_of(self, session: str) -> Hello | None:
        raise AssertionError(session)

    def forget(self, session: str) -> None:
        raise AssertionError(session)


class PatientDesk(NoDesk):
    """`LeaseDesk` where polls wait for ever."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.was_left = False
        self.hello: Hello | None = None

    async def ask(self, poll: LeasePoll) -> Leased:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.was_left = True
        raise AssertionError(poll)

    def hello_of(self, session: str) -> Hello | None:
        return self.hello

    def introduce(self, hello: Hello) -> None:
        self.hello = hello


class PromptDesk(PatientDesk):
    """`LeaseDesk` that has an answer in the very moment in which it is not wanted any more."""

    async def ask(self, poll: LeasePoll) -> Leased:
        self.asked.set()
        run = msgspec.convert(LEASED, LeasedRun)
        return Leased(request_no=poll.request_no, runs=(run,))


LEASED = {
    "run_id": 7, "job_id": 1, "namespace": "default", "job": "tick", "version": 1, "handler": "python:jobs:tick",
    "params": None, "attempt": 1, "lease_id": "a" * 32, "fence": 1, "due_at": 0, "leased_at": 0, "timeout_us": None,
    "grace_us": 0, "at_most_once": False, "exclusive": False,
}  # fmt: skip
POLL = LeasePoll(session="s", request_no=1, settled=0, free=4, wait_us=20_000_000)


async def polled(stage: Stage, service: WorkerService, *, until: asyncio.Event) -> list[Any]:
    """What was sent to a worker that asks for runs and is killed as soon as `until` is set."""
    sent: list[Any] = []
    arriving: list[dict[str, Any]] = [
        {"type": "http.request", "body": msgspec.json.encode(POLL), "more_body": False},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        if len(arriving) == 1:
            await until.wait()
        return arriving.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async with opened_api(stage, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        token = await create_token(stage.services, ROOT, "mine", Grant(scopes=frozenset({Scope.WORKER})))
        hello = Hello(session=POLL.session, name="w1", group="default", slots=4, handlers=(), owner=token.record.line)
        service._desk.introduce(hello)  # known here, so that nothing is looked up before the poll is asked
        await asyncio.wait_for(api.app(call_of("/api/worker/v1/lease", token.secret), receive, send), 30)
    return sent


def call_of(path: str, secret: str) -> dict[str, Any]:
    headers = [(b"authorization", f"Bearer {secret}".encode()), (b"content-type", b"application/json")]
    return {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": headers, "scheme": "http", "server": ("foliot", 80), "client": ("127.0.0.1", 1),
        "http_version": "1.1",
    }  # fmt: skip


async def test_the_poll_of_a_worker_that_is_gone_waits_for_nothing(stage: Stage) -> None:
    """Or it would take runs for the rest of its time, and nobody would start them (L3)."""
    desk = PatientDesk()
    sent = await polled(stage, WorkerService(stage.services, desk), until=desk.asked)
    assert desk.was_left
    assert sent[0]["status"] == 499


async def test_what_is_leased_as_a_worker_hangs_up_stays_leased(stage: Stage) -> None:
    """It may have the same runs from another server, and have begun: given back they would start twice (R5, S6)."""
    desk = PromptDesk()
    service = WorkerService(stage.services, desk)
    reported: list[Report] = []

    async def complete(session: str, reports: Sequence[Report], *, by: Principal) -> Sequence[Landing]:
        reported.extend(reports)
        assert session
        assert by.name == "mine"
        return [Landing.RECORDED for _ in reports]

    service.complete = complete  # type: ignore[method-assign]
    await polled(stage, service, until=desk.asked)
    assert reported == []


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
        await api.app(
            call_of(path, token.secret), receive, send
        )  # what it raised, the server would print with its traceback
    assert sent[0]["status"] in (400, 499), sent
