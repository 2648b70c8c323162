"""The statements of a page of the ledger, on every engine: states of shards, versions, lanes."""

from foliot.domain.instants import MINUTE
from foliot.store.sql.people.ledger_page import LAST_TRIES, OBSTACLES_MAX, SHARD_STATES
from tests.conformance.building import DECIDE, PERSON, PLANS, definition, every, make_due
from tests.conformance.working import trigger
from tests.sql.world import World


async def test_shards_are_counted_by_state_for_many_runs_at_once(world: World) -> None:
    await world.store.jobs.save("default", "tick", definition(shards=3), by=PERSON, plans=PLANS)
    parents = await trigger(world, "tick", 2)
    rows = await world.database.transact(lambda tx: tx.rows(SHARD_STATES, d=[(parent,) for parent in parents]))
    assert sorted((row.parent_id, row.state, row.runs) for row in rows) == [(one, "PENDING", 3) for one in parents]
    assert not await world.database.transact(lambda tx: tx.rows(LAST_TRIES, d=[(parent,) for parent in parents]))


async def test_the_run_in_the_way_is_found_behind_more_shards_than_runs_are_looked_through(world: World) -> None:
    job = await every(world, "tick", "1m", shards=OBSTACLES_MAX)
    await make_due(world, job)
    await world.store.firing.decide_due(DECIDE, limit=10)
    await world.elapse(MINUTE)
    await world.store.firing.decide_due(DECIDE, limit=10)
    await world.elapse(MINUTE)
    await trigger(world, "tick", 1)  # newer than the decision: not in the way
    page = await world.store.lookups.ledger_since(job.job_id, 0, known_version=job.version, limit=10)
    assert [skip.reason for skip in page.skips] == ["overlap"]
    assert [(run.run_id, run.due_at) for run in page.obstacles] == [(page.runs[-1].run_id, job.next_due_at)]
