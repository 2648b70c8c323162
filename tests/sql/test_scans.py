"""Scans of due cursors begin where the last one found something, and look at everything once a minute (R9)."""

import asyncpg
import pytest

from foliot.domain.instants import HOUR, MINUTE, SECOND, Instant, Micros
from foliot.ports.store.firing import Decided
from foliot.store.sql.kernel.scans import FULL_SCAN_EVERY_US, LOOK_BACK_US, NEVER, ScanBound
from tests.conformance.building import every, fire, make_due
from tests.sql.rows import cursor_of
from tests.sql.world import World

NOON: Instant = 12 * HOUR


def bound_after(*looks: tuple[Micros, Micros]) -> Instant:
    """The bound after scans, each of which saw so much before or after noon, at a time so long after noon."""
    bound = ScanBound()
    for least, at in looks:
        bound.saw(NOON + least, NOON + at)
    return bound.low


@pytest.mark.parametrize(
    ("looks", "low"),
    [
        ([], NEVER),
        ([(0, 0)], NEVER),
        ([(0, 0), (SECOND, SECOND)], NOON + SECOND - LOOK_BACK_US),
        ([(0, 0), (SECOND, SECOND), (-HOUR, 2 * SECOND)], NOON - HOUR - LOOK_BACK_US),
        ([(0, 0), (FULL_SCAN_EVERY_US, FULL_SCAN_EVERY_US)], NEVER),
        ([(0, 0), (SECOND, SECOND), (-HOUR, -HOUR)], NEVER),
    ],
    ids=["at first", "after one", "from the second on", "what waits long", "once a minute", "after a step back"],
)
def test_where_the_next_scan_begins(looks: list[tuple[Micros, Micros]], low: Instant) -> None:
    assert bound_after(*looks) == low


async def test_what_stands_far_behind_the_last_fire_is_found_within_a_minute(world: World) -> None:
    jobs = [await every(world, name, "1s", overlap="allow") for name in ("a", "b")]

    async def second() -> Decided:
        await world.elapse(SECOND)
        return await fire(world)

    await world.elapse(2 * SECOND)
    await fire(world)
    assert (await second()).taken == 2
    await world.change("UPDATE cursors SET next_at = next_at - :us WHERE job_id = :id", us=MINUTE, id=jobs[0].job_id)
    seconds = 0
    while (await second()).taken < 2:
        seconds += 1
        assert seconds <= 60
    assert seconds > 30, "the bound held until then"
    assert (await cursor_of(world, jobs[0]))["next_at"] > await world.now() - 2 * SECOND


@pytest.mark.services
async def test_the_pulse_goes_on_to_see_what_another_server_holds(postgres_world: World) -> None:
    world = postgres_world
    held = await every(world, "held", "1s")
    await every(world, "tick", "1s", overlap="allow")
    await make_due(world, held)
    other = await asyncpg.connect(world.url)
    holding = other.transaction()
    await holding.start()
    await other.execute("SELECT 1 FROM cursors WHERE job_id = $1 FOR UPDATE", held.job_id)
    try:
        for _ in range(5):
            await world.elapse(LOOK_BACK_US)
            assert (await fire(world)).taken == 1
            assert (await world.store.firing.pulse()).next_at == held.next_at
    finally:
        await holding.rollback()
        await other.close()
