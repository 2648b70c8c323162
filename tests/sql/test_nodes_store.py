"""Sessions in the tables: what is written of them."""

from typing import Any

from msgspec.structs import replace

from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.domain.verdict import judge
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import HandlerOffer, HeldLease, Hello, Leaving
from tests.conformance.building import PERSON, save
from tests.conformance.working import trigger, worker
from tests.sql.rows import attempts_of, run_of, states_of
from tests.sql.world import World


async def _node(world: World, session: str) -> dict[str, Any]:
    return dict((await world.rows("SELECT * FROM nodes WHERE id = :id", id=session))[0])


async def test_a_session_introduces_itself_to_every_server(world: World) -> None:
    hello = Hello(
        session="s1",
        name="anne",
        group="billing",
        slots=4,
        handlers=(HandlerOffer(name="python:jobs:tick", parameters={"type": "object"}, code_hash="abc"),),
        labels={"zone": "a", "名": "值"},
        version="1.2",
        pid=17,
        host="box",
        namespace="pay",
    )
    now, offer_hash = await world.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)
    node = await _node(world, "s1")
    assert (node["state"], node["kind"], node["name"]) == ("live", "worker", "anne")
    assert node["until"] == node["started_at"] + SESSION_TTL_US
    assert node["started_at"] <= now
    other = await world.open()
    assert await other.nodes.hello_of("s1") == replace(hello, offer_hash=offer_hash)


async def test_introducing_oneself_twice_is_once(world: World) -> None:
    """The worker counts its trust from the call that was answered, so that one must have renewed the session."""
    anne = await worker(world)
    await anne.beat(settled=3, load={"cpu": 0.5})
    before = await _node(world, anne.session)
    await world.elapse(SECOND)
    await anne.register()
    after = await _node(world, anne.session)
    assert after["until"] >= before["until"] + SECOND
    assert after == {**before, "until": after["until"]}
    assert await world.value("SELECT count(*) FROM nodes WHERE kind = 'worker'") == 1


async def test_a_session_that_drains_or_is_dead_stays_so_when_it_introduces_itself_again(world: World) -> None:
    anne, ben = await worker(world), await worker(world)
    await world.store.nodes.drain(anne.session, by=PERSON)
    await anne.register()
    assert (await _node(world, anne.session))["state"] == "draining"
    await world.store.nodes.leave(Leaving(session=ben.session), judge)
    before = await _node(world, ben.session)
    await world.elapse(SECOND)
    await ben.register()
    assert await _node(world, ben.session) == before
    assert not (await ben.beat()).alive


# ---------------------------------------------------------------------------------------------------------------- beats


async def test_a_beat_renews_the_session_and_tells_of_it(world: World) -> None:
    anne = await worker(world)
    await world.elapse(10 * SECOND)
    answer = await anne.beat(load={"cpu": 0.5}, settled=3)
    assert (answer.alive, answer.draining, answer.cancel, answer.invalid) == (True, False, (), ())
    node = await _node(world, anne.session)
    assert node["until"] == node["last_beat_at"] + SESSION_TTL_US
    assert (node["beat_no"], node["settled"], node["load"]) == (1, 3, '{"cpu":0.5,"score":0.5}')


async def test_a_beat_keeps_checkpoints(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0, checkpoint='{"at":1}'))
    await anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=9, checkpoint='{"at":2}'))
    row = await run_of(world, run.run_id)
    assert row["checkpoint"] == '{"at":2}'
    await anne.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, started_us_ago=9, checkpoint='{"at":2}'))
    assert await run_of(world, run.run_id) == row  # what is known is not written again
    stranger = await worker(world)
    await stranger.beat(HeldLease(run_id=run.run_id, lease_id=run.lease_id, checkpoint='{"at":99}'))
    assert (await run_of(world, run.run_id))["checkpoint"] == '{"at":2}'


