"""Calendars: versions that never change, pinned by the jobs that use them; a new one takes effect by an edit (S1)."""

import asyncio

import pytest

from foliot.domain.instants import HOUR, isoformat
from foliot.domain.schedule.errors import UnknownCalendar
from foliot.ports.store.calendars import CalendarInUse, CalendarStore
from tests.conformance.building import CLOSED, DECIDE, NS, PERSON, PLANS, definition, save, skips_of
from tests.conformance.world import World


@pytest.fixture
def calendars(world: World) -> CalendarStore:
    return world.store.calendars


async def test_versions_only_grow_and_the_same_content_is_no_new_one(calendars: CalendarStore) -> None:
    first = await calendars.save("ours", CLOSED, by=PERSON)
    again = await calendars.save("ours", CLOSED, by=PERSON)
    second = await calendars.save("ours", {"exclude": ["2026-12-30"]}, by=PERSON)
    assert (first.version, again.version, second.version) == (1, 1, 2)
    found = await calendars.find(["ours", "ours@1", "ours@9", "theirs", "ours@x"])
    assert {pin: row.version for pin, row in found.items()} == {"ours": 2, "ours@1": 1}
    assert found["ours@1"].document == CLOSED
    assert [row.name for row in await calendars.list()] == ["ours"]


async def test_many_who_save_at_once_make_one_version_each(world: World, calendars: CalendarStore) -> None:
    other = (await world.open()).calendars
    documents = [{"exclude": [f"2026-12-{day}"]} for day in range(10, 16)]
    saved = await asyncio.gather(
        *((calendars if n % 2 else other).save("ours", document, by=PERSON) for n, document in enumerate(documents))
    )
    assert sorted(row.version for row in saved) == [1, 2, 3, 4, 5, 6]
    assert len(await calendars.list()) == 1


async def test_a_job_is_pinned_to_the_newest_and_the_ledger_heeds_it(world: World, calendars: CalendarStore) -> None:
    with pytest.raises(UnknownCalendar):
        await save(world, "tick", schedule={"every": "1h", "calendar": "ours"})
    now = await world.now()
    closed = {"from": isoformat(now - HOUR), "to": isoformat(now + HOUR + HOUR // 60), "why": "moving"}
    await calendars.save("ours", {"blackouts": [closed]}, by=PERSON)
    job = await save(world, "tick", schedule={"every": "1h", "calendar": "ours"})
    assert job.document["schedule"]["calendar"] == "ours@1"
    same = await world.store.jobs.save(
        NS, "tick", definition(job="tick", schedule={"every": "1h", "calendar": "ours"}), by=PERSON, plans=PLANS
    )
    assert same.outcome == "same"  # written without its pin it is still the same
    await world.elapse(3 * HOUR)
    fresh = await world.open()  # a server that has not seen the definition yet
    await fresh.firing.decide_due(DECIDE, limit=10)
    told = [(skip.reason, skip.why) for skip in await skips_of(world, job)]
    assert ("blackout", "ours: moving") in told


async def test_who_is_behind_is_told_page_by_page(world: World, calendars: CalendarStore) -> None:
    for name in ("a", "b"):
        await calendars.save(name, CLOSED, by=PERSON)
    for n in range(3):
        both = [{"every": "1h", "calendar": "a"}, {"every": "2h", "calendar": "b"}]
        await save(world, f"job-{n}", schedule=both if n == 1 else both[n // 2])
    await calendars.save("b", {"exclude": ["2026-12-29"]}, by=PERSON)
    await save(world, "newer", schedule={"every": "1h", "calendar": "b"})
    for name in ("a", "b"):
        await calendars.save(name, {"exclude": ["2026-12-30"]}, by=PERSON)
    all_at_once = list(await calendars.outdated(limit=10))
    assert [(use.calendar, use.pinned, use.job) for use in all_at_once] == [
        ("a", 1, "job-0"),
        ("a", 1, "job-1"),
        ("b", 1, "job-1"),
        ("b", 1, "job-2"),
        ("b", 2, "newer"),
    ]
    paged = list(await calendars.outdated(limit=1))
    while page := await calendars.outdated(limit=1, after=paged[-1]):
        paged += page
    assert paged == all_at_once


async def test_who_is_behind_is_told_and_an_edit_takes_the_newest(world: World, calendars: CalendarStore) -> None:
    await calendars.save("ours", CLOSED, by=PERSON)
    await save(
        world, "tick", schedule=[{"every": "1h", "calendar": "ours"}, {"cron": "0 2 * * *", "calendar": "weekdays"}]
    )
    await save(world, "other", schedule={"every": "1h"})
    assert await calendars.outdated(limit=10) == []
    await calendars.save("ours", {"exclude": ["2026-12-30"]}, by=PERSON)
    (use,) = await calendars.outdated(limit=10)
    assert (use.job, use.calendar, use.pinned) == ("tick", "ours", 1)
    assert await calendars.users("ours", limit=10) == [(NS, "tick", 1)]
    await world.store.jobs.save(
        NS, "tick", definition(job="tick", schedule=use.document["schedule"]), by=PERSON, plans=PLANS
    )
    assert await calendars.outdated(limit=10) == []
    assert await calendars.users("ours", limit=10) == [(NS, "tick", 2)]


async def test_a_calendar_in_use_stays(world: World, calendars: CalendarStore) -> None:
    await calendars.save("ours", CLOSED, by=PERSON)
    await save(world, "tick", schedule={"every": "1h", "calendar": "ours"})
    with pytest.raises(CalendarInUse, match="used by tick"):
        await calendars.delete("ours")
    await world.store.jobs.delete(NS, "tick", plans=PLANS)
    assert await calendars.delete("ours")
    assert not await calendars.delete("ours")
    assert await calendars.find(["ours"]) == {}
    assert (await calendars.save("ours", CLOSED, by=PERSON)).version == 2
