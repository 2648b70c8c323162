"""Roles of servers: one guarded update promotes one standby, and the death of the server before it says so."""

import asyncio
from functools import partial

import pytest

from foliot.domain.failover import FailoverAction, FailoverOutcome, FailoverType
from foliot.domain.instants import SECOND
from foliot.domain.roles import Promotion, Role, RulesChanged, ServerRules, TooFewLeft
from foliot.domain.verdict import judge
from foliot.ports.store.actor import Actor
from foliot.ports.store.failovers import FailoverFilter
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import Beat, Hello, Leaving
from tests.conformance.working import lead
from tests.conformance.world import World

BY = Actor(name="ada", reason="")
SILENCE = SESSION_TTL_US + GRACE_US + SECOND


async def server(world: World, name: str, role: Role | None = None) -> str:
    hello = Hello(session=name, name=name, group="", slots=0, handlers=(), address=f"https://{name}")
    await world.store.nodes.register(hello, kind="server", ttl_us=SESSION_TTL_US, role=role)
    return name


async def beat(world: World, *sessions: str, no: int = 1) -> dict[str, str | None]:
    """Each of them lives on; the role that each learns."""
    answers = {}
    for session in sessions:
        told = Beat(session=session, beat_no=no, settled=0, held=())
        answer = await world.store.nodes.beat(told, ttl_us=SESSION_TTL_US, judge=judge)
        answers[session] = answer.role
    return answers


async def keep(world: World, **numbers: int) -> ServerRules:
    return await world.store.failovers.set_server_rules(ServerRules(**numbers), by=BY)


async def roles(world: World) -> dict[str, Role | None]:
    return {node.name: node.role for node in await world.store.lookups.nodes()}


async def test_a_standby_stays_one_while_enough_servers_are_active(world: World) -> None:
    await server(world, "s1")
    await server(world, "s2", Role.STANDBY)
    assert await world.store.nodes.promote() is None
    assert await roles(world) == {"s1": Role.ACTIVE, "s2": Role.STANDBY}
    assert await beat(world, "s1", "s2") == {"s1": None, "s2": "standby"}
    assert await world.store.nodes.addresses() == ["https://s1"], "workers are not sent to a standby"


async def test_the_oldest_standby_takes_the_place_of_a_silent_server_and_learns_of_it_by_its_beat(
    world: World,
) -> None:
    await server(world, "s1")
    await server(world, "s3", Role.STANDBY)
    await world.elapse(SECOND)
    await server(world, "s2", Role.STANDBY)
    await world.elapse(SILENCE)
    await beat(world, "s2", "s3")
    promoted = await world.store.nodes.promote()
    assert isinstance(promoted, Promotion)
    assert (promoted.name, promoted.instead_of) == ("s3", "s1")
    assert await world.store.nodes.promote() is None, "one is enough"
    assert await beat(world, "s2", "s3", no=2) == {"s2": "standby", "s3": "active"}
    events = (await world.store.journal.newest(EventFilter(), limit=10)).items
    told = [(event.kind, event.subject, dict(event.data)) for event in events if event.kind == "node.promoted"]
    assert told == [("node.promoted", "s3", {"instead_of": "s1"})]


async def test_servers_that_promote_at_once_promote_no_more_than_needed(world: World) -> None:
    stores = [world.store, *[await world.open() for _ in range(2)]]
    await keep(world, active_min=2)
    await server(world, "s1", Role.ACTIVE)
    for number in range(2, 6):
        await server(world, f"s{number}", Role.STANDBY)
    promoted = await asyncio.gather(*(store.nodes.promote() for store in stores for _ in range(4)))
    assert len([one for one in promoted if one is not None]) == 1
    assert list((await roles(world)).values()).count(Role.ACTIVE) == 2


async def test_a_standby_that_is_silent_itself_is_passed_over(world: World) -> None:
    await server(world, "s1", Role.STANDBY)
    await world.elapse(SILENCE)
    await server(world, "s2", Role.STANDBY)
    promoted = await world.store.nodes.promote()
    assert promoted is not None
    assert (promoted.name, promoted.instead_of) == ("s2", None)


async def test_the_crash_of_a_server_is_over_when_a_standby_took_its_place(world: World) -> None:
    await keep(world, active_min=2)
    await server(world, "s1")
    await server(world, "s2")
    await server(world, "s3", Role.STANDBY)
    await world.elapse(SILENCE)
    await beat(world, "s2", "s3")
    term = await lead(world)
    await world.store.runs.reap(judge, limit=10, term=term)
    (found,) = (await world.store.failovers.list(FailoverFilter(), limit=10)).items
    assert (found.type, found.subject, found.is_open) == (FailoverType.SERVER_CRASH, "s1", True)
    promoted = await world.store.nodes.promote()
    assert promoted is not None
    await world.store.failovers.deaths(term=term)
    (found,) = (await world.store.failovers.list(FailoverFilter(), limit=10)).items
    assert (found.action, found.done) == (FailoverAction.PROMOTE_STANDBY, {"promoted": "s3"})
    assert (found.outcome, found.ended_at) == (FailoverOutcome.RECOVERED, promoted.at)
    assert found.began_at < found.detected_at <= promoted.at


