"""The worker's link over HTTP: whatever comes back that is not in the protocol is a server that is away."""

import asyncio
import threading
import time

import pytest

from foliot.client.errors import ServerAway
from foliot.client.worker_http import BEAT_SHARE, HttpWorkerLink, Refused
from foliot.domain.errors import Denied
from foliot.ports.worker_link import Beat, Hello, LeasePoll
from tests.eventually import soon
from tests.unit.client.answering import LOST, Answer, Answering

BEAT = Beat(session="s", beat_no=1, settled=0, held=())
POLL = LeasePoll(session="s", request_no=1, free=1, settled=0, wait_us=0)
HELLO = Hello(session="s", name="w", group="default", slots=1, handlers=(), labels={}, version="", pid=1, host="")
NONSENSE = [
    LOST,
    Answer(text="<html>log in to the hotel's network</html>"),
    Answer(text='{"request_no": 1, "runs": [', breaks_off=True),
    Answer(text='{"request_no": "one"}'),
    Answer(text=""),
]


@pytest.mark.parametrize("answer", NONSENSE, ids=["lost", "page", "cut short", "other types", "empty"])
async def test_nonsense_is_no_answer(server: Answering, answer: Answer) -> None:
    server.say(answer)
    link = HttpWorkerLink([server.url], "token")
    try:
        with pytest.raises(ServerAway):
            await link.lease(POLL)
        with pytest.raises(ServerAway):
            link.beat(BEAT)
        server.say(Answer(body={"request_no": 1}))
        assert (await link.lease(POLL)).runs == ()
        server.say(Answer(body={"alive": True}))
        assert link.beat(BEAT).alive
    finally:
        await link.close()


async def test_a_redirect_is_not_followed(server: Answering, other_server: Answering) -> None:
    """Results, logs and the token are for the servers that the worker was told of."""
    server.say(Answer(status=307, headers={"location": f"{other_server.url}/api/worker/v1/lease"}))
    link = HttpWorkerLink([server.url], "token")
    try:
        with pytest.raises(ServerAway, match="307"):
            await link.lease(POLL)
        with pytest.raises(ServerAway, match="307"):
            link.beat(BEAT)
    finally:
        await link.close()
    assert other_server.asked == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 422, 502, 503])
async def test_a_no_that_is_not_foliots_is_no_answer(server: Answering, status: int) -> None:
    """An ingress without a backend, a firewall, another program on the port: none of them speaks for the store."""
    link = HttpWorkerLink([server.url, "http://127.0.0.1:1"], "token")
    try:
        for answer in (Answer(status=status, text="<html>default backend</html>"), Answer(status=status, body={})):
            server.say(answer)
            while link.server != server.url:  # whoever spoke, the next call goes to another server
                with pytest.raises(ServerAway):
                    await link.lease(POLL)
            with pytest.raises(ServerAway, match=str(status)):
                await link.lease(POLL)
            assert link.server != server.url
    finally:
        await link.close()


async def test_foliots_own_no_is_told_apart(server: Answering) -> None:
    link = HttpWorkerLink([server.url], "token")
    try:
        server.say(Answer(status=422, body={"code": "FOL-1040", "detail": "Not in the protocol."}))
        with pytest.raises(Refused) as refusal:
            await link.complete("s", [])
        assert (refusal.value.status, refusal.value.data["code"]) == (422, "FOL-1040")
        said = {"code": "FOL-4007", "detail": "Not with this token.", "hint": "another token: …"}
        server.say(Answer(status=403, body=said))
        with pytest.raises(Denied, match=r"Not with this token\. \(another token: …\)"):
            await link.complete("s", [])
        server.say(Answer(status=413, text="<html>too large</html>"))  # a proxy's limit is one all the same
        with pytest.raises(Refused) as refusal:
            await link.complete("s", [])
        assert refusal.value.status == 413
    finally:
        await link.close()


def test_the_beats_of_two_sessions_do_not_share_a_connection(server: Answering) -> None:
    """One may still hang in its call when the next begins."""
    link = HttpWorkerLink([server.url], "token")
    hanging, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> Answer:
        hanging.set()
        assert go_on.wait(60)
        return Answer(body={"alive": False})

    server.say(slow, Answer(body={"alive": True}))
    answers: list[bool] = []
    old = threading.Thread(target=lambda: answers.append(link.beat(BEAT).alive))
    old.start()
    assert hanging.wait(60)
    assert link.beat(BEAT).alive
    go_on.set()
    old.join(60)
    assert answers == [False]


async def test_a_call_that_is_given_up_goes_where_the_next_beat_goes(server: Answering) -> None:
    """Not away from a server that is well, to the one whose silence was noticed (F10)."""
    hanging, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> Answer:
        hanging.set()
        assert go_on.wait(60)
        return LOST

    silent = "http://127.0.0.1:1"
    server.say(slow)
    link = HttpWorkerLink([silent, server.url], "token")
    try:
        with pytest.raises(ServerAway):
            await link.lease(POLL)
        assert link.server == server.url
        call = asyncio.create_task(link.lease(POLL))
        await soon(hanging.is_set)
        with pytest.raises(ServerAway):
            link.beat(BEAT)
        call.cancel()
        await asyncio.wait({call})
        assert link.server == server.url
    finally:
        go_on.set()
        await link.close()


@pytest.mark.slow
async def test_a_server_that_keeps_silent_does_not_cost_the_session(server: Answering) -> None:
    """The next one is asked while the session is still trusted, however short its ttl is (F10)."""
    go_on = threading.Event()
    ttl_us, margin_us = 6_000_000, 1_200_000
    server.say(Answer(body=welcome(ttl_us, margin_us)))
    link = HttpWorkerLink([server.url], "token")
    try:
        await link.register(HELLO)
        server.say(lambda _: Answer(body={"alive": go_on.wait(60)}), Answer(body={"alive": True}))
        began_at = time.monotonic()
        with pytest.raises(ServerAway):
            link.beat(BEAT)
        took_us = (time.monotonic() - began_at) * 1_000_000
        assert took_us < ttl_us, "it waited as long as for a session of the usual length"
        assert (1 / 3 + BEAT_SHARE) * ttl_us < ttl_us - margin_us
        assert link.beat(BEAT).alive
    finally:
        go_on.set()
        await link.close()


def welcome(ttl_us: int, margin_us: int) -> dict[str, int]:
    return {"session_ttl_us": ttl_us, "beat_every_us": ttl_us // 3, "margin_us": margin_us, "store_now": 0}
