"""A store's schema: made by migrations, equal to the tables the code knows, refused when it does not fit."""

from foliot.domain.instants import HOUR, MINUTE
from foliot.store.sql import schema
from foliot.store.sql.schema import SchemaState
from tests.conformance.world import World


async def test_a_migrated_store_is_current(world: World) -> None:
    found = await schema.check(world.database)
    assert found.state is SchemaState.CURRENT
    assert (found.revision, found.pending) == (found.head, ())
    assert await schema.plan(world.database) == ""


async def test_store_time_passes_when_a_test_says_so(world: World) -> None:
    before = await world.now()
    await world.elapse(HOUR)
    assert HOUR <= await world.now() - before < HOUR + MINUTE
