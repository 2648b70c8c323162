"""What the leader writes lands under its term alone (R16); who is no leader gives no term."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.util import await_only

from foliot.domain.instants import DAY, HOUR
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.store.sql.kernel.dialects.mariadb import MariaDB
from tests.conformance.building import PERSON, ask, every, fire, make_due, save, wanted_backfill
from tests.conformance.working import lead, trigger, worker
from tests.sql.statements import statements
from tests.sql.world import UNHURRIED, World

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
    await world.store.backfills.add(await wanted_backfill(world, job))


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


async def _an_old_skip_and_a_dead_session(world: World) -> None:
    await worker(world)
    await world.change("UPDATE nodes SET state = 'dead', until = 1")
    await world.change(
        "INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, version, decided_at) "
        "VALUES (1, 'x:1', 1, 1, 1, 'overlap', '', 1, 1)"
    )


async def _forget_beside_runs(world: World, term: int | None) -> Any:
    await _forget(world, term)
    left = await world.value("SELECT (SELECT count(*) FROM skips) + (SELECT count(*) FROM nodes)")
    return left == 0


async def _a_job_of_an_older_server(world: World) -> None:
    await save(world, "tick")
    await world.change("UPDATE jobs SET from_end = NULL")


async def _learn(world: World, term: int | None) -> Any:
    await _repair(world, term)
    return await world.value("SELECT count(*) FROM jobs WHERE from_end IS NOT NULL")


@pytest.mark.parametrize(
    ("prepare", "act"),
    [
        (_an_old_run, _forget),
        (_an_old_skip_and_a_dead_session, _forget_beside_runs),
        (_a_job_of_an_older_server, _learn),
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


@asynccontextmanager
async def _a_leader_that_renews_before_each_commit(world: World, renewals: list[int | None]) -> AsyncIterator[World]:
    """The same database for a leader whose every transaction stays open until it has renewed its lease elsewhere."""
    renewing = await world.open(limits=replace(UNHURRIED, lock_s=1))

    def renew(place: str) -> None:
        if place.endswith(".done"):
            term = await_only(renewing.nodes.campaign("leader", ttl_us=SESSION_TTL_US))
            renewals.append(term.number if term else None)

    leader = World(world.url)
    try:
        await leader.open(point=renew)
        yield leader
    finally:
        await leader.close()


@pytest.mark.services
@pytest.mark.parametrize("store_url", ["mariadb"], indirect=True)
@pytest.mark.parametrize(
    ("prepare", "act"),
    [
        (_an_old_run, _forget),
        (_an_old_skip_and_a_dead_session, _forget_beside_runs),
        (_a_wrong_limit, _recount),
        (_a_job_of_an_older_server, _learn),
        (_a_delay_that_waits_for_nothing, _repair),
        (_a_backfill, _advance),
        (_nothing, _note),
        (_an_old_event, _forget_events),
        (_an_old_reply, _forget_replies),
    ],
)
async def test_a_leader_renews_its_lease_while_its_own_work_is_not_committed(
    world: World, prepare: Prepare, act: Act
) -> None:
    """A statement that locked the leader's row would make the renewal wait, and end it by its limit."""
    await prepare(world)
    term = await lead(world)
    renewals: list[int | None] = []
    async with _a_leader_that_renews_before_each_commit(world, renewals) as leader:
        assert await act(leader, term), "there was nothing to do"
    assert renewals
    assert set(renewals) == {term}


def test_no_statement_that_locks_what_it_reads_looks_at_the_leaders_row() -> None:
    """InnoDB locks the rows of a sub-select in a DELETE and in an UPDATE with a set of rows, until the commit."""
    texts = {f"{named.file} {named.constant}": named.text_in(MariaDB()) or "" for named in statements()}
    locking = {name: text.split() for name, text in texts.items() if _locks_what_it_reads(text.split())}
    assert "ending/retention.py DELETE_RUNS" in locking
    assert "leasing/limits.py CORRECT" in locking
    assert [name for name, words in locking.items() if "leases" in words] == []


def _locks_what_it_reads(words: list[str]) -> bool:
    return words[:1] == ["DELETE"] or (words[:1] == ["UPDATE"] and "STRAIGHT_JOIN" in words)
