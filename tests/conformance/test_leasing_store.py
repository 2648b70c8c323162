"""Leasing: due runs go to workers that ask, best first, each to one of them."""

import dataclasses

from msgspec.structs import replace

from foliot.domain.clocks import ClockDoubt
from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.store.runs import Poll
from foliot.ports.worker_link import HandlerOffer
from tests.conformance.building import PERSON, ask, every, fire, make_due, runs_of, save
from tests.conformance.working import Worker, run_of, states_of, trigger, worker
from tests.conformance.world import World


async def test_a_trigger_brings_its_own_parameters(world: World) -> None:
    await save(world, "tick", params={"deep": True})
    await trigger(world, params='{"deep":false}')
    assert (await (await worker(world)).lease_one()).params == '{"deep":false}'


async def test_no_more_than_a_worker_has_slots_for(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=5)
    anne = await worker(world)
    assert [len(await anne.lease(2)) for _ in range(4)] == [2, 2, 1, 0]


async def test_no_more_than_the_limit_and_then_there_is_more(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=5)
    anne = await worker(world)
    granted = await world.store.runs.lease([await anne.poll(8)], limit=3)
    assert (len(granted.grants[0].runs), granted.more) == (3, True)
    granted = await world.store.runs.lease([await anne.poll(8)], limit=3)
    assert (len(granted.grants[0].runs), granted.more) == (2, False)


async def test_work_is_shared_among_those_who_ask(world: World) -> None:
    await save(world, "tick")
    ids = set(await trigger(world, n=9))
    workers = [await worker(world) for _ in range(3)]
    polls = [await one.poll(8) for one in workers]
    granted = await world.store.runs.lease(polls, limit=100)
    assert [len(grant.runs) for grant in granted.grants] == [3, 3, 3]
    assert {run.run_id for grant in granted.grants for run in grant.runs} == ids
    for one, grant in zip(workers, granted.grants, strict=True):
        assert {(await run_of(world, run.run_id)).session for run in grant.runs} == {one.session}


async def test_nothing_before_its_time(world: World) -> None:
    await save(world, "tick")
    await trigger(world, delay_us=10 * SECOND)
    anne = await worker(world)
    assert await anne.lease() == ()
    await world.elapse(10 * SECOND)
    assert len(await anne.lease()) == 1


async def test_only_lanes_that_are_offered(world: World) -> None:
    here = await save(world, "here", run="python:jobs:here")
    there = await save(world, "there", run="python:jobs:there")
    (ours,), (theirs,) = await trigger(world, "here"), await trigger(world, "there")
    lane = {run.run_id: run.lane for job in (here, there) for run in await runs_of(world, job.name)}
    anne = await worker(world)
    assert [run.run_id for run in await anne.lease(lanes=[lane[ours]])] == [ours]
    assert [run.run_id for run in await anne.lease(lanes=[lane[theirs], 999])] == [theirs]
    assert await anne.lease(lanes=[]) == ()


async def test_urgent_work_goes_first_and_old_work_catches_up(world: World) -> None:
    """A step of priority is worth a minute."""
    await save(world, "slow", place={"priority": 3})
    await save(world, "usual")
    await save(world, "urgent", place={"priority": 10})
    (old,) = await trigger(world, "slow")
    await world.elapse(3 * MINUTE)  # more than the two minutes between 3 and 5
    (usual,), (urgent,) = await trigger(world, "usual"), await trigger(world, "urgent")
    anne = await worker(world)
    assert [(await anne.lease_one()).run_id for _ in range(3)] == [urgent, old, usual]


