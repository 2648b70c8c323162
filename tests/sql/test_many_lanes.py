"""Thousands of lanes: a lease looks at what waits in those it may serve, and never at more than it can at once."""

import pytest

from foliot.domain.job import Lane
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet
from foliot.store.sql.leasing import limits
from foliot.store.sql.leasing.run_kinds import CROWD_MIN, KINDS_MAX
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.asked import Asked
from tests.sql.rows import run_of
from tests.sql.world import World

MANY = 2 * CROWD_MIN + KINDS_MAX
FIRST = 1000

SPREAD = """
    INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
    SELECT r.job_id, r.version, d.fire_key, -1, r.due_at, r.not_before, d.lane, r.class, r.priority, 0,
           r.place + d.lane, 0, r.follow, 'PENDING', 1, r.created_at
    FROM runs r JOIN {d} ON true WHERE r.id = :like
"""
SPREAD_SET = RowSet("d", lane=BIGINT, fire_key=TEXT)


async def _spread(world: World, like: int) -> list[int]:
    """One more run like this in each of many lanes; the lanes."""
    lanes = [FIRST + n for n in range(MANY)]
    await world.change(SPREAD, SPREAD_SET, rows={"d": [(lane, f"m:{lane}") for lane in lanes]}, like=like)
    return lanes


async def test_lanes_of_others_cost_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await save(world, "tick", overlap="allow")
    first, second, third = await trigger(world, n=3)
    anne = await worker(world)
    lane = (await run_of(world, first))["lane"]
    asked = Asked(monkeypatch)
    assert [run.run_id for run in await anne.lease(1, lanes=[lane])] == [first]
    alone = asked.times.total()
    await _spread(world, like=second)
    await anne.lease(1, lanes=[lane])  # now they are known, where a server remembers them
    asked.forget()
    assert [run.run_id for run in await anne.lease(1, lanes=[lane])] == [third]
    assert asked.times.total() <= alone + 2


async def test_leases_take_turns_at_more_lanes_than_one_can_look_at(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, "tick", overlap="allow")
    (first,) = await trigger(world)
    lanes = [(await run_of(world, first))["lane"], *await _spread(world, like=first)]
    anne = await worker(world)
    asked = Asked(monkeypatch)
    leased: list[int] = []
    while found := await anne.lease(100, lanes=lanes):
        leased += [(await run_of(world, run.run_id))["lane"] for run in found]
        lease_cost = asked.times.total() - len(found)
        assert lease_cost <= 5 * KINDS_MAX
        assert max(asked.rows.values()) <= CROWD_MIN, "what a lease looks at is bounded"
        asked.forget()
    assert sorted(leased) == sorted(lanes)


async def test_who_serves_few_lanes_is_not_kept_waiting_by_a_crowd_in_others(world: World) -> None:
    await save(world, "tick", overlap="allow")
    (first,) = await trigger(world)
    crowd = await _spread(world, like=first)
    anne, bert = await worker(world), await worker(world)
    await anne.lease(1, lanes=crowd)  # it is known as a crowd, where a server remembers kinds
    for lane in (crowd[-1], crowd[len(crowd) // 2]):
        found = await bert.lease(1, lanes=[lane])
        assert [(await run_of(world, run.run_id))["lane"] for run in found] == [lane]


async def test_limits_of_jobs_with_nothing_to_do_are_not_asked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await save(world, "tick", overlap="allow", place={"max_running": 5})
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.lease(1)
    ids = [FIRST + n for n in range(MANY)]
    idle = {at: Lane(group="default", offer="python:jobs:tick", limits=(f"job:{at}",)) for at in ids}
    monkeypatch.setattr(world.store.runs._leasing._lanes, "_known", {**world.store.runs._leasing._lanes._known, **idle})
    asked = Asked(monkeypatch)
    known = list(await world.store.jobs.lanes())
    assert len(await anne.lease(1, lanes=[*known, *ids])) == 1
    assert asked.rows[limits.ROOM] == 1
