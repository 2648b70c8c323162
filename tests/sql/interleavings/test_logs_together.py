"""Two servers write the same part of a log, and one of them has more of it: nothing of it is lost (S5)."""

import asyncio

import pytest

from foliot.domain.run import Landing
from tests.conformance.run_logs import log_chunk, log_text, running
from tests.sql.interleavings.halting import halting, patient, until_blocked
from tests.sql.world import World

pytestmark = pytest.mark.services


async def test_a_repeat_that_goes_further_is_kept_whole(postgres_world: World) -> None:
    """A worker sends again what was not answered, with lines that came since; the first server has not committed."""
    world = postgres_world
    anne, run = await running(world)
    halt = await halting(world, "logs.written")
    await halt.start(halt.store.runs.write_logs(anne.session, [log_chunk(run, "one\n")]))
    second = await patient(world)
    again = asyncio.create_task(second.runs.write_logs(anne.session, [log_chunk(run, "one\ntwo\n")]))
    await until_blocked(world, again)
    assert list(await halt.finish()) == [Landing.RECORDED]
    assert list(await again) == [Landing.RECORDED]
    assert await log_text(world, run.run_id) == "one\ntwo\n"
