"""Who starts when there is less room than work (L5). Delays are in simulated time: see `tests.sql.saturated`."""

import pytest

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.late_work import SURPLUS_AFTER
from tests.conformance.building import every, fire, job_of, make_due, save
from tests.sql.saturated import TICK_US, Floor, backfill, floor
from tests.sql.world import World

pytestmark = pytest.mark.slow

HANDLER = "python:jobs:tick"  # of every job here: all of them share one lane
TICK_S = TICK_US / SECOND
STEPS_S = 9 * MINUTE / SECOND  # what priority 10 is ahead of priority 1
RUN_TICKS = 2
SLOTS = 8
ROUTES = ("any", "first")
"""Without a route, and with one that means every run for the same worker."""
PER_TICK = SLOTS // RUN_TICKS  # what can start each tick


async def of_two_priorities(world: World, route: str = "any") -> None:
    for name, priority in (("high", 10), ("low", 1)):
        await save(world, name, run=HANDLER, place={"priority": priority, "route": route})


@pytest.mark.parametrize("route", ROUTES)
async def test_priority_10_waits_less_than_a_tenth_of_what_priority_1_waits(world: World, route: str) -> None:
    """For long there is more work than room, and as much comes as goes."""
    await of_two_priorities(world, route)
    busy = await floor(world, slots=SLOTS, ticks=RUN_TICKS)
    await busy.trigger(*["low"] * 90)
    for _ in range(60):
        await busy.trigger(*["high", "low"] * (PER_TICK // 2))
        await busy.tick()
        await busy.note_waiting()
    high, low = await busy.delays("high"), await busy.delays("low")
    assert busy.least_waiting > SLOTS, "there was more ready than there is room, all the time"
    assert high.p99_s <= low.p99_s / 10, (high.p99_s, low.p99_s)
    assert high.p99_s <= TICK_S + 1


@pytest.mark.parametrize("route", ROUTES)
async def test_low_priority_never_starves(world: World, route: str) -> None:
    """More of priority 10 comes than can start, for ever; and a step is worth a minute, no more."""
    await of_two_priorities(world, route)
    busy = await floor(world, slots=2, ticks=RUN_TICKS)
    await busy.trigger("high", *["low"] * 3)
    for _ in range(240):
        await busy.trigger(*["high"] * (2 if busy.now % 4 == 0 else 1))
        await busy.tick()
    high, low = await busy.delays("high"), await busy.delays("low")
    assert len(low.us) == 3
    assert low.p99_s <= STEPS_S + high.p99_s + 3 * TICK_S, (low.p99_s, high.p99_s)
    waiting = await world.value("SELECT count(*) FROM runs WHERE state = 'PENDING' AND priority = 10")
    assert waiting > 10, "there was always one of priority 10 that waited"


@pytest.mark.parametrize("per_tick", [1, 3])
async def test_a_backfill_of_50000_delays_the_start_of_scheduled_work_by_less_than_twice(
    world: World, per_tick: int
) -> None:
    """Scheduled work needs a quarter or three quarters of the room; a backfill takes as much as it gets.

    The fires come in the middle between two leases, so alone each waits for half a tick; one that waits for a single
    tick more has waited too long. Other work has filled the room before, so that at each tick a part of it comes free.
    """
    jobs = [f"steady-{number}" for number in range(per_tick)]
    for name in jobs:
        await every(world, name, f"{TICK_S:g}s", run=HANDLER, overlap="allow")
    await save(world, "other", run=HANDLER)
    await every(world, "past", "30d", run=HANDLER, overlap="allow")
    await make_due(world, await job_of(world, jobs[0]), late_us=TICK_US // 2)
    busy = await floor(world, slots=SLOTS, ticks=RUN_TICKS)
    for _ in range(10):
        await busy.trigger(*["other"] * (PER_TICK - per_tick))
        await fire(world)
        await busy.tick()
    alone, since = await busy.delays(*jobs), await world.now()
    await backfill(world, "past", count=50_000, parallel=100)
    ticks = 60
    for _ in range(ticks):
        await world.store.backfills.advance(limit=20)
        await fire(world)
        await busy.tick()
    steady, past = await busy.delays(*jobs, since=since), await busy.delays("past")
    assert alone.us[0] >= TICK_US // 2
    assert steady.p99_s < 2 * alone.p99_s
    assert len(steady.us) >= (ticks - 1) * per_tick, "and it does not wait longer and longer"
    left = (PER_TICK - per_tick) * ticks
    assert len(past.us) >= left * 0.9, "the backfill gets what is left"


async def crowd(world: World, n: int) -> Floor:
    """A job with so many waiting triggers, beside one with none."""
    await save(world, "crowd", run=HANDLER)
    await save(world, "neighbour", run=HANDLER)
    busy = await floor(world, slots=SLOTS, ticks=RUN_TICKS)
    for _ in range(n // 50):
        await busy.trigger(*["crowd"] * 50)
    return busy


async def test_a_job_with_many_waiting_triggers_does_not_starve_its_neighbours(world: World) -> None:
    busy = await crowd(world, 500)
    first = SURPLUS_AFTER // PER_TICK
    for _ in range(first):
        await busy.tick()
    for _ in range(40):
        await busy.trigger(*["neighbour"] * 3)
        await busy.tick()
    near = await busy.delays("neighbour")
    assert near.p99_s <= 2 * TICK_S, "half of what starts, and more when it waits, is theirs"
    assert len(near.us) >= 39 * 3
    assert len((await busy.delays("crowd")).us) >= first * PER_TICK + 30, "and the crowd goes on beside them"
    await busy.drain()


async def test_a_run_with_many_shards_does_not_starve_its_neighbours(world: World) -> None:
    await save(world, "crowd", run=HANDLER, shards=500)
    await save(world, "neighbour", run=HANDLER)
    busy = await floor(world, slots=SLOTS, ticks=RUN_TICKS)
    await busy.trigger("crowd")
    first = SURPLUS_AFTER // PER_TICK
    for _ in range(first):
        await busy.tick()
    for _ in range(40):
        await busy.trigger(*["neighbour"] * 3)
        await busy.tick()
    near = await busy.delays("neighbour")
    assert near.p99_s <= 2 * TICK_S
    assert len(near.us) >= 39 * 3
    assert await started_shards(world) >= first * PER_TICK + 30, "and its shards go on beside them"
    await busy.drain()
    rows = await world.rows("SELECT shard, class FROM runs WHERE shard >= 0 ORDER BY leased_at, id")
    assert [row["shard"] for row in rows] == [*range(500)], "in their order"
    assert [row["class"] for row in rows] == [0] * SURPLUS_AFTER + [2] * (500 - SURPLUS_AFTER)


async def started_shards(world: World) -> int:
    found: int = await world.value("SELECT count(*) FROM runs WHERE shard >= 0 AND leased_at IS NOT NULL")
    return found


async def test_a_crowd_that_is_alone_is_not_slowed_and_keeps_its_order(world: World) -> None:
    busy = await crowd(world, 400)
    await busy.drain()
    assert busy.now <= 400 // PER_TICK, "every slot had a run all the time"
    rows = await world.rows("SELECT id, class FROM runs ORDER BY leased_at, id")
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    assert sum(row["class"] == 2 for row in rows) == 400 - SURPLUS_AFTER


async def test_a_crowd_of_high_priority_keeps_its_priority(world: World) -> None:
    await of_two_priorities(world)
    busy = await floor(world, slots=SLOTS, ticks=RUN_TICKS)
    await busy.trigger(*["low"] * 20)
    for _ in range(4):
        await busy.trigger(*["high"] * 50)
    for _ in range(200 // PER_TICK):
        await busy.tick()
    high, low = await busy.delays("high"), await busy.delays("low")
    assert len(low.us) <= PER_TICK, "a lease looks at a part of each kind: the last one may mix two"
    assert len(high.us) + len(low.us) == 200
