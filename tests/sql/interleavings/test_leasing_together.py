"""Leases and beats that meet others: nothing is leased twice, lost for good or overtaken (R1, R5, R9)."""

import asyncio
from typing import Any

import pytest

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import HeldLease, Leaving
from foliot.store.sql.leasing.leases import ABOVE_ATTEMPTS
from tests.conformance.building import NS, PERSON, PLANS, ask, definition, save
from tests.conformance.working import lead, trigger, worker
from tests.sql.interleavings.halting import halting, naive, patient, until_blocked
from tests.sql.rows import attempts_of, run_of, runs_of
from tests.sql.world import World

pytestmark = pytest.mark.services


# --------------------------------------------------------------------------------------------------------------- leases


async def test_two_servers_leasing_at_once_pass_each_other_by(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick")
    ids = await trigger(world, n=6)
    anne, ben = await worker(world), await worker(world)
    first = await halting(world, "leasing.leased")
    anne.store = first.store
    await first.start(anne.lease(3))
    async with naive(world) as connection:
        # Naive: without SKIP LOCKED it stands in line behind the first, for the very same rows.
        transaction = connection.transaction()
        await transaction.start()
        waiting = asyncio.create_task(
            connection.fetch("SELECT id FROM runs WHERE state = 'PENDING' ORDER BY not_before, id LIMIT 3 FOR UPDATE")
        )
        await until_blocked(world, waiting)
        others = [run.run_id for run in await ben.lease(3)]  # does not wait
        mine = [run.run_id for run in await first.finish()]
        await waiting
        await transaction.rollback()
    assert sorted(mine + others) == ids


async def test_a_lease_that_lands_after_its_worker_left_goes_back(postgres_world: World) -> None:
    """S7: its worker had settled the poll, so it never started the run, which may run at most once."""
    world = postgres_world
    await save(world, "tick", on_lost="fail")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    slow = await halting(world, "leasing.leased")
    anne.store = slow.store
    await slow.start(anne.lease(1))
    leaving = Leaving(session=anne.session, settled=anne.request_no)
    assert await world.store.nodes.leave(leaving, judge) == 0, "it cannot be seen yet"
    await slow.finish()
    assert (await run_of(world, run_id))["state"] == "RUNNING"
    assert await world.store.runs.reap(judge, limit=10, term=await lead(world)) == 1
    row = await run_of(world, run_id)
    assert (row["state"], row["deaths"]) == ("PENDING", 0)


@pytest.mark.parametrize("shards", [0, 2])
async def test_an_edit_that_meets_a_lease_lets_the_others_line_up_behind_it(postgres_world: World, shards: int) -> None:
    world = postgres_world
    cut = {"shards": shards} if shards else {}
    exclusive: dict[str, Any] = {"overlap": "queue_all", "exclusive": True, "isolation": "process", **cut}
    await save(world, "tick", overlap="allow", **cut)
    await trigger(world)
    (first,) = await trigger(world, priority=9)
    anne, ben = await worker(world), await worker(world)
    leasing = await halting(world, "leasing.leased")
    anne.store = leasing.store
    await leasing.start(anne.lease(1))
    async with naive(world) as connection:  # naive: nothing is in progress for whoever does not wait for the lease
        assert await connection.fetchval("SELECT count(*) FROM runs WHERE attempt > 0") == 0
    editor = await patient(world)
    new = definition(job="tick", **exclusive)
    editing = asyncio.create_task(editor.jobs.save(NS, "tick", new, by=PERSON, plans=PLANS))
    await until_blocked(world, editing)
    (run,) = await leasing.finish()
    await editing
    begun = await run_of(world, run.run_id)
    assert first in (begun["id"], begun["parent_id"])
    places = {row["place"] for row in await runs_of(world)}
    assert (begun["place"], begun["version"], len(places)) == (min(places), 1, 2)
    await world.store.firing.unpark(limit=10)
    others = await ben.lease(8)
    assert {(await run_of(world, other.run_id))["parent_id"] for other in others} == ({first} if shards else set())


async def test_a_lease_whose_answer_is_lost_while_it_is_still_under_way(postgres_world: World) -> None:
    """The worker repeats its request at another server; what the first then commits comes back by the next beat."""
    world = postgres_world
    await save(world, "tick", place={"max_running": 9})
    ids = await trigger(world, n=4)
    anne = await worker(world)
    slow = await halting(world, "leasing.leased")
    anne.store = slow.store
    await slow.start(anne.lease(2))
    anne.store = await patient(world)
    repeating = asyncio.create_task(anne.lease(2, repeat=True))
    await until_blocked(world, repeating)  # at the limit, which both take
    lost = {run.run_id for run in await slow.finish()}  # nobody hears of these
    answered = await repeating
    assert {run.run_id for run in answered} == set(ids) - lost
    assert await world.value("SELECT used FROM limits") == 4

    # Naive, without a request number: the store believes that the worker has four runs and waits for them for ever.
    assert (
        await world.value("SELECT count(*) FROM runs WHERE state = 'RUNNING' AND session_id = :s", s=anne.session) == 4
    )

    await anne.beat(*answered)
    rows = [await run_of(world, run_id) for run_id in sorted(lost)]
    assert [(row["state"], row["deaths"], row["failures"]) for row in rows] == [("PENDING", 0, 0)] * 2
    assert await world.value("SELECT used FROM limits") == 2
    assert {run.run_id for run in await anne.lease(8)} == lost


async def test_a_lease_that_commits_after_its_session_was_declared_dead(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    term = await lead(world)
    slow = await halting(world, "leasing.leased")
    anne.store = slow.store
    await slow.start(anne.lease(1))
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    assert await world.store.runs.reap(judge, limit=10, term=term) == 0  # the session is dead and holds nothing yet
    (run,) = await slow.finish()
    # Naive, reaping a session once and for all: this run would be in nobody's hands for ever.
    assert (await run_of(world, run.run_id))["state"] == "RUNNING"
    assert await world.store.runs.reap(judge, limit=10, term=term) == 1
    assert (await run_of(world, run.run_id))["state"] == "PENDING"


async def test_limits_are_not_overrun_by_two_leases_at_once(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", place={"max_running": 3})
    await trigger(world, n=10)
    anne, ben = await worker(world), await worker(world)
    first = await halting(world, "leasing.leased")
    anne.store = first.store
    await first.start(anne.lease(2))
    async with naive(world) as connection:
        # Naive: counting what runs, under READ COMMITTED, does not see what is about to.
        assert await connection.fetchval("SELECT count(*) FROM runs WHERE state = 'RUNNING'") == 0
    ben.store = await patient(world)
    second = asyncio.create_task(ben.lease(3))
    await until_blocked(world, second)
    assert len(await first.finish()) == 2
    assert len(await second) == 1
    assert await world.value("SELECT used FROM limits") == 3


async def test_an_exclusive_lease_raises_the_fence_before_it_locks_the_run(postgres_world: World) -> None:
    """Cursors come before runs (R3): a trigger that holds the cursor is waited for, and nobody deadlocks."""
    world = postgres_world
    await save(world, "tick", overlap="queue_all", exclusive=True, isolation="process")
    await trigger(world)
    anne = await worker(world)
    triggering = await halting(world, "trigger.bumped")
    await triggering.start(triggering.store.runs.trigger(ask(key="beside")))
    anne.store = await patient(world)
    leasing = asyncio.create_task(anne.lease(8))
    await until_blocked(world, leasing)
    async with naive(world) as connection:
        # The lease waits at the cursor and holds no run: naive, it would, and an end of that run would wait for it.
        assert await connection.fetchval("SELECT id FROM runs FOR UPDATE NOWAIT") is not None
    await triggering.finish()
    (run,) = await leasing
    assert run.fence & (2**28 - 1) == ABOVE_ATTEMPTS + 1


# ------------------------------------------------------------------------------------------------- the rule of the line

OWN_ID = """
    SELECT r.id FROM runs r WHERE r.state = 'PENDING' AND r.parked = 0 AND r.serial > 0 AND NOT EXISTS (
      SELECT 1 FROM runs e WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
             AND (e.place, e.id) < (r.place, r.id))
"""


async def test_a_sharded_serial_job_with_merge_and_one_run_queued(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", overlap="queue", shards=2, merge="python:jobs:join")
    first, second = await trigger(world), await trigger(world)
    anne = await worker(world)
    async with naive(world) as connection:
        # Naive: each run compares its own id, so the shards wait for their parent, which waits for them.
        assert await connection.fetch(OWN_ID) == []
        shards = await anne.lease(8)
        assert len(shards) == 2
        await anne.complete(*shards)
        assert await connection.fetch(OWN_ID) == []  # and the merge run likewise
    merge = await anne.lease_one()
    assert merge.handler == "python:jobs:join"
    assert await anne.lease(8) == ()  # the queued run waits for the merge
    await anne.complete(merge)
    assert (await run_of(world, first[0]))["state"] == "SUCCEEDED"
    queued = await anne.lease(8)
    assert {(await run_of(world, run.run_id))["parent_id"] for run in queued} == set(second)


# ----------------------------------------------------------------------------------------------- killed before any beat

NOT_STARTED = "UPDATE runs SET state = 'PENDING' WHERE session_id = $1 AND state = 'RUNNING' AND started_at IS NULL"


@pytest.mark.parametrize("on_lost", ["rerun", "fail"])
async def test_workers_killed_before_their_first_beat(postgres_world: World, on_lost: str) -> None:
    """No start was reported, and that says nothing: it ran, or it did not."""
    world = postgres_world
    await save(world, "tick", on_lost=on_lost, retries={"max": 0, "backoff": "1s", "jitter": False})
    (run_id,) = await trigger(world)
    async with naive(world) as connection:
        for _ in range(5):  # naive: not reported started, so it is given to the next, which it kills as well
            victim = await worker(world)
            assert len(await victim.lease(1)) == 1
            assert await connection.execute(NOT_STARTED, victim.session) == "UPDATE 1"
        await connection.execute("UPDATE runs SET attempt = 0")
    killed = 0
    for _ in range(5):
        victim = await worker(world)
        killed += len(await victim.lease(1))
        term = await lead(world)
        await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
        await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
        await world.store.runs.reap(judge, limit=10, term=term)
        await world.elapse(10 * MINUTE)
    row = await run_of(world, run_id)
    assert (killed, row["state"], row["kind"]) == (
        (3, "FAILED", "poison") if on_lost == "rerun" else (1, "FAILED", "lost")
    )


# ---------------------------------------------------------------------------------------------------------------- beats


async def test_an_old_beat_after_a_newer_one(postgres_world: World) -> None:
    """The old one was read and stood still; meanwhile a newer one came and the worker learned of a run."""
    world = postgres_world
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    old = await halting(world, "nodes.beat_compared")
    anne.store = old.store
    await old.start(anne.beat(settled=0, beat_no=1, load={"cpu": 0.1}))
    anne.store = world.store
    run = await anne.lease_one()
    await anne.beat(run, settled=1, beat_no=2, load={"cpu": 0.2})
    node = (await world.rows("SELECT * FROM nodes WHERE id = :id", id=anne.session))[0]
    async with naive(world) as connection:
        # Naive: without the number, the old beat puts everything back: settled, load, what was named as not started.
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute(
            "UPDATE nodes SET settled = 0, until = 1 WHERE id = $1 AND state <> 'dead'", anne.session
        )
        assert await connection.fetchval("SELECT settled FROM nodes WHERE id = $1", anne.session) == 0
        await transaction.rollback()
    assert (await old.finish()).alive
    assert (await world.rows("SELECT * FROM nodes WHERE id = :id", id=anne.session))[0] == node
    assert (await run_of(world, run.run_id))["state"] == "RUNNING"


async def test_a_beat_that_meets_the_reaper(postgres_world: World) -> None:
    """The reaper is first: the session learns that it is dead, and its starts are not noted."""
    world = postgres_world
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    term = await lead(world)
    late = await halting(world, "nodes.beat_compared")
    anne.store = late.store
    await late.start(anne.beat(run))
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    assert await world.store.runs.reap(judge, limit=10, term=term) == 1
    assert not (await late.finish()).alive
    row = await run_of(world, run.run_id)
    assert (row["state"], row["started_at"]) == ("PENDING", None)


async def test_a_reaper_that_meets_a_start_being_noted(postgres_world: World) -> None:
    """The beat was first and its server stood still for longer than the session lives: the run goes back once."""
    world = postgres_world
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    term = await lead(world)
    late = await halting(world, "nodes.starts_noted")
    anne.store = late.store
    await late.start(anne.beat(run))
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    reaper = await patient(world)
    reaping = asyncio.create_task(reaper.runs.reap(judge, limit=10, term=term))
    await until_blocked(world, reaping)  # at the run whose start is being noted
    assert (await late.finish()).alive  # it was, when it asked
    assert await reaping == 1
    assert (await run_of(world, run.run_id))["state"] == "PENDING"
    anne.store = world.store
    assert not (await anne.beat(run)).alive


async def test_the_checkpoint_of_an_older_beat_comes_too_late(postgres_world: World) -> None:
    """The older beat renewed and its server stood still before it wrote; a newer one was written meanwhile."""
    world = postgres_world
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    old = await halting(world, "nodes.renewed")
    anne.store = old.store
    await old.start(anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0, checkpoint="1")))
    anne.store = world.store
    await anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0, checkpoint="2"))
    assert (await old.finish()).alive
    assert (await run_of(world, run.run_id))["checkpoint"] == "2"


