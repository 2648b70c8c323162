"""Bands: a session's beats put it into a band, and its band decides how many of its slots are given runs."""

from dataclasses import replace

import pytest

from foliot.domain.health import FellBy, Health
from foliot.domain.instants import SECOND
from foliot.ports.store.node_row import NodeRow
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.conformance.building import PERSON, save
from tests.conformance.working import BEAT_EVERY_US, Worker, lead, trigger, worker
from tests.conformance.world import World

STRAINED = {"cpu": 1.0, "memory": 0.95, "connections": 990.0, "running": 8.0}
CALM = {"cpu": 0.2, "memory": 0.3, "connections": 9.0, "running": 0.0}


@pytest.fixture
async def anne(world: World) -> Worker:
    """A worker with 8 slots, a leader that ticks, and more runs than slots."""
    await save(world, "tick")
    await trigger(world, n=12)
    await lead(world)
    return await worker(world)


async def pass_by(world: World, us: int) -> None:
    """Time in which the leader ticks."""
    while us > 0:
        await world.elapse(min(us, 2 * SECOND))
        us -= 2 * SECOND
        await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)


async def beats(world: World, anne: Worker, *loads: dict[str, float]) -> list[str]:
    """The band after each of these beats, a beat's time apart."""
    said = []
    for load in loads:
        await pass_by(world, BEAT_EVERY_US)
        said.append((await anne.beat(load=load)).health)
    return said


async def leased(anne: Worker, *, in_warning: int = 4) -> int:
    """How many runs a poll with 8 free slots gets; they go back."""
    poll = replace(await anne.poll(8), free_in_warning=in_warning)
    granted = await anne.store.runs.lease([poll], limit=1000)
    runs = granted.grants[0].runs
    await anne.complete(*runs)
    return len(runs)


async def node(world: World) -> NodeRow:
    (found,) = [row for row in await world.store.lookups.nodes() if row.kind == "worker"]
    return found


async def test_strain_for_three_beats_halves_the_work_until_three_calm_ones(world: World, anne: Worker) -> None:
    assert await beats(world, anne, STRAINED, STRAINED) == ["ONLINE", "ONLINE"]
    before = await node(world)
    assert await beats(world, anne, STRAINED) == ["WARNING"]
    warned = await node(world)
    assert (warned.band, before.band) == (Health.WARNING, Health.ONLINE)
    assert warned.band_at is not None
    assert warned.band_at > (before.band_at or 0)
    assert warned.load["score"] == pytest.approx(0.983)
    assert await leased(anne) == 4
    assert await beats(world, anne, CALM, CALM, CALM) == ["WARNING", "WARNING", "ONLINE"]
    assert await leased(anne) == 8


async def test_a_worker_short_of_memory_gets_half_although_its_score_is_low(world: World, anne: Worker) -> None:
    """The whole way: beat, band, share, leases. A CPU that is free lets the score stay far below its bound."""
    short, between, enough = (CALM | {"memory": share} for share in (0.97, 0.92, 0.6))
    assert await beats(world, anne, short, short) == ["ONLINE", "ONLINE"]
    assert await leased(anne) == 8
    assert await beats(world, anne, short) == ["WARNING"]
    warned = await node(world)
    assert (warned.fell_by, warned.load["memory"]) == (FellBy.LOAD, 0.97)
    assert warned.load["score"] < 0.5
    await trigger(world, n=12)
    assert await leased(anne) == 4
    assert await beats(world, anne, between, between, between) == ["WARNING"] * 3, "not short, and not enough yet"
    assert await leased(anne) == 4
    assert await beats(world, anne, enough, enough, enough) == ["WARNING", "WARNING", "ONLINE"]
    assert await leased(anne) == 8


async def test_a_silent_session_gets_less_and_then_nothing(world: World, anne: Worker) -> None:
    await pass_by(world, SESSION_TTL_US // 2 + SECOND)
    assert await leased(anne, in_warning=2) == 2
    await pass_by(world, SESSION_TTL_US // 4)
    assert await leased(anne) == 0
    assert (await anne.beat(load=CALM)).health == "ONLINE", "one late beat may be the network's"
    await pass_by(world, SESSION_TTL_US // 2 + SECOND)
    assert (await anne.beat(load=CALM)).health == "WARNING", "it was late again, and the next one may be"
    assert await leased(anne) == 4
    assert await beats(world, anne, CALM, CALM, CALM) == ["WARNING", "WARNING", "ONLINE"]


async def test_late_beats_and_load_hold_a_session_back_each_by_itself(world: World, anne: Worker) -> None:
    busy = {"cpu": 0.85, "starved": 0.85}
    for expected in ("ONLINE", "WARNING"):
        await pass_by(world, SESSION_TTL_US // 2 + SECOND)
        assert (await anne.beat(load=busy)).health == expected
    assert (await node(world)).fell_by is FellBy.LATENESS
    assert await beats(world, anne, busy, busy, busy) == ["WARNING", "WARNING", "ONLINE"]
    assert (await node(world)).fell_by is None
    assert (
        await beats(world, anne, STRAINED, STRAINED, STRAINED, busy, busy, busy, busy)
        == ["ONLINE"] * 2 + ["WARNING"] * 5
    )
    assert (await node(world)).fell_by is FellBy.LOAD


async def test_nobody_is_blamed_for_the_time_in_which_the_store_was_away(world: World, anne: Worker) -> None:
    await world.elapse(SESSION_TTL_US * 4 // 5)  # no tick, no beat
    assert await leased(anne) == 8
    await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US)
    answer = await anne.beat(load=CALM)
    assert (answer.health, answer.slots) == ("ONLINE", 8)


async def test_a_node_says_when_it_began_was_ready_and_drained(world: World, anne: Worker) -> None:
    await anne.beat(load=CALM, syncing=True)
    assert (await node(world)).ready_at is None
    await world.elapse(SECOND)
    await anne.beat(load=CALM)
    ready = await node(world)
    assert ready.begun_at is not None
    assert ready.asked_at is not None
    assert ready.ready_at is not None
    assert ready.begun_at <= ready.asked_at <= ready.started_at < ready.ready_at
    await world.elapse(SECOND)
    await world.store.nodes.drain(anne.session, by=PERSON)
    assert ((await node(world)).draining_at or 0) > ready.ready_at
    await world.store.nodes.undrain(anne.session)
    assert (await node(world)).draining_at is None
    await anne.beat(load=CALM, draining=True)
    assert ((await node(world)).draining_at or 0) > ready.ready_at
    assert (await node(world)).ready_at == ready.ready_at


async def test_live_servers_say_where_they_are_reached(world: World) -> None:
    async def start(session: str, address: str) -> None:
        hello = Hello(session=session, name=session, group="", slots=0, handlers=(), address=address)
        await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US)

    await start("one", "https://b:7171")
    await world.elapse(SESSION_TTL_US - SECOND)
    await start("two", "https://a:7171")
    await start("three", "")
    await worker(world)
    assert list(await world.store.nodes.addresses()) == ["https://a:7171", "https://b:7171"]
    await world.elapse(2 * SECOND)
    assert list(await world.store.nodes.addresses()) == ["https://a:7171"], "nothing was heard of the other for long"