async def test_an_urgent_and_a_returned_run_are_seen_by_the_next_lease(world: World) -> None:
    """What a server remembers of earlier scans hides nothing that is new (R9)."""
    await save(world, "tick", retries={"max": 3, "backoff": "1s", "jitter": False})
    await save(world, "urgent", place={"priority": 10})
    anne = await worker(world)
    await trigger(world, n=3)
    first = await anne.lease(1)  # from here on the server knows where this kind of run begins
    await world.elapse(5 * SECOND)
    (urgent,) = await trigger(world, "urgent")
    assert [run.run_id for run in await anne.lease(1)] == [urgent]
    await anne.complete(*first, cause=Cause.ERROR, error="again")
    await world.elapse(SECOND)
    leased = await anne.lease(8)
    assert first[0].run_id in {run.run_id for run in leased}
    assert [run.attempt for run in leased if run.run_id == first[0].run_id] == [2]


async def test_many_kinds_are_shared_out_by_rank(world: World) -> None:
    """Thirty lanes, one with most of the work: a lease is filled, and oldest goes first."""
    oldest = []
    for number in range(30):
        await save(world, f"job-{number}", run=f"python:jobs:f{number}")
        oldest += await trigger(world, f"job-{number}")
    await world.elapse(SECOND)
    await trigger(world, "job-7", 40)
    anne = await worker(world)
    assert {run.run_id for run in await anne.lease(30)} == set(oldest)
    assert len(await anne.lease(30)) == 30
    assert len(await anne.lease(30)) == 10


# --------------------------------------------------------------------------------------------------- who may not lease


