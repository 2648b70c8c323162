"""Backfills on every engine: one for each request, and none that holds up the others."""

import asyncio
from dataclasses import replace
from typing import Final

import pytest

from foliot.domain.instants import MINUTE
from foliot.ports.store import Store
from foliot.ports.store.backfills import NewBackfill, Selection
from foliot.ports.store.jobs import JobRecord
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet
from tests.conformance.building import every, make_unreadable, runs_of
from tests.sql.world import World


@pytest.fixture
def store(world: World) -> Store:
    return world.store


async def wanted(world: World, job: JobRecord, *, count: int = 3, request_key: str | None = None) -> NewBackfill:
    """A backfill of the latest minutes of a job."""
    now = await world.now()
    instants = [(now // MINUTE - n) * MINUTE for n in range(count, 0, -1)]
    return NewBackfill(
        job_id=job.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=Selection.ALL,
        parallel=count, newest_first=False, instants=instants, created_by="ops", reason="", request_key=request_key,
    )  # fmt: skip


async def test_a_request_makes_one_backfill_however_often_it_comes(world: World, store: Store) -> None:
    new = await wanted(world, await every(world, "tick", "1m", overlap="allow"), request_key="a" * 64)
    assert await store.backfills.asked("a" * 64) is None
    other = await world.open()
    first = await store.backfills.add(new)
    assert await other.backfills.add(replace(new, reason="again")) == first
    assert await other.backfills.asked("a" * 64) == first
    together = replace(new, request_key="b" * 64)
    one, two = await asyncio.gather(store.backfills.add(together), other.backfills.add(together))
    assert one == two
    assert one.id != first.id
    without = [await store.backfills.add(replace(new, request_key=None)) for _ in range(2)]
    found = {row.id for row in await store.backfills.list(namespace=None, limit=10)}
    assert found == {first.id, one.id, *(row.id for row in without)}
    assert len(found) == 4


async def test_a_job_that_cannot_be_read_here_holds_up_no_other_backfill(world: World, store: Store) -> None:
    """As in a rolling upgrade: a newer server saved what this one does not know."""
    jobs = [await every(world, name, "1m", overlap="allow") for name in ("bad", "good")]
    bad, _ = [await store.backfills.add(await wanted(world, job)) for job in jobs]
    await make_unreadable(world, jobs[0])
    older = await world.open()
    assert await older.backfills.advance(limit=20) == 3
    assert await older.backfills.advance(limit=20) == 0
    assert (len(await runs_of(world, "good")), await runs_of(world, "bad")) == (3, [])
    assert (await store.backfills.get(bad.id)).inserted == 0
    assert await store.backfills.advance(limit=20) == 3  # who can read it goes on with it


RUN: Final = """
    INSERT INTO runs (job_id, version, fire_key, shard, open_children, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, attempt, created_at)
    SELECT 7, 1, d.fire_key, d.shard, 0, d.due_at, 1, 1, 1, 5, 1, 1, 0, 0, d.state, 1, 1, 1 FROM {d}
"""
RUNS: Final = RowSet("d", fire_key=TEXT, shard=BIGINT, due_at=BIGINT, state=TEXT)
NEW_DIGIT: Final = 10**15  # an instant of 2001


async def test_what_is_taken_is_all_of_a_long_range_by_its_newest_runs(world: World, store: Store) -> None:
    early, late = NEW_DIGIT - 2 * MINUTE, NEW_DIGIT + 5500 * MINUTE
    instants = range(early, late, MINUTE)
    runs = [(f"s:{at}", -1, at, "FAILED" if n % 7 else "SUCCEEDED") for n, at in enumerate(instants)]
    others = [("s:99", -1, 99, "FAILED"), (f"s:{early}", 0, early, "RUNNING")]  # long ago; a shard
    await world.change(RUN, RUNS, rows={"d": [*runs, *others]})
    again = [
        ("b:1:x", -1, early, "SUCCEEDED"),
        ("b:2:x", -1, late - MINUTE, "CANCELLED"),
        ("b:3:x", -1, late, "FAILED"),
    ]
    await world.change(RUN, RUNS, rows={"d": again})
    expected = {at: state for _, _, at, state in [*runs, *again[:2]]}
    assert await store.backfills.taken(7, from_at=early, to_at=late) == expected
    assert await store.backfills.taken(7, from_at=early + 1, to_at=early + MINUTE + 1) == {
        early + MINUTE: expected[early + MINUTE]
    }
    assert await store.backfills.taken(7, from_at=0, to_at=100) == {99: "FAILED"}
    later = {at: state for at, state in expected.items() if at > NEW_DIGIT + MINUTE}
    assert await store.backfills.taken(7, from_at=NEW_DIGIT + MINUTE + 1, to_at=late) == later
    assert await store.backfills.taken(8, from_at=early, to_at=late) == {}
