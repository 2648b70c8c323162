"""Run logs: in order, once, fenced, capped."""

from msgspec.structs import replace

from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.ports.store.shard_logs import PieceKey
from tests.conformance.building import save
from tests.conformance.run_logs import log_chunk, log_text, running, write_log
from tests.conformance.working import trigger, worker
from tests.conformance.world import World


async def test_chunks_are_read_back_in_order(world: World) -> None:
    anne, run = await running(world)
    first, second = "first line\n", "zweite Zeile: äöü 中文 🎉\n"
    assert await write_log(anne, log_chunk(run, first)) == [Landing.RECORDED]
    assert await write_log(anne, log_chunk(run, second, len(first.encode()))) == [Landing.RECORDED]
    assert await log_text(world, run.run_id) == first + second
    assert await log_text(world, run.run_id, offset=len(first)) == second
    assert await log_text(world, run.run_id, attempt=2) == ""


async def test_several_at_once(world: World) -> None:
    anne, run = await running(world)
    await trigger(world)
    other = await anne.lease_one()
    assert (
        await write_log(anne, log_chunk(run, "a"), log_chunk(other, "b"), log_chunk(run, "c", 1))
        == [Landing.RECORDED] * 3
    )
    assert await log_text(world, run.run_id) == "ac"
    assert await log_text(world, other.run_id) == "b"
    assert await write_log(anne) == []


async def test_a_repeat_is_recognised_also_when_it_goes_further(world: World) -> None:
    anne, run = await running(world)
    await write_log(anne, log_chunk(run, "one"))
    assert await write_log(anne, log_chunk(run, "one")) == [Landing.ALREADY]
    assert await write_log(anne, log_chunk(run, "one two")) == [Landing.RECORDED]
    assert await log_text(world, run.run_id) == "one two"


async def test_a_worker_that_came_again_writes_what_its_last_session_left(world: World) -> None:
    """R17: results go with their logs, and both by the lease id."""
    _, run = await running(world)
    again = await worker(world)
    assert await write_log(again, log_chunk(run, "left on disk")) == [Landing.RECORDED]
    assert await log_text(world, run.run_id) == "left on disk"


async def test_only_the_holder_writes(world: World) -> None:
    """S5: a log write whose lease is not the run's present one changes nothing."""
    anne, run = await running(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    ben = await worker(world)
    forged = replace(log_chunk(run, "forged"), lease_id="0" * 32)
    assert await write_log(ben, forged) == [Landing.FENCED]
    await write_log(anne, log_chunk(run, "mine"))
    await anne.complete(run, cause=Cause.ERROR, error="x")
    assert await write_log(anne, log_chunk(run, " too late", 4)) == [Landing.FENCED]
    await world.elapse(2_000_000)
    again = await ben.lease_one()
    assert await write_log(anne, log_chunk(run, " zombie", 4)) == [Landing.FENCED]
    await write_log(ben, log_chunk(again, "second try"))
    assert await log_text(world, run.run_id, attempt=1) == "mine"
    assert await log_text(world, run.run_id, attempt=2) == "second try"
    assert await log_text(world, run.run_id) == "minesecond try"


async def test_text_that_no_store_keeps_is_written_so_that_it_can(world: World) -> None:
    anne, run = await running(world)
    assert await write_log(anne, log_chunk(run, "a\0b\ud800c")) == [Landing.RECORDED]
    assert await log_text(world, run.run_id) == "a?b?c"


async def test_what_is_new_in_the_logs_of_shards_is_found_and_how_far_each_goes(world: World) -> None:
    await save(world, "tick", shards=2)
    (parent,) = await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(8)
    lookups = world.store.lookups
    assert await lookups.shard_log_ends(parent, attempt=None) == []
    await write_log(anne, log_chunk(one, "a\n"), log_chunk(two, "bb\n"))
    await write_log(anne, log_chunk(one, "cc\n", 2))
    news = await lookups.shard_log_news(parent, attempt=None, from_at=0, limit=10)
    assert [(piece.run_id, piece.offset, piece.before_end, piece.is_last) for piece in news] == [
        (one.run_id, 0, 0, False),
        (two.run_id, 0, 0, True),
        (one.run_id, 2, 2, True),
    ]
    last = news[-1].written_at
    assert await lookups.shard_log_news(parent, attempt=None, from_at=last, limit=10) == news[2:]
    assert await lookups.shard_log_news(parent, attempt=None, from_at=0, limit=1) == news[:1]
    assert await lookups.shard_log_news(parent, attempt=2, from_at=0, limit=10) == []
    ends = await lookups.shard_log_ends(parent, attempt=None)
    assert sorted(end.at for end in ends) == [(one.run_id, 1, 5), (two.run_id, 1, 3)]
    places = [PieceKey(one.run_id, 1, 2), PieceKey(two.run_id, 1, 3)]
    assert await lookups.shard_log_behind(places, limit=10) == news[2:]
    texts = await lookups.shard_log_texts([piece.key for piece in news])
    assert list(texts.values()) == [b"a\n", b"cc\n", b"bb\n"]
