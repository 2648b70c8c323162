"""A rate over a long time and three servers: never faster than it says, and within one percent as fast."""

import asyncio
from typing import Any, Final

import pytest

from foliot.domain.instants import MILLISECOND, SECOND
from foliot.domain.limits import LimitKind
from foliot.domain.rates import Bucket, Rate
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.world import World

RATE: Final = 10  # a second; its burst is as many
LASTS: Final = 40 * SECOND
STEP: Final = 740 * MILLISECOND  # from one lease of all three to the next; no multiple of the pace


@pytest.mark.parametrize(
    "place",
    [{"rate": f"{RATE}/s"}, {"rate": f"{RATE}/s", "rate_by": "customer"}, {}],
    ids=["of a job", "of a key", "of a group"],
)
async def test_three_servers_that_lease_at_once_start_as_many_runs_as_a_rate_says_within_one_percent(
    world: World, place: dict[str, Any]
) -> None:
    await save(world, place=place)
    if not place:
        bucket = Bucket.of(Rate(RATE, SECOND))
        await world.store.limits.set_scope(LimitKind.GROUP, "default", max_=None, bucket=bucket, is_rate_kept=False)
    await trigger(world, n=RATE * LASTS // SECOND + 3 * RATE, params='{"customer": "acme"}')
    stores = [world.store, await world.open(), await world.open()]
    workers = [await worker(world, store) for store in stores]
    starts: list[int] = []
    began_at = await world.now()
    step = 0
    while await world.now() - began_at < LASTS:
        await asyncio.gather(*(store.firing.unpark_keyed() for store in stores))
        leased = await asyncio.gather(*(one.lease(100) for one in workers))
        starts += [(await world.now()) - began_at] * sum(map(len, leased))
        await asyncio.gather(*(one.complete(*runs) for one, runs in zip(workers, leased, strict=True)))
        await world.elapse(STEP)
        await workers[step % 3].beat()
        step += 1
    lasted_s = starts[-1] / SECOND
    assert len(starts) <= RATE + lasted_s * RATE * 1.01, "its burst, and what the time allows"
    assert len(starts) >= 0.99 * lasted_s * RATE
