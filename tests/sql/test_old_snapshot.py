"""An old snapshot held open: leased runs leave entries in the ready index that nobody can clean up, nor reads (R9)."""

import json
import re

import asyncpg
import pytest

from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.scans import LOOK_BACK_US
from foliot.store.sql.leasing import candidates
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.rows import runs_of
from tests.sql.world import World

pytestmark = [pytest.mark.services, pytest.mark.slow]

PASSED = 5_000

PASS_THROUGH = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT job_id, version, 'm:' || n, -1, due_at, not_before - n, lane, class, priority, serial, place, 0, follow,
           'PENDING', 1, created_at
    FROM runs, generate_series(CAST(1 AS bigint), 5000) AS s(n) WHERE id = :like
"""


async def _blocks_read(world: World, lane: int, low: int) -> int:
    """By a lease that begins its scan at `low`."""

    def work(tx: Tx) -> int:
        ready = candidates.TAKE.rendered(tx.dialect)
        values = ready.bind({"now": tx.now()}, {"k": [(lane, 0, 5, low, 10)], "s": [("nobody",)]})
        text = re.sub(r"\$(\d+)", lambda found: _literal(values[int(found[1]) - 1]), ready.text)
        answer = tx.connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}").scalar_one()
        plan = (json.loads(answer) if isinstance(answer, str) else answer)[0]["Plan"]
        return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])

    return await world.database.transact(work)


def _literal(value: object) -> str:
    return str(value) if isinstance(value, int) else f"'{value}'"


async def test_what_was_leased_long_ago_is_not_read_again(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick")
    (first,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    old = await asyncpg.connect(world.url)
    snapshot = old.transaction(isolation="repeatable_read")
    await snapshot.start()
    await old.fetchval("SELECT count(*) FROM runs")  # from here on nothing it can see is cleaned up
    try:
        assert await world.change(PASS_THROUGH, like=first) == PASSED
        while runs := await anne.lease(1000):
            await anne.complete(*runs)
        await world.elapse(60_000_000)
        await anne.beat()
        (fresh,) = await trigger(world)
        lane = (await runs_of(world))[0]["lane"]
        not_before = await world.value("SELECT not_before FROM runs WHERE id = :id", id=fresh)

        naive = await _blocks_read(world, lane, 0)
        bounded = await _blocks_read(world, lane, not_before - LOOK_BACK_US)
        assert naive > 100  # the pages of every dead entry and of its row, at every lease
        assert bounded < 20
        assert [run.run_id for run in await anne.lease(8)] == [fresh]
    finally:
        await snapshot.rollback()
        await old.close()
