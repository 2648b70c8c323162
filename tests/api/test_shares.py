"""SEC-23, SEC-32: nobody takes what others need. Places, streams, bytes and looks at the store are shared."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from foliot.api.auth.strangers import LOOKS_AT_ONCE, SLOWED_MAX, WRONG_MAX
from foliot.api.bodies import KIB, SMALL
from foliot.api.gate import Gate, GateKind
from foliot.api.worker_protocol import BATCH_BODY_MAX, worker_routes
from foliot.domain.shares import Shares
from foliot.operations.worker_service import WorkerService
from foliot.ports.store.errors import StoreUnavailable
from tests.api.asking import Api, opened_api
from tests.api.calling import NEVER, Call, under_way
from tests.api.stage import Stage
from tests.api.test_revoking import ParkedDesk
from tests.eventually import soon

JOBS, LOGIN, EVENTS = "/api/v1/jobs", "/api/v1/login", "/api/v1/events"
BEAT, COMPLETE = "/api/worker/v1/heartbeat", "/api/worker/v1/complete"
SOME = 100 * KIB


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    """The API with the worker protocol and room for eight requests at once."""
    service = WorkerService(stage.services, ParkedDesk())
    async with opened_api(stage, at_once_max=8, plain_routes=lambda known: worker_routes(service, known.worker)) as api:
        yield api


@pytest.fixture
async def hasty(stage: Stage) -> AsyncIterator[Api]:
    """The same, soon tired of a body."""
    service = WorkerService(stage.services, ParkedDesk())
    async with opened_api(
        stage, body_within_s=0.05, plain_routes=lambda known: worker_routes(service, known.worker)
    ) as api:
        yield api


def gate_of(api: Api) -> Gate:
    gate = api.app.state.gate
    assert isinstance(gate, Gate)
    return gate


def slow(api: Api, path: str = JOBS, **how: Any) -> Call:
    """A request whose body begins and never ends."""
    return Call(api.app, "POST", path, (b"{", NEVER), **how)


async def status(api: Api, method: str, path: str, token: str | None, **how: Any) -> int | None:
    return (await Call(api.app, method, path, token=token, **how).made()).status


# ------------------------------------------------------------------------------------------------------------ requests


async def test_a_token_takes_half_of_the_places_and_others_get_in(api: Api) -> None:
    other = await api.with_scopes("read")
    async with under_way(*(slow(api, token=api.token) for _ in range(4))):
        refused = await Call(api.app, "GET", JOBS, token=api.token).made()
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "FOL-4006", "1")
        assert await status(api, "GET", JOBS, other.token) == 200
        assert api.app.state.refused == {"requests": 1}
    assert await status(api, "GET", JOBS, api.token) == 200, "what was taken is given back"
    assert gate_of(api).shares[GateKind.REQUESTS].taken == 0


async def test_the_refusal_is_told_in_chinese_as_well(api: Api) -> None:
    async with under_way(*(slow(api, token=api.token) for _ in range(4))):
        chinese = {"accept-language": "zh"}
        refused = await Call(api.app, "GET", JOBS, token=api.token, headers=chinese).made()
    assert json.loads(refused.body)["detail"] == "同时的请求过多；1 秒后可再试。"


async def test_probes_and_metrics_answer_while_every_place_is_taken(api: Api) -> None:
    tokens = [api.token, *[(await api.with_scopes("write")).token for _ in range(7)]]
    calls = [slow(api, token=token) for token in tokens]
    async with under_way(*calls):
        assert gate_of(api).shares[GateKind.REQUESTS].taken == 8
        assert await status(api, "GET", JOBS, (await api.with_scopes("read")).token) == 429
        assert await status(api, "GET", "/healthz", None) == 200
        assert await status(api, "GET", "/readyz", None) == 200
        assert await status(api, "GET", "/metrics", api.token) == 200


async def test_slow_bodies_without_a_token_take_nothing_from_those_who_have_one(api: Api) -> None:
    for _ in range(100):
        assert await status(api, "POST", JOBS, None, pieces=(b"{", NEVER)) == 401
    logins = [slow(api, LOGIN) for _ in range(40)]
    async with under_way(*logins):
        assert sum(call.status == 429 for call in logins) == 24, "one address has half of 32"
        assert await status(api, "GET", JOBS, api.token) == 200
        assert await status(api, "GET", "/readyz", None) == 200
        elsewhere = await Call(api.app, "POST", LOGIN, (b'{"code": "x"}',), address="10.0.0.9").made()
        assert elsewhere.code == "FOL-4003"
        neighbour = await Call(api.app, "POST", LOGIN, (b'{"code": "x"}',), address="::ffff:127.0.0.1").made()
        assert neighbour.code == "FOL-4006", "the same address in other words"


async def test_a_filter_that_looks_like_a_stream_is_none(api: Api) -> None:
    """`?q=follow=` once counted among the thousand that only wait."""
    async with under_way(*(slow(api, token=api.token) for _ in range(4))):
        assert await status(api, "GET", f"{JOBS}?q=follow=&owner=wait=", api.token) == 429


async def test_a_body_that_trickles_is_not_waited_for(hasty: Api) -> None:
    for path, scope in ((JOBS, "write"), (BEAT, "worker"), (COMPLETE, "worker")):
        asker = await hasty.with_scopes(scope)
        call = await slow(hasty, path, token=asker.token).made()
        assert (call.status, call.code, call.headers["connection"]) == (408, "FOL-1086", "close"), path
    assert (await slow(hasty, LOGIN).made()).status == 408


# ------------------------------------------------------------------------------------------------------------- streams


async def test_one_token_cannot_take_all_streams(api: Api) -> None:
    gate_of(api).shares[GateKind.STREAMS] = Shares(4)
    other = await api.with_scopes("read")
    mine = [Call(api.app, "GET", EVENTS, token=api.token) for _ in range(2)]
    theirs = Call(api.app, "GET", EVENTS, token=other.token)
    async with under_way(*mine):
        await soon(lambda: [call.status for call in mine] == [200, 200], within_s=30, what="both streams began")
        refused = await Call(api.app, "GET", EVENTS, token=api.token).made()
        assert (refused.status, refused.code) == (429, "FOL-4006")
        assert await status(api, "GET", JOBS, api.token) == 200, "streams take no place of those who work"
        async with under_way(theirs):
            await soon(lambda: theirs.status == 200, within_s=30, what="theirs began")
    assert gate_of(api).shares[GateKind.STREAMS].taken == 0


# --------------------------------------------------------------------------------------------------------------- bytes


async def test_the_bytes_of_bodies_are_shared(api: Api) -> None:
    gate_of(api).shares[GateKind.BODIES] = Shares(4 * SOME)
    other = await api.with_scopes("write")
    async with under_way(*(slow(api, token=api.token, length=SOME) for _ in range(2))):
        refused = await Call(api.app, "POST", JOBS, (b"{}",), token=api.token, length=SOME).made()
        assert (refused.status, refused.code, refused.asked) == (429, "FOL-4006", 0)
        small = await Call(api.app, "POST", JOBS, (b"{}",), token=api.token, length=2).made()
        assert small.status == 422, "what is small is not counted"
        theirs = await Call(api.app, "POST", JOBS, (b"{}",), token=other.token, length=SOME).made()
        assert theirs.status == 422
    assert gate_of(api).shares[GateKind.BODIES].taken == 0


async def test_messages_of_workers_are_bounded_together_and_beats_do_not_wait_behind_them(api: Api) -> None:
    gate_of(api).shares[GateKind.WORKER_BODIES] = Shares(4 * SOME)
    worker = await api.with_scopes("worker")
    beat = json.dumps({"session": "s", "beat_no": 1, "settled": 0, "held": []}).encode()
    async with under_way(*(slow(api, COMPLETE, token=worker.token, length=SOME) for _ in range(2))):
        refused = await Call(api.app, "POST", COMPLETE, (b"{}",), token=worker.token, length=SOME).made()
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "FOL-4006", "1")
        large = beat + b" " * SOME
        assert await status(api, "POST", BEAT, worker.token, pieces=(large,), length=len(large)) == 200
        other = await api.with_scopes("worker")
        assert await status(api, "POST", COMPLETE, other.token, pieces=(b"{}",), length=SOME) == 422
    assert gate_of(api).shares[GateKind.WORKER_BODIES].taken == 0
    assert gate_of(api).shares[GateKind.BEATS].taken == 0


async def test_a_message_that_does_not_say_how_long_it_is_is_counted_as_it_comes(api: Api) -> None:
    gate_of(api).shares[GateKind.WORKER_BODIES] = Shares(1024 * KIB)
    worker = await api.with_scopes("worker")
    pieces = tuple(b"x" * SMALL for _ in range(100))
    call = await Call(api.app, "POST", COMPLETE, pieces, token=worker.token).made()
    assert (call.status, call.code) == (429, "FOL-4006")
    assert call.asked < 12
    too_large = await Call(api.app, "POST", COMPLETE, token=worker.token, length=BATCH_BODY_MAX + 1).made()
    assert (too_large.status, too_large.code) == (413, "FOL-1081")


# ----------------------------------------------------------------------------------------------------------- strangers


class Looks:
    """The store's looks for tokens, which wait until they are let go on."""

    def __init__(self, stage: Stage) -> None:
        self.under_way = 0
        self.most = 0
        self.go_on = asyncio.Event()
        self._real = stage.services.store.tokens.find
        object.__setattr__(stage.services.store.tokens, "find", self.find)

    async def find(self, token_hash: str, **how: Any) -> Any:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if not how.get("urgent"):
                await self.go_on.wait()
            return await self._real(token_hash, **how)
        finally:
            self.under_way -= 1