async def test_an_old_beat_after_a_newer_one_changes_nothing(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.beat(run, beat_no=5)
    node, row = await _node(world, anne.session), await run_of(world, run.run_id)
    await world.elapse(SECOND)
    late = await anne.beat(beat_no=4, settled=1)  # from before the run was known
    assert late.alive
    assert await _node(world, anne.session) == node
    assert await run_of(world, run.run_id) == row


async def test_a_session_that_was_only_late_is_heard_again(world: World) -> None:
    anne = await worker(world)
    await world.elapse(SESSION_TTL_US + SECOND)
    assert (await anne.beat()).alive
    node = await _node(world, anne.session)
    assert node["until"] == node["last_beat_at"] + SESSION_TTL_US


# ---------------------------------------------------------------------------------------------------------------- adopt


async def test_a_run_the_worker_does_not_know_goes_back_without_a_death(world: World) -> None:
    """The answer to a lease was lost and the worker gave the request up."""
    await save(world, "tick", place={"max_running": 9})
    await trigger(world, n=2)
    anne = await worker(world)
    (lost,) = await anne.lease(1)
    (known,) = await anne.lease(1)
    assert (await anne.beat(known, settled=2)).invalid == ()
    row = await run_of(world, lost.run_id)
    assert (row["state"], row["deaths"], row["failures"], row["last_lease_id"]) == ("PENDING", 0, 0, None)
    assert [attempt["cause"] for attempt in await attempts_of(world, lost.run_id)] == ["unknown_to_worker"]
    assert (await run_of(world, known.run_id))["state"] == "RUNNING"
    assert await world.value("SELECT used FROM limits") == 1
    assert (await anne.lease_one()).run_id == lost.run_id


# ------------------------------------------------------------------------------------------------------ drain and leave


async def test_a_person_drains_a_session_and_its_beats_say_so(world: World) -> None:
    anne = await worker(world)
    assert await world.store.nodes.drain(anne.session, by=PERSON)
    assert not await world.store.nodes.drain(anne.session, by=PERSON)
    assert not await world.store.nodes.drain("nobody", by=PERSON)
    assert (await anne.beat()).draining
    assert (await _node(world, anne.session))["drained_by"] == '{"by":"someone","reason":"a test"}'


async def test_a_drained_session_is_taken_back(world: World) -> None:
    await save(world, "tick")
    anne = await worker(world)
    assert not await world.store.nodes.undrain(anne.session), "it was not asked to drain"
    await world.store.nodes.drain(anne.session, by=PERSON)
    assert (await anne.beat()).draining
    assert await world.store.nodes.undrain(anne.session)
    assert not (await anne.beat()).draining
    assert (await _node(world, anne.session))["drained_by"] is None
    await trigger(world)
    assert (await anne.lease_one()).run_id


async def test_a_session_that_drains_by_itself_is_not_taken_back(world: World) -> None:
    anne = await worker(world)
    await anne.beat(draining=True)
    assert not await world.store.nodes.undrain(anne.session)
    assert (await _node(world, anne.session))["state"] == "draining"


async def test_a_worker_that_drains_says_so_itself(world: World) -> None:
    anne = await worker(world)
    assert (await anne.beat(draining=True)).draining
    assert (await _node(world, anne.session))["state"] == "draining"
    assert (await anne.beat()).draining


async def test_a_session_that_leaves_gives_everything_back(world: World) -> None:
    await save(world, "tick")
    await save(world, "once", run="python:jobs:once", on_lost="fail")
    await trigger(world, n=2)
    await trigger(world, "once", 2)
    anne = await worker(world)
    runs = await anne.lease(8)
    started, waiting = (run for run in runs if run.job == "once")
    plain = [run for run in runs if run.job == "tick"]
    await anne.beat(
        *plain,
        HeldLease(run_id=started.run_id, lease_id=started.lease_id, started_us_ago=0),
        HeldLease(run_id=waiting.run_id, lease_id=waiting.lease_id),
    )
    assert await world.store.nodes.leave(Leaving(session=anne.session), judge) == 4
    assert await states_of(world) == ["PENDING", "PENDING"]
    assert (await run_of(world, started.run_id))["kind"] == "lost"  # stopped half-way: what it did is unknown (R18)
    assert (await run_of(world, waiting.run_id))["state"] == "PENDING"
    assert {(await run_of(world, run.run_id))["deaths"] for run in runs} == {0}
    assert (await _node(world, anne.session))["state"] == "dead"
    assert await world.store.nodes.leave(Leaving(session=anne.session), judge) == 0
    assert await anne.complete(plain[0]) == [Landing.FENCED]


async def test_what_a_leaving_worker_may_have_started_is_lost_when_it_must_run_once_at_most(world: World) -> None:
    """S7: named as started, known to the store as started, or of a request that the worker does not call settled."""
    await save(world, "once", on_lost="fail")
    await trigger(world, "once", 4)
    anne = await worker(world)
    named, known, waiting = await anne.lease(3)
    await anne.beat(HeldLease(run_id=known.run_id, lease_id=known.lease_id, started_us_ago=0), named, waiting)
    settled = anne.request_no
    (newer,) = await anne.lease(1)
    held = (
        HeldLease(run_id=named.run_id, lease_id=named.lease_id, started_us_ago=7),
        HeldLease(run_id=waiting.run_id, lease_id=waiting.lease_id),
    )
    await world.change("UPDATE runs SET started_at = NULL WHERE id = :id", id=waiting.run_id)
    assert await world.store.nodes.leave(Leaving(session=anne.session, settled=settled, held=held), judge) == 4
    assert {(await run_of(world, run.run_id))["kind"] for run in (named, known, newer)} == {"lost"}
    assert (await run_of(world, waiting.run_id))["state"] == "PENDING"
