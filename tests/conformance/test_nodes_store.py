"""Sessions: they introduce themselves, beat, drain and leave; what a worker does not know goes back to others."""

import pytest
from msgspec.structs import replace

from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, HeldLease, Hello, Leaving
from tests.conformance.building import PERSON, save
from tests.conformance.working import Worker, attempts_of, run_of, states_of, trigger, worker
from tests.conformance.world import World


async def test_what_a_session_says_anew_of_itself_is_known(world: World) -> None:
    """Its code was loaded again: what handlers take now is what is checked from now on."""
    anne = await worker(world)
    hello = await world.store.nodes.hello_of(anne.session)
    assert hello is not None
    offers = (HandlerOffer(name="python:jobs:tock", parameters={"type": "object"}, code_hash="new"),)
    newer = replace(hello, handlers=offers, labels={"zone": "b"}, slots=3, weight=5, version="2")
    registered = await world.store.nodes.register(
        replace(newer, group="elsewhere", namespace="elsewhere"), kind="worker", ttl_us=SESSION_TTL_US
    )
    known = await world.store.nodes.hello_of(anne.session)
    assert known == replace(newer, offer_hash=registered.offer_hash)
    assert [(node.slots, node.weight) for node in await world.store.lookups.nodes()] == [(3, 5)]


async def test_a_worker_keeps_the_weight_that_it_came_with(world: World) -> None:
    usual = Hello(session="usual", name="usual", group="default", slots=1, handlers=())
    for hello in (usual, replace(usual, session="heavy", name="heavy", weight=20)):
        await world.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)
    assert {node.name: node.weight for node in await world.store.lookups.nodes()} == {"heavy": 20, "usual": 1}


async def test_a_dead_session_has_nothing_to_say(world: World) -> None:
    anne = await worker(world)
    await world.store.nodes.leave(Leaving(session=anne.session), judge)
    assert await world.store.nodes.hello_of(anne.session) is None
    assert not (await anne.beat()).alive
    assert await world.store.nodes.hello_of("nobody") is None
    assert not (await Worker(world).beat()).alive


async def test_a_beat_notes_starts_and_sets_the_deadline(world: World) -> None:
    await save(world, "tick", timeout="30s")
    await trigger(world, n=2)
    anne = await worker(world)
    started, waiting = await anne.lease(8)
    await world.elapse(5 * SECOND)
    await anne.beat(
        HeldLease(run_id=started.run_id, lease_id=started.lease_id, started_us_ago=2 * SECOND, progress='{"done":1}'),
        HeldLease(run_id=waiting.run_id, lease_id=waiting.lease_id),
    )
    row = await run_of(world, started.run_id)
    assert row.leased_at is not None
    assert row.started_at is not None
    assert row.deadline_at == row.started_at + 30 * SECOND
    assert row.leased_at < row.started_at
    assert row.ver == 3
    assert (await run_of(world, waiting.run_id)).started_at is None
    await world.elapse(SECOND)
    await anne.beat(started, waiting)
    after = await run_of(world, started.run_id)
    assert (after.ver, after.started_at) == (
        row.ver,
        row.started_at,
    )  # the first start counts, and is written once


async def test_a_start_is_not_before_the_lease(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=3600 * SECOND))
    row = await run_of(world, run.run_id)
    assert row.started_at == row.leased_at
    assert row.deadline_at is None  # no timeout, and a start is no longer waited for


async def test_leases_that_are_anothers_now_are_named(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=3)
    anne, ben = await worker(world), await worker(world)
    held, done = await anne.lease(2)
    other = await ben.lease_one()
    await anne.complete(done)
    answer = await anne.beat(held, done, other)
    assert set(answer.invalid) == {done.lease_id, other.lease_id}
    assert (await run_of(world, other.run_id)).started_at is None