async def test_a_run_somebody_writes_does_not_keep_its_worker_from_living_on(postgres_world: World) -> None:
    """The session is renewed and its other runs are noted; the next beat tells of the one that was being written."""
    world = postgres_world
    await save(world, "tick", timeout="30s")
    await trigger(world, n=2)
    anne = await worker(world)
    written, free = await anne.lease(8)
    async with naive(world) as writer:
        transaction = writer.transaction()
        await transaction.start()
        await writer.execute("SELECT 1 FROM runs WHERE id = $1 FOR UPDATE", written.run_id)
        assert (await anne.beat(written, free)).alive
        assert await world.value("SELECT beat_no FROM nodes WHERE id = :id", id=anne.session) == anne.beat_no
        assert [(await run_of(world, run.run_id))["started_at"] is None for run in (written, free)] == [True, False]
        await transaction.rollback()
    await anne.beat(written, free)
    assert (await run_of(world, written.run_id))["started_at"] is not None


async def test_limits_after_retry_reap_and_adopt_at_once(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", place={"max_running": 9}, retries={"max": 3, "backoff": "1s", "jitter": False})
    await trigger(world, n=3)
    anne = await worker(world)
    failed, unknown, lost = await anne.lease(8)
    term = await lead(world)
    retrying = await halting(world, "ending.runs_written")
    anne.store = retrying.store
    await retrying.start(anne.complete(failed, cause=Cause.ERROR, error="x"))
    anne.store = await patient(world)
    adopting = asyncio.create_task(
        anne.beat(HeldLease(run_id=lost.run_id, lease_id=lost.lease_id, started_us_ago=0))
    )  # it names neither of the others
    await until_blocked(world, adopting)
    assert await retrying.finish() == [Landing.RECORDED]
    await adopting
    await world.elapse(SESSION_TTL_US + 2 * GRACE_US)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    assert await world.store.runs.reap(judge, limit=10, term=term) == 1
    # Naive, each way out giving back what it thinks it ended: the failed run is given back twice, and four may run as
    # if three were.
    assert await world.value("SELECT used FROM limits") == 0
    assert await world.store.runs.recount_limits() == 0
    causes = {
        run.run_id: [one["cause"] for one in await attempts_of(world, run.run_id)] for run in (failed, unknown, lost)
    }
    assert causes == {failed.run_id: ["error"], unknown.run_id: ["unknown_to_worker"], lost.run_id: ["lost"]}


async def test_a_recount_waits_for_a_lease_under_way(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", place={"max_running": 9})
    await trigger(world, n=3)
    anne = await worker(world)
    slow = await halting(world, "leasing.leased")
    anne.store = slow.store
    await slow.start(anne.lease(3))
    async with naive(world) as connection:  # naive: count and write back, and three runs are forgotten
        assert await connection.fetchval("SELECT count(*) FROM runs WHERE state = 'RUNNING'") == 0
    watchdog = await patient(world)
    recounting = asyncio.create_task(watchdog.runs.recount_limits())
    await until_blocked(world, recounting)
    await slow.finish()
    assert await recounting == 0
    assert await world.value("SELECT used FROM limits") == 3


# --------------------------------------------------------------------------------------------------------- lower bounds


async def test_an_urgent_and_a_returned_run_are_above_every_lower_bound(postgres_world: World) -> None:
    world = postgres_world
    await save(world, "tick", retries={"max": 3, "backoff": "1s", "jitter": False})
    await save(world, "urgent", place={"priority": 10})
    anne = await worker(world)
    await trigger(world, n=2)
    (failed,) = await anne.lease(1)
    low = (await runs_of(world))[1]["not_before"]
    await world.elapse(20 * SECOND)
    await anne.beat(failed)
    (urgent,) = await trigger(world, "urgent")
    await world.change("UPDATE runs SET not_before = :old WHERE id = :id", old=low - MINUTE, id=urgent)
    async with naive(world) as connection:
        # Naive: one bound for all, the least seen by the last scan; another kind of run lies below it, unseen.
        assert await connection.fetch("SELECT 1 FROM runs WHERE id = $1 AND not_before >= $2", urgent, low) == []
    assert [run.run_id for run in await anne.lease(1)] == [urgent]
    await anne.complete(failed, cause=Cause.ERROR, error="x")
    await world.elapse(2 * SECOND)
    assert {run.run_id for run in await anne.lease(8)} >= {failed.run_id}