async def test_made_up_tokens_are_looked_up_in_turn_and_known_ones_do_not_wait_for_them(api: Api, stage: Stage) -> None:
    worker = await api.with_scopes("worker")
    beat = json.dumps({"session": "s", "beat_no": 1, "settled": 0, "held": []}).encode()
    assert await status(api, "POST", BEAT, worker.token, pieces=(beat,)) == 200
    looks = Looks(stage)
    made_up = [
        asyncio.create_task(status(api, "GET", JOBS, f"fol_{at}", address=f"10.0.{at % 4}.1")) for at in range(40)
    ]
    await soon(lambda: looks.under_way == LOOKS_AT_ONCE, within_s=30, what="two are looked up")
    assert await status(api, "POST", BEAT, worker.token, pieces=(beat,)) == 200, "a beat overtakes them all"
    looks.go_on.set()
    assert set(await asyncio.gather(*made_up)) == {401}
    assert looks.most == LOOKS_AT_ONCE + 1


async def test_wrong_tokens_are_answered_slowly_and_good_ones_of_the_same_address_are_not(
    api: Api, stage: Stage
) -> None:
    for at in range(WRONG_MAX):
        assert await status(api, "GET", JOBS, f"fol_{at}") == 401
    before = stage.clock.waits
    assert await status(api, "GET", JOBS, "fol_one-more") == 401
    assert stage.clock.waits == before + 1, "it had to wait"
    assert await status(api, "GET", JOBS, "fol_elsewhere", address="10.0.0.9") == 401
    fresh = await api.with_scopes("read")  # never seen by this server
    assert await status(api, "GET", JOBS, fresh.token) == 200
    assert stage.clock.waits == before + 1, "nobody else had to"
    stage.elapse("61s")
    assert await status(api, "GET", JOBS, "fol_later") == 401
    assert stage.clock.waits == before + 1


