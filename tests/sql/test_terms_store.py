"""What the leader writes lands under its term alone (R16); who is no leader gives no term."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from foliot.domain.instants import DAY, HOUR
from foliot.ports.store.journal import Happening, Topic
from tests.conformance.building import PERSON, ask, every, fire, make_due, save
from tests.conformance.test_backfill_store import wanted
from tests.conformance.working import lead, trigger, worker
from tests.sql.world import World

Prepare = Callable[[World], Awaitable[None]]
Act = Callable[[World, int | None], Awaitable[Any]]


async def _an_old_run(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    await world.elapse(2 * DAY)


async def _forget(world: World, term: int | None) -> Any:
    deleted, _ = await world.store.runs.forget(before=await world.now() - DAY, after_id=0, limit=10, term=term)
    return deleted


async def _a_wrong_limit(world: World) -> None:
    await save(world, "tick", place={"concurrency": {"db": 9}})
    await world.change("UPDATE limits SET used = 7")


async def _recount(world: World, term: int | None) -> Any:
    return await world.store.runs.recount_limits(term=term)


async def _a_delay_that_waits_for_nothing(world: World) -> None:
    await make_due(world, await save(world, schedule={"every": "10s", "from_end": True}))
    await fire(world)
    await world.change("UPDATE runs SET state = 'FAILED', ver = ver + 1, ended_at = 1")


async def _a_move_that_was_left(world: World) -> None:
    job = await save(world, "tick", overlap="queue_all")
    for key in "ab":
        await world.store.runs.trigger(ask(key=key))
    await save(world, "tick", overlap="queue_all", timeout="1m")
    await world.change("UPDATE runs SET version = 1")
    await world.change("UPDATE jobs SET moving = 2 WHERE id = :id", id=job.job_id)


async def _repair(world: World, term: int | None) -> Any:
    return await world.store.jobs.repair(limit=10, term=term)


async def _a_backfill(world: World) -> None:
    job = await every(world, "tick", "1m", overlap="allow")
    await world.store.backfills.add(await wanted(world, job))


async def _advance(world: World, term: int | None) -> Any:
    return await world.store.backfills.advance(limit=10, term=term)


async def _nothing(world: World) -> None: ...


async def _note(world: World, term: int | None) -> Any:
    happening = Happening(key="node.joined:a", topic=Topic.NODES, kind="node.joined", subject="a", data={})
    await world.store.journal.note([happening], term=term)
    return await world.value("SELECT count(*) FROM events")


async def _an_old_event(world: World) -> None:
    await _note(world, None)
    await world.elapse(HOUR)


async def _forget_events(world: World, term: int | None) -> Any:
    return await world.store.journal.forget(before=await world.now() - HOUR // 2, limit=10, term=term)


async def _an_old_reply(world: World) -> None:
    await world.store.replies.claim("key", "request", "c1", keep_us=DAY, give_up_us=HOUR)
    await world.elapse(2 * DAY)


async def _forget_replies(world: World, term: int | None) -> Any:
    return await world.store.replies.forget(older_us=DAY, limit=10, term=term)


async def _an_older_calendar(world: World) -> None:
    await world.store.calendars.save("ours", {"exclude": ["2026-12-29"]}, by=PERSON)
    await save(world, "tick", schedule={"every": "1h", "calendar": "ours"})
    await world.store.calendars.save("ours", {"exclude": ["2026-12-30"]}, by=PERSON)


async def _outdated(world: World, term: int | None) -> Any:
    return len(await world.store.calendars.outdated(limit=10, term=term))


@pytest.mark.parametrize(
    ("prepare", "act"),
    [
        (_an_old_run, _forget),
        (_a_wrong_limit, _recount),
        (_a_delay_that_waits_for_nothing, _repair),
        (_a_move_that_was_left, _repair),
        (_a_backfill, _advance),
        (_nothing, _note),
        (_an_old_event, _forget_events),
        (_an_old_reply, _forget_replies),
        (_an_older_calendar, _outdated),
    ],
)
async def test_what_a_leader_does_after_its_term_changes_nothing(world: World, prepare: Prepare, act: Act) -> None:
    old = await lead(world, session="a")
    await prepare(world)
    await world.elapse(HOUR)
    new = await lead(world, session="b")
    assert new > old
    assert not await act(world, old)
    assert await act(world, new), "there was nothing to do"


@pytest.mark.parametrize(
    ("prepare", "act"),
    [(_an_old_run, _forget), (_a_backfill, _advance), (_nothing, _note), (_an_older_calendar, _outdated)],
)
async def test_who_does_not_lead_needs_no_term(world: World, prepare: Prepare, act: Act) -> None:
    await lead(world)
    await prepare(world)
    assert await act(world, None)
