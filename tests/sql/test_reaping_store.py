"""Reaping in the tables: deadlines and beats set by hand."""

import pytest

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import HeldLease, Leaving
from foliot.store.sql.cluster.beats import SETTLED_ALL
from tests.conformance.building import PERSON, save
from tests.conformance.working import BEAT_EVERY_US, Worker, lead, running_with_limit, trigger, worker
from tests.sql.rows import attempts_of, run_of, states_of
from tests.sql.world import World

SILENCE = SESSION_TTL_US + GRACE_US + SECOND


async def _reap(world: World, *, after: int = SILENCE, term: int | None = None) -> int:
    """Let time pass with a leader ticking all along, then reap."""
    held = await lead(world)
    await world.elapse(after)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    return await world.store.runs.reap(judge, limit=100, term=held if term is None else term)


async def _state(world: World, one: Worker) -> str:
    return str(await world.value("SELECT state FROM nodes WHERE id = :id", id=one.session))


async def test_the_runs_of_a_silent_worker_go_to_another(world: World) -> None:
    await save(world, "tick", place={"max_running": 5})
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run)
    assert await _reap(world) == 1
    assert await _state(world, anne) == "dead"
    row = await run_of(world, run.run_id)
    assert (row["state"], row["deaths"], row["failures"], row["last_lease_id"]) == ("PENDING", 1, 0, None)
    assert [attempt["cause"] for attempt in await attempts_of(world, run.run_id)] == ["lost"]
    assert await world.value("SELECT used FROM limits") == 0
    assert row["not_before"] <= await world.now()  # the first death: at once (L3)
    ben = await worker(world)
    assert (await ben.lease_one()).attempt == 2
    assert await anne.complete(run) == [Landing.FENCED]
    assert not (await anne.beat(run)).alive


