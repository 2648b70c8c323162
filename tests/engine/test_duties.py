"""Each duty's step on a real store: what it does, what it leaves alone, how long it rests."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from foliot.app.server import Server
from foliot.app.settings import TEST_TIMING
from foliot.domain.access import INTERNAL
from foliot.domain.instants import HOUR, SECOND
from foliot.ports.store.errors import OutcomeUnknown
from foliot.ports.worker_link import HandlerOffer, Hello, Leased, LeasePoll, Leaving
from foliot.store.sql.kernel.database import verb_of
from tests.clocks import DrivenClock, settle
from tests.conformance.building import ask, every, make_due, save
from tests.engine.conftest import MakeServer
from tests.eventually import soon
from tests.sql.rows import runs_of
from tests.sql.world import World


def hello(session: str = "w1", *handlers: str) -> Hello:
    offers = tuple(HandlerOffer(name=name) for name in handlers or ("python:jobs:tick",))
    return Hello(session=session, name=session, group="default", slots=4, handlers=offers)


def poll(request_no: int = 1, *, session: str = "w1", free: int = 4, wait_s: float = 20) -> LeasePoll:
    return LeasePoll(
        session=session, request_no=request_no, free=free, settled=request_no - 1, wait_us=int(wait_s * SECOND)
    )


async def parked(server: Server, request: LeasePoll) -> asyncio.Task[Leased]:
    task = asyncio.create_task(server.workers.lease(request, by=INTERNAL))
    await settle()
    return task


def forbid_statements(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any statement fails from here on."""

    async def once(*_: object, **__: object) -> None:
        raise AssertionError("a statement was spent")

    monkeypatch.setattr(world.database.runner, "once", once)


# ------------------------------------------------------------------------------------------------------------ firing


