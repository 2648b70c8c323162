"""Run logs: in order, once, fenced, capped."""

from typing import Any

from msgspec.structs import replace

from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import LeasedRun, LogChunk
from tests.conformance.building import save
from tests.conformance.working import Worker, trigger, worker
from tests.conformance.world import World


def _chunk(run: LeasedRun, text: str, offset: int = 0) -> LogChunk:
    return LogChunk(run_id=run.run_id, lease_id=run.lease_id, attempt=run.attempt, offset=offset, text=text)


async def _write(one: Worker, *chunks: LogChunk) -> list[Landing]:
    return list(await one.store.runs.write_logs(one.session, chunks))


async def _text(world: World, run_id: int, *, attempt: int | None = None, offset: int = 0) -> str:
    chunks = await world.store.lookups.logs(run_id, attempt=attempt, offset=offset)
    return "".join(chunk.text for chunk in chunks)


async def _running(world: World, **document: Any) -> tuple[Worker, LeasedRun]:
    await save(world, "tick", **document)
    await trigger(world)
    anne = await worker(world)
    return anne, await anne.lease_one()


async def test_chunks_are_read_back_in_order(world: World) -> None:
    anne, run = await _running(world)
    first, second = "first line\n", "zweite Zeile: äöü 中文 🎉\n"
    assert await _write(anne, _chunk(run, first)) == [Landing.RECORDED]
    assert await _write(anne, _chunk(run, second, len(first.encode()))) == [Landing.RECORDED]
    assert await _text(world, run.run_id) == first + second
    assert await _text(world, run.run_id, offset=len(first)) == second
    assert await _text(world, run.run_id, attempt=2) == ""


async def test_several_at_once(world: World) -> None:
    anne, run = await _running(world)
    await trigger(world)
    other = await anne.lease_one()
    assert await _write(anne, _chunk(run, "a"), _chunk(other, "b"), _chunk(run, "c", 1)) == [Landing.RECORDED] * 3
    assert await _text(world, run.run_id) == "ac"
    assert await _text(world, other.run_id) == "b"
    assert await _write(anne) == []


async def test_a_repeat_is_recognised_also_when_it_goes_further(world: World) -> None:
    anne, run = await _running(world)
    await _write(anne, _chunk(run, "one"))
    assert await _write(anne, _chunk(run, "one")) == [Landing.ALREADY]
    assert await _write(anne, _chunk(run, "one two")) == [Landing.RECORDED]
    assert await _text(world, run.run_id) == "one two"


async def test_a_worker_that_came_again_writes_what_its_last_session_left(world: World) -> None:
    """R17: results go with their logs, and both by the lease id."""
    _, run = await _running(world)
    again = await worker(world)
    assert await _write(again, _chunk(run, "left on disk")) == [Landing.RECORDED]
    assert await _text(world, run.run_id) == "left on disk"


async def test_only_the_holder_writes(world: World) -> None:
    """S5: a log write whose lease is not the run's present one changes nothing."""
    anne, run = await _running(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    ben = await worker(world)
    forged = replace(_chunk(run, "forged"), lease_id="0" * 32)
    assert await _write(ben, forged) == [Landing.FENCED]
    await _write(anne, _chunk(run, "mine"))
    await anne.complete(run, cause=Cause.ERROR, error="x")
    assert await _write(anne, _chunk(run, " too late", 4)) == [Landing.FENCED]
    await world.elapse(2_000_000)
    again = await ben.lease_one()
    assert await _write(anne, _chunk(run, " zombie", 4)) == [Landing.FENCED]
    await _write(ben, _chunk(again, "second try"))
    assert await _text(world, run.run_id, attempt=1) == "mine"
    assert await _text(world, run.run_id, attempt=2) == "second try"
    assert await _text(world, run.run_id) == "minesecond try"


async def test_text_that_no_store_keeps_is_written_so_that_it_can(world: World) -> None:
    anne, run = await _running(world)
    assert await _write(anne, _chunk(run, "a\0b\ud800c")) == [Landing.RECORDED]
    assert await _text(world, run.run_id) == "a?b?c"
