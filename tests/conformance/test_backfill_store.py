"""Backfills on every engine: one for each request, and none that holds up the others."""

import asyncio
from dataclasses import replace

import pytest

from foliot.domain.instants import MINUTE
from foliot.ports.backfills import NewBackfill, Selection
from foliot.ports.store import JobRecord
from foliot.store.sql.people import SqlRecords
from tests.conformance.building import every
from tests.conformance.world import World


@pytest.fixture
def records(world: World) -> SqlRecords:
    return SqlRecords.of(world.store)


async def wanted(world: World, job: JobRecord, *, count: int = 3, request_key: str | None = None) -> NewBackfill:
    """A backfill of the latest minutes of a job."""
    now = await world.now()
    instants = [(now // MINUTE - n) * MINUTE for n in range(count, 0, -1)]
    return NewBackfill(
        job_id=job.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=Selection.ALL,
        parallel=count, newest_first=False, instants=instants, created_by="ops", reason="", request_key=request_key,
    )  # fmt: skip


async def test_a_request_makes_one_backfill_however_often_it_comes(world: World, records: SqlRecords) -> None:
    new = await wanted(world, await every(world, "tick", "1m", overlap="allow"), request_key="a" * 64)
    assert await records.backfills.asked("a" * 64) is None
    other = SqlRecords.of(await world.open())
    first = await records.backfills.add(new)
    assert await other.backfills.add(replace(new, reason="again")) == first
    assert await other.backfills.asked("a" * 64) == first
    together = replace(new, request_key="b" * 64)
    one, two = await asyncio.gather(records.backfills.add(together), other.backfills.add(together))
    assert one == two
    assert one.id != first.id
    without = [await records.backfills.add(replace(new, request_key=None)) for _ in range(2)]
    found = {row.id for row in await records.backfills.list(namespace=None, limit=10)}
    assert found == {first.id, one.id, *(row.id for row in without)}
    assert len(found) == 4
