"""Firing: due instants become runs or skips, exactly once, with the cursor that follows."""

from foliot.domain.instants import HOUR
from tests.conformance.building import DECIDE, cursor_of, every, make_due, runs_of
from tests.conformance.world import World


async def test_a_due_job_gets_its_run_and_its_next_instant(world: World) -> None:
    job = await every(world, place={"priority": 7})
    now = await make_due(world, job)
    decided = await world.store.firing.decide_due(DECIDE, limit=10)
    assert (decided.taken, decided.created, decided.skipped, decided.duplicates) == (1, 1, 0, 0)
    (run,) = await runs_of(world)
    assert (run["due_at"], run["state"], run["priority"], run["shard"], run["ver"]) == (
        job.next_due_at,
        "PENDING",
        7,
        -1,
        1,
    )
    assert run["fire_key"] == f"s:{job.next_due_at}"
    assert run["place"] == (await cursor_of(world, job))["cursor_ver"] == 2
    assert (await cursor_of(world, job))["next_at"] == job.next_at + HOUR
    assert now <= decided.now
    assert (await world.store.firing.decide_due(DECIDE, limit=10)).taken == 0