async def test_a_worker_that_beats_is_not_touched(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    term = await lead(world)
    for _ in range(5):
        await world.elapse(5 * SECOND)
        await anne.beat(run)
        await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
        assert await world.store.runs.reap(judge, limit=100, term=term) == 0
    assert await _state(world, anne) == "live"


async def test_silence_within_the_grace_is_forgiven(world: World) -> None:
    anne = await worker(world)
    await _reap(world, after=SESSION_TTL_US + SECOND)
    assert await _state(world, anne) == "live"


async def test_at_most_once_ends_lost_whatever_was_reported(world: World) -> None:
    """Leased counts as started: after its last beat it may have been."""
    await save(world, "tick", on_lost="fail")
    await trigger(world, n=2)
    anne = await worker(world)
    started, waiting = await anne.lease(8)
    await anne.beat(started, HeldLease(run_id=waiting.run_id, lease_id=waiting.lease_id))
    assert await _reap(world) == 2
    for run in (started, waiting):
        row = await run_of(world, run.run_id)
        assert (row["state"], row["kind"], row["deaths"]) == ("FAILED", "lost", int(run is started))
        assert row["error"] == (
            "Its worker vanished while running it (likely killed or out of memory); nobody knows whether it finished."
            if run is started
            else "Its worker vanished before it was started."
        )


async def test_a_lost_run_of_which_nothing_was_heard_says_that(world: World) -> None:
    await save(world, "tick", on_lost="fail")
    await trigger(world, n=1)
    (run,) = await (await worker(world)).lease(8)
    assert await _reap(world) == 1
    assert (await run_of(world, run.run_id))["error"] == "Its worker vanished; nobody knows whether it ran."


async def test_what_the_last_beat_named_as_not_started_costs_no_death(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.beat(HeldLease(run_id=one.run_id, lease_id=one.lease_id), settled=0)  # sent before the answer came
    assert await _reap(world) == 2
    assert (await run_of(world, one.run_id))["deaths"] == 0
    assert (await run_of(world, two.run_id))["deaths"] == 1  # never named: nobody knows


async def test_a_run_that_kills_worker_after_worker_is_poison(world: World) -> None:
    """Also when each dies before its first beat."""
    await save(world, "tick", retries={"max": 0, "backoff": "1s", "jitter": False})
    (run_id,) = await trigger(world)
    for death in (1, 2, 3):
        victim = await worker(world)
        assert (await victim.lease_one()).run_id == run_id
        assert await _reap(world) == 1
        assert (await run_of(world, run_id))["deaths"] == death  # the last one, too
        await world.elapse(10 * MINUTE)
    row = await run_of(world, run_id)
    assert (row["state"], row["kind"]) == ("FAILED", "poison")
    assert len(await attempts_of(world, run_id)) == 3


async def test_a_run_asked_to_cancel_ends_cancelled(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.runs.cancel([run.run_id], by=PERSON)
    await _reap(world)
    row = await run_of(world, run.run_id)
    assert (row["state"], row["deaths"]) == ("CANCELLED", 1)


async def test_a_run_that_turns_up_under_a_dead_session_is_found_too(world: World) -> None:
    """A lease that was under way when its session was declared dead."""
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.change("UPDATE nodes SET state = 'dead'")
    assert await _reap(world, after=0) == 1
    assert (await run_of(world, run.run_id))["state"] == "PENDING"


async def test_a_run_that_turns_up_after_a_session_left_in_peace_costs_no_death(world: World) -> None:
    await save(world, "tick", on_lost="fail")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.nodes.leave(Leaving(session=anne.session), judge)
    await world.change(  # the lease that was under way lands only now
        "UPDATE runs SET state = 'RUNNING', lease_id = :lease, session_id = :session, request_no = 2, fence = 1, "
        "leased_at = 1, kind = NULL, ended_at = NULL",
        lease=run.lease_id, session=anne.session,
    )  # fmt: skip
    assert await _reap(world, after=0) == 1
    assert (await run_of(world, run.run_id))["state"] == "PENDING"


async def test_a_run_known_to_have_started_is_lost_even_if_its_session_left_in_peace(world: World) -> None:
    """S7: the session said that it had nothing left; the store knows of a start."""
    await save(world, "tick", on_lost="fail")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run)
    await world.change("UPDATE nodes SET state = 'dead', settled = :all", all=SETTLED_ALL)
    assert await _reap(world, after=0) == 1
    assert (await run_of(world, run.run_id))["kind"] == "lost"


# -------------------------------------------------------------------------------------------------------------- amnesty


async def test_nobody_is_declared_dead_until_a_tick_has_run(world: World) -> None:
    """R8: an outage of the store silences everybody."""
    anne = await worker(world)
    term = await lead(world)
    await world.elapse(60 * SECOND)
    await world.store.runs.reap(judge, limit=100, term=term)
    assert await _state(world, anne) == "live"


async def test_after_an_outage_everybody_gets_the_time_to_be_heard(world: World) -> None:
    anne, ben = await worker(world), await worker(world)
    await lead(world)
    await world.elapse(60 * SECOND)
    renewed = await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)  # the first tick after the gap
    assert renewed is not None
    await world.store.runs.reap(judge, limit=100, term=renewed.number)
    assert await _state(world, anne) == "live"
    await anne.beat()
    for _ in range(4):
        await world.elapse(SESSION_TTL_US // 3)
        await anne.beat()
        await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
        await world.store.runs.reap(judge, limit=100, term=renewed.number)
    assert (await _state(world, anne), await _state(world, ben)) == ("live", "dead")


async def test_a_leader_of_an_old_term_declares_nobody_dead(world: World) -> None:
    await save(world, "tick", timeout="1s")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run)
    assert await _reap(world, term=0) == 0
    assert await _state(world, anne) == "live"
    assert await world.store.runs.time_out(judge, limit=10, term=0) == 0


async def test_a_start_that_was_told_and_is_not_yet_written_is_not_missing(world: World) -> None:
    """A beat renews its session first and writes starts after that; a busy store leaves them to the next beat."""
    anne, run, term = await running_with_limit(world, start_within="1s")
    await world.elapse(BEAT_EVERY_US)
    await anne.beat(run)
    await world.change("UPDATE runs SET started_at = NULL, deadline_at = leased_at + 1000000")
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    await anne.beat(run)
    assert (await run_of(world, run.run_id))["started_at"] is not None


async def test_a_parent_of_shards_is_never_reaped_or_timed_out(world: World) -> None:
    await save(world, "tick", shards=2, timeout="1s", start_within="1s")
    (parent_id,) = await trigger(world)
    term = await lead(world)
    await world.elapse(MINUTE)
    assert await world.store.runs.time_out(judge, limit=10, term=term) == 0
    assert await _reap(world) == 0
    assert (await run_of(world, parent_id))["state"] == "RUNNING"


@pytest.mark.parametrize("lost", [1, 3])
async def test_lost_shards_count_like_others(world: World, lost: int) -> None:
    await save(world, "tick", shards=3, on_lost="fail")
    (parent_id,) = await trigger(world)
    anne, ben = await worker(world), await worker(world)
    doomed = await anne.lease(lost)
    rest = await ben.lease(8)
    await ben.complete(*rest)
    await _reap(world)
    row = await run_of(world, parent_id)
    assert (row["state"], row["kind"]) == ("FAILED", "lost")
    assert len(doomed) == lost
    assert (await states_of(world)).count("FAILED") == lost + 1


async def test_reaping_goes_on_where_it_stopped(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=5)
    anne = await worker(world)
    await anne.lease(8)
    term = await lead(world)
    await world.elapse(SILENCE)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    assert [await world.store.runs.reap(judge, limit=2, term=term) for _ in range(4)] == [2, 2, 1, 0]
    assert Cause.LOST in {Cause(attempt["cause"]) for attempt in await attempts_of(world, 1)}


async def test_who_has_just_died_is_found_with_its_runs_and_strays_when_asked_for(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=3)
    anne = await worker(world)
    await anne.lease(8)
    term = await lead(world)
    await world.elapse(SILENCE)
    await world.change("UPDATE store_meta SET last_tick_at = :now", now=await world.now())
    reap = world.store.runs.reap
    assert await reap(judge, limit=2, term=term, strays=False) == 2
    assert await reap(judge, limit=2, term=term, strays=False) == 0, "nobody died since"
    assert await reap(judge, limit=2, term=term) == 1