async def test_firing_sleeps_until_the_next_due_instant(world: World, server: Server) -> None:
    job = await every(world, interval="1h")
    assert job.next_at is not None
    await world.elapse(job.next_at - await world.now() - SECOND // 2)
    await server.pulsing.step()
    assert 0.2 < await server.firing.step() <= 0.5
    assert await runs_of(world) == []


async def test_firing_creates_what_is_due_and_rests_until_what_comes_next(world: World, server: Server) -> None:
    job = await every(world, interval="1h")
    await make_due(world, job)
    await server.pulsing.step()
    server.pulsing.wake.clear()
    assert await server.firing.step() == 1.0
    assert [run["due_at"] for run in await runs_of(world)] == [job.next_due_at]
    assert not server.pulsing.wake.is_set()


async def test_firing_rests_without_a_statement_while_nothing_is_due(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await every(world, interval="1h")
    await server.pulsing.step()
    forbid_statements(world, monkeypatch)
    assert await server.firing.step() == 1.0


async def test_a_full_batch_is_followed_by_the_next_at_once(world: World, server: Server) -> None:
    jobs = [await every(world, f"job{n}", interval="1h") for n in range(3)]
    await make_due(world, *jobs)
    server.firing.batch = 2
    await server.pulsing.step()
    assert await server.firing.step() == 0
    assert await server.firing.step() == 1.0
    assert await world.value("SELECT count(*) FROM runs") == 3


# ----------------------------------------------------------------------------------------------------------- leasing


def lose_a_lease(world: World, monkeypatch: pytest.MonkeyPatch, *, landed: bool) -> None:
    """The answer to the commit of the next lease never comes; whether that happened is given."""
    once = world.database.runner.once
    lost: list[str] = []

    async def lossy(work: Any, pool: Any, mode: Any) -> Any:
        if lost or verb_of(work) != "run_store.lease":
            return await once(work, pool, mode)
        lost.append(verb_of(work))
        if landed:
            await once(work, pool, mode)
        raise OutcomeUnknown("The answer to a commit was lost.")

    monkeypatch.setattr(world.database.runner, "once", lossy)


async def test_a_lease_whose_outcome_is_unknown_is_asked_for_again(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, overlap="allow")
    await server.workers.register(hello(), by=INTERNAL)
    await server.pulsing.step()
    for key in "ab":
        await world.store.runs.trigger(ask(key=key))
    waiting = await parked(server, poll(free=1))
    lose_a_lease(world, monkeypatch, landed=True)
    with pytest.raises(OutcomeUnknown):
        await server.leasing.step()
    await server.leasing.step()  # no pulse has to say that something is ready
    leased = await asyncio.wait_for(waiting, 30)
    running = [run["id"] for run in await runs_of(world) if run["state"] == "RUNNING"]
    assert [run.run_id for run in leased.runs] == running
    assert len(running) == 1, "as many as there were free slots"


async def test_a_lease_that_may_still_land_is_not_made_again_under_its_number(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commit may be on its way for a while: with a number of its own, what comes late is known to be unwanted."""
    await save(world, overlap="allow")
    await server.workers.register(hello(), by=INTERNAL)
    await server.pulsing.step()
    await world.store.runs.trigger(ask())
    waiting = await parked(server, poll(free=1))
    lose_a_lease(world, monkeypatch, landed=False)
    with pytest.raises(OutcomeUnknown):
        await server.leasing.step()
    await server.leasing.step()
    assert await asyncio.wait_for(waiting, 30) == Leased(request_no=1)
    again = await parked(server, poll(2, free=1))
    await server.leasing.step()
    assert len((await asyncio.wait_for(again, 30)).runs) == 1


async def test_a_parked_poll_is_answered_when_a_run_comes_up(world: World, server: Server) -> None:
    await save(world)
    await server.workers.register(hello(), by=INTERNAL)
    waiting = await parked(server, poll())
    await server.pulsing.step()
    await server.leasing.step()
    assert not waiting.done()
    await world.store.runs.trigger(ask())
    server.services.runs_may_be_ready()
    assert server.leasing.wake.is_set()
    await server.leasing.step()
    leased = await asyncio.wait_for(waiting, 30)
    assert [run.job for run in leased.runs] == ["tick"]


async def test_a_poll_is_answered_empty_when_its_time_is_over(world: World, server: Server, clock: DrivenClock) -> None:
    await server.workers.register(hello(), by=INTERNAL)
    waiting = await parked(server, poll(wait_s=5))
    await clock.advance(5)
    await server.leasing.step()
    assert await asyncio.wait_for(waiting, 30) == Leased(request_no=1)


async def test_a_session_that_left_loses_its_parked_poll(world: World, server: Server) -> None:
    await server.workers.register(hello(), by=INTERNAL)
    waiting = await parked(server, poll())
    await server.workers.leave(Leaving(session="w1"), by=INTERNAL)
    assert await asyncio.wait_for(waiting, 30) == Leased(request_no=1)
    await server.leasing.step()  # and nobody stumbles over it


async def test_any_server_serves_a_session_that_another_registered(world: World, make_server: MakeServer) -> None:
    await save(world)
    first, second = make_server("s1"), make_server("s2")
    await first.workers.register(hello(), by=INTERNAL)
    await world.store.runs.trigger(ask())
    await second.pulsing.step()
    waiting = await parked(second, poll())
    await soon(second.leasing.wake.is_set, within_s=30)
    await second.leasing.step()
    assert len((await asyncio.wait_for(waiting, 30)).runs) == 1


async def test_what_a_worker_offers_anew_on_one_server_holds_on_every_server(
    world: World, make_server: MakeServer
) -> None:
    """A worker loads changed code and tells whichever server it speaks to; its next poll may go to another one."""
    await save(world, "old", run="python:jobs:old")
    await save(world, "new", run="python:jobs:new")
    first, second = make_server("s1"), make_server("s2")
    await first.workers.register(hello("w1", "python:jobs:old"), by=INTERNAL)
    await second.pulsing.step()
    waiting = await parked(second, poll())
    await second.leasing.step()  # so that the second server knows what the worker offered
    await first.workers.register(hello("w1", "python:jobs:new"), by=INTERNAL)
    for name in ("old", "new"):
        await world.store.runs.trigger(ask(name))
    second.leasing.hint()
    await second.leasing.step()
    assert await asyncio.wait_for(waiting, 30) == Leased(request_no=1), "what it no longer offers is not leased to it"
    second.leasing.wake.clear()
    again = await parked(second, poll(2))
    await soon(second.leasing.wake.is_set, within_s=30)
    await second.leasing.step()
    assert [run.job for run in (await asyncio.wait_for(again, 30)).runs] == ["new"]


async def test_a_session_nobody_knows_is_told_that_it_is_dead(server: Server) -> None:
    assert (await server.workers.lease(poll(session="ghost"), by=INTERNAL)).dead


async def test_a_worker_gets_only_what_it_offers(world: World, server: Server) -> None:
    await save(world, "other", run="python:jobs:other")
    await world.store.runs.trigger(ask("other"))
    await server.workers.register(hello("w1", "python:jobs:tick"), by=INTERNAL)
    await server.pulsing.step()
    waiting = await parked(server, poll())
    await server.leasing.step()
    assert not waiting.done()
    server.leasing.stop()
    await waiting


# -------------------------------------------------------------------------------------------------- leading and upkeep


async def test_one_server_leads_and_the_next_takes_over_when_it_falls_silent(
    world: World, make_server: MakeServer, clock: DrivenClock
) -> None:
    first, second = make_server("s1"), make_server("s2")
    for server in (first, second):
        await server.pulsing.step()
        await server.leading.step()
    assert (first.leadership.term, second.leadership.term) == (1, None)
    await world.elapse(TEST_TIMING.leader_ttl_us + SECOND)
    await clock.advance(TEST_TIMING.leader_ttl_us / SECOND + 1)
    assert first.leadership.term is None, "its trust ends by its own clock, before anybody else may win"
    await second.pulsing.step()
    await second.leading.step()
    assert second.leadership.term == 2


async def test_stepping_down_lets_another_win_at_once(world: World, make_server: MakeServer) -> None:
    first, second = make_server("s1"), make_server("s2")
    await first.pulsing.step()
    await first.leading.step()
    await first.leading.resign()
    assert first.leadership.term is None
    await second.pulsing.step()
    await second.leading.step()
    assert second.leadership.term == 2


async def test_a_leader_lets_go_of_its_term_before_it_hands_over_the_next(
    world: World, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I10: at no time do two servers trust a term."""
    first, second = make_server("s1"), make_server("s2")
    for server in (first, second):
        await server.presence.step()
        await server.pulsing.step()
        await server.leading.step()
    assert (first.leadership.term, second.leadership.term) == (1, None)
    real = world.store.nodes.appoint

    async def appoint(heir: str, **how: Any) -> int | None:
        assert first.leadership.term is None, "it trusts its term while it gives it away"
        return await real(heir, **how)

    monkeypatch.setattr(world.store.nodes, "appoint", appoint)
    await world.store.nodes.wish(second.session.id, ttl_us=5 * SECOND)
    for server in (first, second):
        server.leading.wake.clear()
        await server.pulsing.step()
    assert first.leading.wake.is_set(), "it does not wait for its next turn"
    assert not second.leading.wake.is_set()
    await first.leading.step()
    await second.pulsing.step()
    assert second.leading.wake.is_set()
    await second.leading.step()
    await first.pulsing.step()
    await first.leading.step()
    assert (first.leadership.term, second.leadership.term) == (None, 2)


async def test_a_leader_whose_heir_is_gone_goes_on(world: World, server: Server) -> None:
    await server.presence.step()
    await server.pulsing.step()
    await server.leading.step()
    await world.store.nodes.wish("nobody", ttl_us=5 * SECOND)
    await server.pulsing.step()
    with capture_logs() as told:
        await server.leading.step()
    assert [line["event"] for line in told if line["event"].startswith("leader.")] == [
        "leader.changed", "leader.not_handed_over",
    ]  # fmt: skip
    assert server.leadership.term is None
    await server.leading.step()
    assert server.leadership.term == 1


async def test_a_follower_spends_no_statement_on_a_lease_that_is_held(
    world: World, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_server("s1"), make_server("s2")
    await first.pulsing.step()
    await first.leading.step()
    await second.pulsing.step()
    forbid_statements(world, monkeypatch)
    assert await second.leading.step() > 0
    assert second.leadership.term is None


async def test_housekeeping_is_the_leaders(world: World, server: Server) -> None:
    await server.workers.register(hello(), by=INTERNAL)
    await world.elapse(HOUR)
    reaping = next(duty for duty in server._leader_duties() if duty.name == "reaping")
    await reaping.step()
    assert await world.value("SELECT state FROM nodes WHERE id = 'w1'") == "live"
    await server.pulsing.step()
    await server.leading.step()  # the first tick after a silence grants amnesty (R8)
    await reaping.step()
    assert await world.value("SELECT state FROM nodes WHERE id = 'w1'") == "live"
    for _ in range(TEST_TIMING.session.ttl_us // SECOND + 2):  # ticks that come in time: the amnesty runs out
        await world.elapse(SECOND)
        await server.leading.step()
        await reaping.step()
    assert await world.value("SELECT state FROM nodes WHERE id = 'w1'") == "dead"


async def test_a_trigger_for_later_gets_its_place_when_it_is_due(world: World, server: Server) -> None:
    await save(world, overlap="queue")
    await world.store.runs.trigger(ask(delay_us=10 * SECOND))
    assert (await runs_of(world))[0]["place"] is None
    await world.elapse(11 * SECOND)
    await server.pulsing.step()
    assert server.sweeping.wake.is_set()
    await server.sweeping.step()
    assert (await runs_of(world))[0]["place"] is not None


async def test_a_server_that_was_given_up_begins_a_new_session(world: World, server: Server) -> None:
    await server.presence.step()
    old = server.session.id
    await world.change("UPDATE nodes SET state = 'dead' WHERE id = :id", id=old)
    assert await server.presence.step() == 0
    await server.presence.step()
    assert server.session.id != old
    assert await world.value("SELECT count(*) FROM nodes WHERE state = 'live' AND kind = 'server'") == 1
