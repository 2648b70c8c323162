"""Calendars in the tables: what an older server or a race leaves there."""

import pytest
import sqlalchemy as sa

from foliot.ports.store.calendars import CalendarStore
from tests.conformance.building import CLOSED, PERSON, fire, make_due, save
from tests.sql.rows import cursor_of
from tests.sql.world import World


@pytest.fixture
def calendars(world: World) -> CalendarStore:
    return world.store.calendars


async def test_a_store_that_fails_at_a_calendar_says_nothing_about_the_definition(
    world: World, calendars: CalendarStore
) -> None:
    await calendars.save("ours", CLOSED, by=PERSON)
    job = await save(world, "tick", schedule={"every": "1h", "calendar": "ours"})
    await make_due(world, job)
    fresh = await world.open()  # nothing is cached there
    await world.change("ALTER TABLE calendars RENAME TO calendars_elsewhere")
    with pytest.raises(sa.exc.DBAPIError):
        await fire(world, fresh)
    await world.change("ALTER TABLE calendars_elsewhere RENAME TO calendars")
    assert (await cursor_of(world, job))["trouble"] is None
    assert (await fire(world, fresh)).created == 1


async def test_a_calendar_that_cannot_be_read_harms_no_other_job(world: World, calendars: CalendarStore) -> None:
    await calendars.save("ours", CLOSED, by=PERSON)
    await calendars.save("theirs", CLOSED, by=PERSON)
    ours = await save(world, "ours", schedule={"every": "1h", "calendar": "ours"})
    theirs = await save(world, "theirs", schedule={"every": "1h", "calendar": "theirs"})
    await make_due(world, ours, theirs)
    await world.change("UPDATE calendars SET document = '{' WHERE name = 'theirs'")
    decided = await fire(world, await world.open())
    assert (decided.created, decided.troubled) == (1, (theirs.job_id,))
    assert (await cursor_of(world, theirs))["trouble"] is not None
    assert (await cursor_of(world, ours))["trouble"] is None
