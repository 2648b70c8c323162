"""A routed backlog is assigned a little ahead of the leases, not as a whole."""

import pytest

from foliot.store.sql.leasing import full_lanes
from tests.conformance.building import every, runs_of, save
from tests.conformance.routing import assign, lease, team
from tests.conformance.test_routed_fires import come_due, fire_routed
from tests.conformance.working import trigger
from tests.sql.world import World

STEP = 10
ENOUGH, MOST = 30, 60
RUNS = 90


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes that are full with few runs."""
    monkeypatch.setattr(full_lanes, "ENOUGH", ENOUGH)
    monkeypatch.setattr(full_lanes, "MOST", MOST)
    monkeypatch.setattr(full_lanes, "ENOUGH_PER_SLOT", 0)
    monkeypatch.setattr(full_lanes, "MOST_PER_SLOT", 0)


async def assigned_in_all(world: World) -> int:
    """Assign until a step says that it can do no more; how many runs got a worker."""
    runs = 0
    for _ in range(RUNS):
        step = await assign(world, limit=STEP)
        runs += step.runs
        assert step.runs or not step.more, "more means that something was decided"
        if not step.more:
            return runs
    raise AssertionError("it does not come to an end")


async def test_assigning_stops_when_every_worker_has_enough_and_goes_on_when_some_were_leased(world: World) -> None:
    await save(world, "tick", place={"route": "round"})
    workers = await team(world, 2)
    await trigger(world, n=RUNS)
    assert await assigned_in_all(world) == ENOUGH
    assert (await assign(world, limit=STEP)).runs == 0
    assert len(await lease(workers[0], 8)) == 8
    assert await assigned_in_all(world) == STEP
    leased = 8
    while got := len(await lease(workers[0], 100)) + len(await lease(workers[1], 100)):
        leased += got
        await assigned_in_all(world)
    assert leased == RUNS, "nothing stays behind"


async def test_an_idle_worker_does_not_wait_behind_one_that_hangs(world: World) -> None:
    """All runs so far are the first one's; the other has nothing to do until the lane has most that it may have."""
    await save(world, "tick", place={"route": "first"})
    await save(world, "tock", place={"route": "last"})
    anne, bert = await team(world, 2)
    await trigger(world, n=ENOUGH + 5)
    await trigger(world, "tock")
    assert await assigned_in_all(world) == ENOUGH + 6
    assert len(await lease(bert)) == 1
    await trigger(world, n=MOST)
    waiting = ENOUGH + 5 + await assigned_in_all(world)
    assert MOST <= waiting < MOST + STEP
    assert len(await lease(anne, 100)) == waiting


async def test_fires_are_assigned_with_their_insert_though_a_lane_has_enough(world: World) -> None:
    """Each would have to be written twice more if it were assigned later."""
    await every(world, "tick", "1s", place={"route": "round"}, overlap="allow")
    await every(world, "tock", "1s", place={"route": "round"}, overlap="allow")
    await team(world, 2)
    await trigger(world, n=ENOUGH + 5)
    assert await assigned_in_all(world) == ENOUGH
    await come_due(world, "tock")
    await fire_routed(world)
    fired = await runs_of(world, "tock")
    assert fired
    assert all(run.assigned_to is not None for run in fired)
