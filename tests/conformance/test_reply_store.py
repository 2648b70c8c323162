"""Remembered answers: one request of a key is answered, its repeats get the same, others are told."""

import asyncio

import pytest

from foliot.domain.instants import DAY, MINUTE
from foliot.ports.store.replies import Claimed, OtherRequest, Replayed, Reply, ReplyStore, StillRunning
from tests.conformance.world import World

ANSWER = Reply(status=201, headers={"etag": '"v1"'}, body='{"name": "结算"}')


@pytest.fixture
def replies(world: World) -> ReplyStore:
    return world.store.replies


async def ask(
    replies: ReplyStore, claim: str, request: str = "same"
) -> Claimed | Replayed | StillRunning | OtherRequest:
    return await replies.claim("key", request, claim, keep_us=DAY, give_up_us=MINUTE)


async def test_of_many_at_once_one_is_the_first(replies: ReplyStore) -> None:
    answers = await asyncio.gather(*(ask(replies, f"c{i}") for i in range(5)))
    assert sum(isinstance(answer, Claimed) for answer in answers) == 1
    assert sum(isinstance(answer, StillRunning) for answer in answers) == 4


async def test_a_repeat_gets_the_same_answer_and_another_body_none(replies: ReplyStore) -> None:
    assert await ask(replies, "c1") == Claimed(claim="c1")
    assert isinstance(await ask(replies, "c2", "other"), OtherRequest)
    await replies.keep("key", "c1", ANSWER)
    assert await ask(replies, "c3") == Replayed(reply=ANSWER)
    assert isinstance(await ask(replies, "c4", "other"), OtherRequest)


async def test_a_request_that_failed_may_be_made_again(replies: ReplyStore) -> None:
    await ask(replies, "c1")
    await replies.release("key", "c1")
    assert await ask(replies, "c2") == Claimed(claim="c2")
    await replies.keep("key", "c1", ANSWER)  # a late answer of the first changes nothing
    assert isinstance(await ask(replies, "c3"), StillRunning)


async def test_the_claim_of_a_dead_server_is_taken_over(world: World, replies: ReplyStore) -> None:
    await ask(replies, "c1")
    await world.elapse(2 * MINUTE)
    assert await ask(replies, "c2") == Claimed(claim="c2")


async def test_answers_are_kept_for_their_time(world: World, replies: ReplyStore) -> None:
    await ask(replies, "c1")
    await replies.keep("key", "c1", ANSWER)
    await world.elapse(DAY - MINUTE)
    assert isinstance(await ask(replies, "c2"), Replayed)
    assert await replies.forget(older_us=DAY, limit=10) == 0
    await world.elapse(2 * MINUTE)
    assert await ask(replies, "c3", "other") == Claimed(claim="c3")
    await world.elapse(2 * DAY)
    assert await replies.forget(older_us=DAY, limit=10) == 1