async def test_a_beat_brings_back_cancels(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await world.store.runs.cancel([two.run_id], by=PERSON)
    assert (await anne.beat(one, two)).cancel == (two.lease_id,)


async def test_a_run_that_a_later_one_replaces_is_asked_to_stop(world: World) -> None:
    await save(world, "tick", overlap="replace")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert (await anne.beat(run)).cancel == ()
    await trigger(world)
    assert (await anne.beat(run)).cancel == (run.lease_id,)
    await anne.complete(run, cause=Cause.CANCELLED)
    assert len(await anne.lease(8)) == 1


async def test_the_shards_of_a_replaced_run_are_asked_to_stop(world: World) -> None:
    await save(world, "tick", overlap="replace", shards=2)
    (first,) = await trigger(world)
    anne = await worker(world)
    shards = await anne.lease(8)
    await trigger(world)
    assert set((await anne.beat(*shards)).cancel) == {run.lease_id for run in shards}
    await anne.complete(*shards, cause=Cause.CANCELLED)
    assert (await run_of(world, first)).state == "CANCELLED"
    assert len(await anne.lease(8)) == 2


async def test_a_request_that_is_not_settled_is_left_alone(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(settled=0)
    assert (await run_of(world, run.run_id)).state == "RUNNING"


async def test_an_unknown_run_asked_to_cancel_ends(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.runs.cancel([run.run_id], by=PERSON)
    await anne.beat(settled=1)
    assert (await run_of(world, run.run_id)).state == "CANCELLED"


async def test_an_unknown_run_that_may_run_at_most_once_goes_back_too(world: World) -> None:
    """Its worker says it has not run and will not."""
    await save(world, "tick", on_lost="fail")
    await trigger(world)
    anne = await worker(world)
    await anne.lease_one()
    await anne.beat(settled=1)
    assert await states_of(world) == ["PENDING"]


@pytest.mark.parametrize(("on_lost", "state", "kind"), [("fail", "FAILED", "lost"), ("rerun", "PENDING", None)])
async def test_a_run_that_was_named_as_started_is_not_taken_for_one_that_never_came(
    world: World, on_lost: str, state: str, kind: str | None
) -> None:
    """S7: whatever made its worker forget it, nobody knows what it did."""
    await save(world, "tick", on_lost=on_lost)
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run)
    await anne.beat()
    row = await run_of(world, run.run_id)
    assert (row.state, row.kind, row.deaths) == (state, kind, 0)
    (attempt,) = await attempts_of(world, run.run_id)
    assert attempt.error == "Its worker had started it and knows nothing of it any more."


async def test_a_run_that_never_reached_the_leaving_worker_goes_back(world: World) -> None:
    """S7: leased into its last poll, which it gave up. It does not name the run: so it has not started and will not."""
    await save(world, "once", on_lost="fail")
    (run_id,) = await trigger(world, "once")
    anne = await worker(world)
    run = await anne.lease_one()
    leaving = Leaving(session=anne.session, settled=anne.request_no)
    assert await world.store.nodes.leave(leaving, judge) == 1
    row = await run_of(world, run_id)
    assert (row.state, row.kind, row.deaths, row.failures) == ("PENDING", None, 0, 0)
    assert [attempt.cause for attempt in await attempts_of(world, run_id)] == ["unknown_to_worker"]
    ben = await worker(world)
    again = await ben.lease_one()
    assert again.run_id == run_id
    assert await anne.complete(run) == [Landing.FENCED]
    assert await world.store.nodes.leave(leaving, judge) == 0, "its repeat changes nothing"
    assert await ben.complete(again) == [Landing.RECORDED]


async def test_a_worker_that_leaves_hands_back_what_it_could_not_stop(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    runs = await anne.lease(2)
    held = tuple(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=1) for run in runs)
    assert await world.store.nodes.leave(Leaving(session=anne.session, settled=9, held=held), judge) == 2
    assert await states_of(world) == ["PENDING", "PENDING"]
    assert {(await run_of(world, run.run_id)).deaths for run in runs} == {0}