async def test_a_flood_of_wrong_tokens_is_refused_and_holds_no_more_than_its_share(
    api: Api, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, release = 0, asyncio.Event()

    async def wait(wake: asyncio.Event, *, for_s: float) -> bool:
        nonlocal waiting
        waiting += 1
        await release.wait()
        return False

    for at in range(WRONG_MAX):
        await status(api, "GET", JOBS, f"fol_{at}")
    monkeypatch.setattr(stage.clock, "wait", wait)
    flood = [asyncio.create_task(status(api, "GET", JOBS, f"fol_x{at}")) for at in range(SLOWED_MAX)]
    refused = await asyncio.gather(*await done_first(flood, SLOWED_MAX // 2))
    assert refused == [429] * (SLOWED_MAX // 2)
    assert waiting == SLOWED_MAX // 2
    release.set()
    assert sorted(map(str, await asyncio.gather(*flood))) == ["401"] * (SLOWED_MAX // 2) + ["429"] * (SLOWED_MAX // 2)


async def done_first(tasks: list["asyncio.Task[int | None]"], count: int) -> list["asyncio.Task[int | None]"]:
    await soon(lambda: sum(task.done() for task in tasks) == count, within_s=60, what=f"{count} are answered")
    return [task for task in tasks if task.done()]


async def test_a_store_that_is_away_makes_no_token_wrong(api: Api, stage: Stage) -> None:
    fresh = await api.with_scopes("read")
    real = stage.services.store.tokens.find

    async def away(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("gone")

    object.__setattr__(stage.services.store.tokens, "find", away)
    for _ in range(3 * WRONG_MAX):
        assert await status(api, "GET", JOBS, fresh.token) == 503
    object.__setattr__(stage.services.store.tokens, "find", real)
    before = stage.clock.waits
    assert await status(api, "GET", JOBS, fresh.token) == 200
    assert await status(api, "GET", JOBS, "fol_wrong") == 401
    assert stage.clock.waits == before


# -------------------------------------------------------------------------------------------------------------- logins


async def login(api: Api, code: str, address: str) -> int | None:
    body = json.dumps({"code": code}).encode()
    return await status(api, "POST", LOGIN, None, pieces=(body,), address=address)


async def test_who_guesses_codes_locks_nobody_else_out(api: Api, stage: Stage) -> None:
    code = (await api.post("/login-codes")).json()["code"]
    tries = [await login(api, f"AAAA-BBBB-CC{at:02}", "2001:db8::1") for at in range(12)]
    assert tries == [401] * 10 + [429] * 2
    assert await login(api, "AAAA-BBBB-DDDD", "2001:db8::ffff") == 429, "the same network"
    assert await login(api, "AAAA-BBBB-DDDD", "2001:db8:0:1::1") == 401, "another"
    assert await login(api, code, "10.0.0.9") == 200


async def test_a_right_code_gets_in_from_an_address_where_others_guess(api: Api, stage: Stage) -> None:
    """All may come by one proxy: the address is slow then, not shut."""
    code = (await api.post("/login-codes")).json()["code"]
    for at in range(12):
        await login(api, f"AAAA-BBBB-CC{at:02}", "10.0.0.9")
    assert await login(api, code, "10.0.0.9") == 429
    stage.elapse("4s")
    assert await login(api, code, "10.0.0.9") == 200


async def test_the_same_wrong_code_again_is_no_further_guess(api: Api) -> None:
    """A browser that opens an old link again and again."""
    assert [await login(api, "AAAA-BBBB-CCCC", "10.0.0.9") for _ in range(15)] == [401] * 15
    assert await login(api, "AAAA-BBBB-DDDD", "10.0.0.9") == 401
