"""Fifty thousand runs behind one serial run slow no other job: what a lease reads, not how long it takes."""

import pytest

from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.leasing import candidates
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.explaining import Hot, Loaded, explain
from tests.sql.rows import run_of, runs_of
from tests.sql.world import World

pytestmark = [pytest.mark.services, pytest.mark.slow]

BEHIND = 50_000

LINE_UP = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT job_id, version, 'm:' || n, -1, due_at, not_before, lane, class, priority, serial, place + n, 1, follow,
           'PENDING', 1, created_at
    FROM runs, generate_series(CAST(1 AS bigint), 50000) AS s(n) WHERE id = :head
"""


async def _rows_read(world: World, lane: int, session: str) -> int:
    """By a lease of ten runs of this lane, from the database's own account of what it did."""
    hot = Hot(
        name="take",
        statement=candidates.TAKE,
        uses=frozenset(),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda _: {"k": [(lane, 0, 5, 0, 10)], "s": [(session,)]},
    )

    def work(tx: Tx) -> int:
        explained = explain(tx, hot, Loaded(now=tx.now()), generic=False)
        assert "runs_ready" in explained.indexes, explained.text
        return explained.rows

    return await world.database.transact(work)


async def test_a_long_line_is_not_read(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "long", overlap="queue_all")
    (head,) = await trigger(world, "long")
    anne = await worker(world)
    running = await anne.lease_one()
    assert await world.change(LINE_UP, head=head) == BEHIND
    await save(world, "other")  # the same handler, so the same lane
    ids = await trigger(world, "other", 3)
    lane = (await runs_of(world, "other"))[0]["lane"]
    assert lane == (await run_of(world, head))["lane"]
    await world.database.read(lambda tx: tx.connection.exec_driver_sql("VACUUM ANALYZE runs"))

    assert await _rows_read(world, lane, anne.session) <= 10
    assert [run.run_id for run in await anne.lease(8)] == ids

    await anne.complete(running)  # the next comes up, one of fifty thousand
    (following,) = await anne.lease(8)
    assert (await run_of(world, following.run_id))["place"] == (await run_of(world, head))["place"] + 1
    assert await anne.lease(8) == ()

    # Naive: in the ready index all the same, each is read and refused by the rule of the line, at every lease.
    await world.change("UPDATE runs SET parked = 0 WHERE state = 'PENDING'")
    await world.database.read(lambda tx: tx.connection.exec_driver_sql("VACUUM ANALYZE runs"))
    assert await _rows_read(world, lane, anne.session) >= BEHIND - 1
    assert await anne.lease(8) == ()  # slow, and still right