async def test_a_session_nobody_knows_is_dead(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    grant = await Worker(world).grant()
    assert (grant.dead, grant.runs) == (True, ())


async def test_a_draining_session_gets_no_more(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    assert await world.store.nodes.drain(anne.session, by=PERSON)
    grant = await anne.grant()
    assert (grant.draining, grant.dead, grant.runs) == (True, False, ())


async def test_a_silent_session_gets_nothing_until_it_is_heard_again(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    await world.elapse(SESSION_TTL_US + SECOND)
    grant = await anne.grant()
    assert (grant.dead, grant.draining, grant.runs) == (False, False, ())
    await anne.beat()
    assert len(await anne.lease()) == 1


# -------------------------------------------------------------------------------------------------------------- serial


async def test_a_serial_job_runs_one_at_a_time_in_the_order_of_its_line(world: World) -> None:
    await save(world, "tick", overlap="queue_all")
    ids = await trigger(world, n=3)
    anne = await worker(world)
    done = []
    for _ in ids:
        (run,) = await anne.lease(8)
        assert await anne.lease(8) == ()
        await anne.complete(run)
        done.append(run.run_id)
    assert done == ids
    assert await states_of(world) == ["SUCCEEDED"] * 3


async def test_a_serial_run_that_failed_goes_again_before_the_next(world: World) -> None:
    await save(world, "tick", overlap="queue_all", retries={"max": 1, "backoff": "5s", "jitter": False})
    first, second = await trigger(world, n=2)
    anne = await worker(world)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="again")
    assert await anne.lease(8) == ()
    await world.elapse(5 * SECOND)
    again = await anne.lease_one()
    assert (again.run_id, again.attempt) == (first, 2)
    await anne.complete(again, cause=Cause.ERROR, error="for good")
    assert (await anne.lease_one()).run_id == second


async def test_the_shards_of_a_serial_job_go_together_and_the_next_run_waits(world: World) -> None:
    await save(world, "tick", overlap="queue_all", shards=3, merge="python:jobs:join")
    first, second = await trigger(world, n=2)
    anne = await worker(world)
    shards = await anne.lease(8)
    assert sorted((run.shard, run.shards) for run in shards) == [(0, 3), (1, 3), (2, 3)]
    assert await anne.lease(8) == ()
    await anne.complete(*shards)
    merge = await anne.lease_one()
    assert (merge.handler, merge.shard, merge.shards) == ("python:jobs:join", -1, 3)
    await anne.complete(merge, result='"all"')
    row = await run_of(world, first)
    assert (row.state, row.result, row.open_children) == ("SUCCEEDED", '"all"', 0)
    shards = await anne.lease(8)
    assert len(shards) == 3
    assert {(await run_of(world, run.run_id)).parent_id for run in shards} == {second}


async def test_what_is_granted_is_told_though_the_store_fails_at_what_was_replaced(world: World) -> None:
    await save(world, "tick", overlap="replace")
    await save(world, "other")
    await trigger(world, n=2)
    await trigger(world, "other")

    def fail(place: str) -> None:
        if place == "ending.judged":
            raise StoreUnavailable("The store does not answer.")

    anne = await worker(world, await world.open(point=fail))
    (other,) = await anne.lease(8)
    assert other.job == "other"
    anne.store = world.store
    assert [run.job for run in (*await anne.lease(8), *await anne.lease(8))] == ["tick"]
    assert await states_of(world) == ["CANCELLED", "RUNNING"]


async def test_a_waiting_run_that_a_later_one_replaces_is_cancelled(world: World) -> None:
    await save(world, "tick", overlap="replace")
    ids = await trigger(world, n=3)
    anne = await worker(world)
    leased = [run.run_id for _ in range(3) for run in await anne.lease(8)]
    assert leased == [ids[2]]
    assert await states_of(world) == ["CANCELLED", "CANCELLED", "RUNNING"]
    assert "later run" in ((await run_of(world, ids[0])).error or "")


async def test_a_leased_run_brings_the_zone_of_its_schedule_along(world: World) -> None:
    """A job whose code has no schedule gets one from a person: `ctx.due` is in that one's zone."""
    await save(world, "tick", schedule={"cron": "0 2 * * *", "tz": "Asia/Shanghai"})
    await save(world, "plain", schedule=None)
    await trigger(world)
    await trigger(world, "plain")
    anne = await worker(world)
    assert {run.job: run.tz for run in await anne.lease(8)} == {"tick": "Asia/Shanghai", "plain": ""}


# --------------------------------------------------------------------------------------------------------- lost replies


async def test_a_repeated_request_gets_its_runs_again(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=4)
    anne = await worker(world)
    lost = await anne.lease(3)
    again = await anne.lease(3, repeat=True)
    assert sorted(again, key=lambda run: run.run_id) == sorted(lost, key=lambda run: run.run_id)


async def test_a_repeated_request_does_not_get_what_was_ended_since(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    done, held = await anne.lease(2)
    await anne.complete(done)
    assert await anne.lease(2, repeat=True) == (held,)


async def test_a_repeated_request_that_never_arrived_leases_anew(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    await anne.poll()
    assert len(await anne.lease(2, repeat=True)) == 1


# ---------------------------------------------------------------------------------------------------------- with firing


async def test_what_was_fired_is_leased(world: World) -> None:
    job = await every(world)
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert run.due_at == job.next_due_at
    await make_due(world, job, late_us=60 * MINUTE)
    await anne.beat(run)
    await fire(world)  # overlap: skip, and the run is open
    assert await anne.lease() == ()


async def test_two_servers_lease_each_run_once(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=20)
    other = await world.open()
    anne, ben = await worker(world), await worker(world, other)
    leased = [run.run_id for _ in range(3) for one in (anne, ben) for run in await one.lease(5)]
    assert sorted(leased) == sorted(ids)


async def test_an_empty_round_costs_nothing_and_says_so(world: World) -> None:
    anne = await worker(world)
    granted = await world.store.runs.lease([Poll(session=anne.session, request_no=1, free=0, lanes=[1])], limit=10)
    assert (granted.grants[0].runs, granted.more) == ((), False)


async def test_a_session_that_offers_something_else_by_now_gets_nothing_by_its_old_lanes(world: World) -> None:
    await save(world)
    await trigger(world)
    anne, ben = await worker(world), await worker(world)
    hello = await world.store.nodes.hello_of(anne.session)
    assert hello is not None
    again = replace(hello, handlers=(HandlerOffer(name="python:jobs:other"),))
    registered = await world.store.nodes.register(again, kind="worker", ttl_us=SESSION_TTL_US)
    assert hello.offer_hash not in (None, registered.offer_hash)
    old = dataclasses.replace(await anne.poll(1), offer_hash=hello.offer_hash)
    granted = await world.store.runs.lease([old], limit=10)
    assert (granted.grants[0].runs, granted.changed) == ((), frozenset({anne.session}))
    new = dataclasses.replace(await anne.poll(1, lanes=[]), offer_hash=registered.offer_hash)
    bens = dataclasses.replace(await ben.poll(1), offer_hash=hello.offer_hash)
    granted = await world.store.runs.lease([new, bens], limit=10)
    assert ([len(grant.runs) for grant in granted.grants], granted.changed) == ([0, 1], frozenset())


async def test_nothing_is_leased_when_store_time_is_later_than_it_can_be(world: World) -> None:
    await save(world)
    await trigger(world)
    anne = await worker(world)
    now = await world.now()
    polls = [await anne.poll(1)]
    granted = await world.store.runs.lease(polls, limit=10, not_after=lambda: now - SECOND)
    assert granted.grants[0].runs == ()
    assert granted.now >= now
    assert granted.is_beyond
    granted = await world.store.runs.lease(polls, limit=10, not_after=lambda: now + MINUTE)
    assert len(granted.grants[0].runs) == 1


async def test_while_the_clock_is_in_doubt_only_what_was_written_since_its_jump_goes_by_it(world: World) -> None:
    """The clock jumped by ten minutes; a minute of true time has passed since."""
    names = ["due", "waits", "retried", "serial", "new"]
    for name in names:
        overlap = "queue_all" if name == "serial" else "allow"
        await save(world, name, overlap=overlap, retries={"max": 1, "backoff": "5m", "jitter": False})
    anne = await worker(world)
    jumped_at = await world.now()
    await world.store.runs.trigger(ask("retried"))
    (run,) = await anne.lease(1)
    await anne.complete(run, cause=Cause.ERROR)
    await world.store.runs.trigger(ask("due", delay_us=30 * SECOND))
    for name in ("waits", "serial"):
        await world.store.runs.trigger(ask(name, delay_us=5 * MINUTE))
    await world.elapse(11 * MINUTE)
    anne = await worker(world)  # the one that was there is dead by that clock
    await world.store.runs.trigger(ask("new"))
    doubt = ClockDoubt(
        believed=await world.now() - 10 * MINUTE, good_until=jumped_at + MINUTE, landed=jumped_at + 9 * MINUTE
    )
    assert await world.store.firing.admit(limit=10, doubt=doubt) == 0
    granted = await world.store.runs.lease([await anne.poll(8)], limit=10, doubt=doubt)
    assert sorted(run.job for run in granted.grants[0].runs) == ["due", "new"]
    later = doubt._replace(believed=doubt.believed + 6 * MINUTE)
    assert await world.store.firing.admit(limit=10, doubt=later) == 1
    granted = await world.store.runs.lease([await anne.poll(8)], limit=10, doubt=later)
    assert sorted(run.job for run in granted.grants[0].runs) == ["retried", "serial", "waits"]


async def test_a_run_that_waited_in_line_is_seen_by_the_next_lease(world: World) -> None:
    """It is older than anything the busy server saw of late; coming up, it is due now (R9)."""
    await save(world, "serial", overlap="queue_all")
    await save(world, "busy")
    _, waiting = await trigger(world, "serial", 2)
    anne = await worker(world)
    running = await anne.lease_one()
    await world.elapse(30 * SECOND)
    await anne.beat(running)
    await trigger(world, "busy", 4)
    assert len(await anne.lease(2)) == 2  # from here on scans begin at what is recent
    await anne.complete(running)
    assert waiting in {run.run_id for run in await anne.lease(8)}