async def test_a_server_that_left_in_peace_is_replaced_and_is_no_failure(world: World) -> None:
    await server(world, "s1")
    await server(world, "s2", Role.STANDBY)
    await world.store.nodes.leave(Leaving(session="s1"), judge)
    promoted = await world.store.nodes.promote()
    assert promoted is not None
    assert (promoted.name, promoted.instead_of) == ("s2", None)
    assert not (await world.store.failovers.list(FailoverFilter(), limit=10)).items


async def test_a_user_changes_the_role_of_a_live_server_once(world: World) -> None:
    await server(world, "s1")
    await server(world, "s2")
    nodes = world.store.nodes
    assert [await nodes.set_role("s1", Role.STANDBY) for _ in range(2)] == [True, False]
    assert await beat(world, "s1") == {"s1": "standby"}
    assert [await nodes.set_role("s1", Role.ACTIVE) for _ in range(2)] == [True, False]
    assert not await nodes.set_role("nobody", Role.STANDBY)


async def test_of_users_who_take_servers_out_at_once_all_but_the_last_ones_succeed(world: World) -> None:
    """Demotes and drains count each other: whoever comes later sees what the others did."""
    stores = [world.store, *[await world.open() for _ in range(2)]]
    names = [await server(world, f"s{number}") for number in range(4)]
    await keep(world, active_min=2)

    async def take_out(number: int, name: str) -> bool:
        nodes = stores[number % len(stores)].nodes
        if number % 2:
            return await nodes.set_role(name, Role.STANDBY)
        return await nodes.drain_server(name, by=BY)

    answers = await asyncio.gather(
        *(take_out(number, name) for number, name in enumerate(names)), return_exceptions=True
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["TooFewLeft", "TooFewLeft", "bool", "bool"]
    assert (await world.store.nodes.servers()).active == 2


async def test_a_drained_server_is_no_heir_and_no_address_and_a_standby_replaces_it(world: World) -> None:
    for name, role in (("s1", None), ("s2", None), ("s3", Role.STANDBY)):
        await server(world, name, role)
    nodes = world.store.nodes
    term = await nodes.campaign("s1", ttl_us=5 * SECOND)
    assert term is not None
    assert await nodes.drain_server("s2", by=BY)
    assert not await nodes.drain_server("s2", by=BY), "it drains already"
    told = await nodes.beat(Beat(session="s2", beat_no=1, settled=0, held=()), ttl_us=SESSION_TTL_US, judge=judge)
    assert (told.alive, told.draining) == (True, True)
    assert await nodes.addresses() == ["https://s1"]
    assert await nodes.appoint("s2", session="s1", term=term.number, ttl_us=5 * SECOND) is None
    with pytest.raises(TooFewLeft):
        await nodes.drain_server("s1", by=BY)
    assert await nodes.drain_server("s3", by=BY), "a standby is missed by nobody"
    assert await nodes.undrain("s3")
    await keep(world, active_min=2)
    promoted = await nodes.promote()
    assert promoted is not None
    assert promoted.name == "s3"
    assert await nodes.undrain("s2")
    told = await nodes.beat(Beat(session="s2", beat_no=2, settled=0, held=()), ttl_us=SESSION_TTL_US, judge=judge)
    assert not told.draining


async def test_leadership_is_never_handed_to_a_standby(world: World) -> None:
    await server(world, "s1")
    await server(world, "s2", Role.STANDBY)
    term = await world.store.nodes.campaign("s1", ttl_us=5 * SECOND)
    assert term is not None
    hand_over = partial(world.store.nodes.appoint, "s2", session="s1", term=term.number, ttl_us=5 * SECOND)
    assert await hand_over() is None
    await world.store.nodes.set_role("s2", Role.ACTIVE)
    assert await hand_over() == term.number + 1


async def test_of_two_users_who_change_the_numbers_of_servers_one_is_told(world: World) -> None:
    first = await keep(world, active_min=2, standby_count=1)
    assert (first.version, await world.store.failovers.server_rules()) == (1, first)
    with pytest.raises(RulesChanged):
        await keep(world, active_min=3)
    assert (await world.store.failovers.set_server_rules(first, by=BY)).version == 2
    assert len(await world.store.failovers.policies()) == len(FailoverType), "the numbers are no type of failure"
