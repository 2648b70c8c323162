"""The statements of a page of the ledger, on every engine: states of shards, versions, lanes."""

from foliot.store.sql.people.ledger_page import LAST_TRIES, SHARD_STATES
from tests.conformance.building import PERSON, PLANS, definition
from tests.conformance.working import trigger
from tests.sql.world import World


async def test_shards_are_counted_by_state_for_many_runs_at_once(world: World) -> None:
    await world.store.jobs.save("default", "tick", definition(shards=3), by=PERSON, plans=PLANS)
    parents = await trigger(world, "tick", 2)
    rows = await world.database.transact(lambda tx: tx.rows(SHARD_STATES, d=[(parent,) for parent in parents]))
    assert sorted((row.parent_id, row.state, row.runs) for row in rows) == [(one, "PENDING", 3) for one in parents]
    assert not await world.database.transact(lambda tx: tx.rows(LAST_TRIES, d=[(parent,) for parent in parents]))
