"""Run logs in the tables: how they are kept."""

import pytest

from foliot.domain.run import Landing
from foliot.store.sql.ending import logs
from tests.conformance.run_logs import log_chunk, log_text, running, write_log
from tests.sql.world import World


async def test_a_run_keeps_so_much_and_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "BYTES_MAX", 1000)
    monkeypatch.setattr(logs, "CHUNK_BYTES_MAX", 300)
    anne, run = await running(world)
    text = "ä" * 400
    await write_log(anne, log_chunk(run, text))
    assert await log_text(world, run.run_id) == text  # in chunks that cut no letter
    assert await write_log(anne, log_chunk(run, text, 800)) == [Landing.RECORDED]
    assert await write_log(anne, log_chunk(run, text, 1600)) == [Landing.RECORDED]  # taken and thrown away
    kept = await log_text(world, run.run_id)
    assert kept == "ä" * 500 + logs.CUT
    assert await world.value("SELECT count(*) FROM run_logs") > 3


async def test_chunks_are_kept_compressed(world: World) -> None:
    anne, run = await running(world)
    await write_log(anne, log_chunk(run, "the same line again\n" * 5000))
    assert await world.value("SELECT length(body) FROM run_logs") < 2000
