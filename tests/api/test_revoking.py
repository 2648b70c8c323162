"""SEC-07: a revoked token is refused at once, also where calls come often (workers) or last long (polls, streams)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import msgspec
import pytest

from foliot.api import worker_protocol
from foliot.api.worker_protocol import worker_routes
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import Beat, Hello, Leased, LeasedRun, LeasePoll
from tests.api.asking import Api, opened_api
from tests.api.stage import Stage
from tests.eventually import soon

BEAT = "/api/worker/v1/heartbeat"
LEASE = "/api/worker/v1/lease"
CLAIM = "/locks/till/claims/c"


class ParkedDesk:
    """`LeaseDesk` that answers a poll when told to."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()
        self.runs: tuple[LeasedRun, ...] = ()

    async def ask(self, poll: LeasePoll) -> Leased:
        self.asked.set()
        await self.answer.wait()
        return Leased(request_no=poll.request_no, runs=self.runs)

    def introduce(self, hello: Hello) -> None:
        del hello

    def hello_of(self, session: str) -> Hello | None:
        return Hello(session=session, name="w1", group="default", slots=4, handlers=())

    def forget(self, session: str) -> None:
        del session


@pytest.fixture
def desk() -> ParkedDesk:
    return ParkedDesk()


@pytest.fixture
async def api(stage: Stage, desk: ParkedDesk) -> AsyncIterator[Api]:
    """The API with the worker protocol."""
    service = WorkerService(stage.services, desk)
    async with opened_api(stage, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        yield api


def beat(number: int) -> bytes:
    return msgspec.json.encode(Beat(session="nobody", beat_no=number, settled=0, held=()))


async def says(api: Api, path: str, content: bytes) -> httpx2.Response:
    return await api.ask("POST", path, content=content)


async def calls(caller: Api, path: str, number: int) -> httpx2.Response:
    """A beat of a worker, or a claim of a program."""
    if path == BEAT:
        return await says(caller, BEAT, beat(number))
    return await caller.ask("PUT", f"{path}{number}", {"ttl": 60})


async def revoke(api: Api, *, of: Api) -> None:
    token = (await api.get("/tokens")).json()["items"]
    (mine,) = [one for one in token if one["name"].startswith(("worker-", "lock-"))]
    assert of.token is not None
    assert (await api.ask("DELETE", f"/tokens/{mine['name']}")).status_code == 200


async def test_the_next_beat_of_a_revoked_worker_is_refused(api: Api) -> None:
    worker = await api.with_scopes("worker")
    for number in range(3):
        assert (await says(worker, BEAT, beat(number))).status_code == 200
    await revoke(api, of=worker)
    refused = await says(worker, BEAT, beat(4))  # not a microsecond later by the stage's clock
    assert (refused.status_code, refused.json()["code"]) == (401, "FOL-4002")


@pytest.mark.parametrize(("scope", "path"), [("worker", BEAT), ("lock", CLAIM)])
async def test_calls_that_come_together_share_a_look_that_begins_after_them(
    api: Api, stage: Stage, scope: str, path: str
) -> None:
    caller = await api.with_scopes(scope)
    assert (await calls(caller, path, 0)).status_code == 200
    await api.get("/tokens")  # whoever is known does not wait behind a token that is looked up for the first time
    real = stage.services.store.tokens.find
    looks = 0
    read, go_on = asyncio.Event(), asyncio.Event()

    async def counted(token_hash: str, *, urgent: bool = False) -> Any:
        nonlocal looks
        looks += 1
        found = await real(token_hash, urgent=urgent)
        if looks == 1:
            read.set()
            await go_on.wait()  # what it read is old by the time it is told
        return found

    object.__setattr__(stage.services.store.tokens, "find", counted)
    early = asyncio.create_task(calls(caller, path, 1))
    await asyncio.wait_for(read.wait(), 30)
    object.__setattr__(stage.services.store.tokens, "find", real)
    await revoke(api, of=caller)
    object.__setattr__(stage.services.store.tokens, "find", counted)
    late = [asyncio.create_task(calls(caller, path, number)) for number in range(2, 40)]
    await soon(lambda: len(api.app.state.authenticator._next) == 1, within_s=30, what="they wait for the next look")
    go_on.set()
    assert (await early).status_code == 200, "it was asked before the token was revoked"
    assert {(await one).status_code for one in late} == {401}
    assert looks < 10, "38 calls at once must not be 38 looks"


async def test_only_who_was_good_lately_is_looked_up_on_urgent_connections(api: Api, stage: Stage) -> None:
    """A flood of made-up tokens does not queue before firing (R11)."""
    worker = await api.with_scopes("worker")
    real = stage.services.store.tokens.find
    looks: list[bool] = []

    async def noted(token_hash: str, *, urgent: bool = False) -> Any:
        looks.append(urgent)
        return await real(token_hash, urgent=urgent)

    object.__setattr__(stage.services.store.tokens, "find", noted)
    for number in range(2):
        assert (await says(worker, BEAT, beat(number))).status_code == 200
    assert looks == [False, True]
    looks.clear()
    strangers = [worker.as_token(f"made-up-{number}") for number in range(20)]
    answers = await asyncio.gather(*(says(stranger, BEAT, beat(9)) for stranger in strangers))
    assert {answer.status_code for answer in answers} == {401}
    assert looks == [False] * 20


async def test_a_parked_poll_does_not_outlive_its_token_and_its_runs_wait_for_the_end_of_the_session(
    api: Api, stage: Stage, desk: ParkedDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_protocol, "PARKED_S", 0.0)
    await api.create_job("pay", on_lost="fail")
    anne = await stage.worker("anne", ["python:jobs:pay"])
    worker = await api.with_scopes("worker")
    poll = msgspec.json.encode(LeasePoll(session=anne.session, request_no=1, free=1, settled=0, wait_us=10_000_000))
    parked = asyncio.create_task(says(worker, LEASE, poll))
    await asyncio.wait_for(desk.asked.wait(), 30)
    await revoke(api, of=worker)
    run = await stage.trigger("pay")
    leased = await anne.lease()
    assert leased is not None
    desk.runs = (leased,)
    desk.answer.set()
    assert (await parked).status_code == 401
    shown = (await api.get(f"/runs/{run}")).json()
    assert shown["state"] == "RUNNING", "nobody knows whether it was begun: only the reaper ends it (R5)"


@pytest.mark.parametrize(
    ("path", "query"), [("/events", {}), ("/runs/{run}/logs", {"follow": True}), ("/runs/{run}", {"wait": 30})]
)
async def test_a_stream_ends_with_its_token(api: Api, stage: Stage, path: str, query: dict[str, Any]) -> None:
    await api.create_job("greet")
    run = await stage.trigger("greet")
    reader = await api.with_scopes("read")
    stream = asyncio.create_task(reader.ask("GET", path.format(run=run), **query))
    await soon(lambda: stage.clock.waits, within_s=30, what="it was let in, and waits for news")
    assert not stream.done()
    (mine,) = [one for one in (await api.get("/tokens")).json()["items"] if one["name"].startswith("read-")]
    await api.ask("DELETE", f"/tokens/{mine['name']}")
    stage.elapse("3s")
    ended = await asyncio.wait_for(stream, 30)
    assert ended.status_code == 200
