"""Answers that never come: whether a commit happened is found out, never guessed (R5, F11)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from foliot.domain.definition import from_document
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.planner import Planner
from foliot.ports.store.errors import OutcomeUnknown, StoreUnavailable
from foliot.store.sql.store import SqlStore
from tests.conformance.building import NS, PERSON, ask, definition, every, fire, make_due, save
from tests.eventually import soon
from tests.servers.ambush import Lose, Then
from tests.servers.postgres import Postgres
from tests.servers.proxy import FaultProxy
from tests.sql.rows import cursor_of, runs_of, skips_of
from tests.sql.world import UNHURRIED, World

pytestmark = [pytest.mark.services, pytest.mark.slow]

COMMIT = b"COMMIT;"  # not the COMMITTED of an isolation level


@pytest.fixture
def proxy(postgres_server: Postgres) -> Iterator[FaultProxy]:
    with FaultProxy(postgres_server.port) as proxy:
        yield proxy


@pytest.fixture
async def far(postgres_world: World, proxy: FaultProxy) -> SqlStore:
    """A store on the other side of the proxy."""
    return await postgres_world.open(proxy.url(postgres_world.url))


def fates() -> Iterator[tuple[Lose, Then]]:
    while True:
        for then in ("reset", "close"):
            for lose in ("answer", "request"):
                yield lose, then


async def test_two_hundred_lost_answers_to_a_fire_decide_every_instant_once(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    world = postgres_world
    job = await every(world, interval="1h", overlap="allow")
    assert job.next_due_at is not None
    resolved: Counter[str] = Counter()
    for n, (lose, then) in zip(range(200), fates(), strict=False):
        await make_due(world, await world.store.lookups.job(NS, "tick"))
        await far.firing.pulse()  # a connection, made and greeted
        ambush = proxy.ambush(COMMIT, lose=lose, then=then)
        with pytest.raises(OutcomeUnknown):
            await fire(world, far)
        assert ambush.sprung == 1
        # Nothing to repeat and nothing to remember: the cursor tells, once the server has noticed that we are gone.
        resolved[str(await soon(partial(outcome, world, n + 1), within_s=60))] += 1
    assert resolved == {"landed": 100, "did not": 100}
    runs = await runs_of(world)
    assert [run["due_at"] for run in runs] == [job.next_due_at + n * HOUR for n in range(200)]
    assert await skips_of(world, job) == []
    assert (await cursor_of(world, job))["cursor_ver"] == 201


async def outcome(world: World, expected: int) -> str | None:
    """Whether the fire landed; fire what did not."""
    if await world.value("SELECT count(*) FROM runs") == expected:
        return "landed"
    return "did not" if (await fire(world)).created else None


async def test_lost_answers_to_a_trigger_are_resolved_by_its_key(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    world = postgres_world
    await save(world)
    resolved: Counter[bool] = Counter()
    for n, (lose, then) in zip(range(40), fates(), strict=False):
        await far.lookups.job(NS, "tick")
        proxy.ambush(COMMIT, lose=lose, then=then)
        with pytest.raises(OutcomeUnknown):
            await far.runs.trigger(ask(key=str(n)))
        again = await far.runs.trigger(ask(key=str(n)))
        assert again.created is (lose == "request")
        resolved[again.created] += 1
    assert resolved == {True: 20, False: 20}
    assert [run["fire_key"] for run in await runs_of(world)] == [f"m:{n}" for n in range(40)]


async def test_lost_answers_to_an_edit_are_resolved_by_repeating_it(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    job = await save(postgres_world, timeout="1m")
    version = job.version
    for n, (lose, then) in zip(range(20), fates(), strict=False):
        wanted = definition(timeout=f"{n + 2}m")
        await far.lookups.job(NS, "tick")
        proxy.ambush(COMMIT, lose=lose, then=then)
        with pytest.raises(OutcomeUnknown):
            await far.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner(), expected_version=version)
        again = await far.jobs.save(NS, "tick", wanted, by=PERSON, plans=Planner(), expected_version=version)
        version += 1
        assert (again.job.version, from_document(again.job.document)) == (version, wanted)
    assert await postgres_world.value("SELECT count(*) FROM job_versions") == 21


@pytest.mark.parametrize("lose", ["answer", "request"])
async def test_silence_ends_at_the_time_limit(postgres_world: World, proxy: FaultProxy, lose: Lose) -> None:
    limits = replace(UNHURRIED, idle_control_s=4, transaction_s=8)
    far = await postgres_world.open(proxy.url(postgres_world.url), limits=limits)
    job = await every(postgres_world)
    await make_due(postgres_world, job)
    await far.firing.pulse()
    proxy.ambush(COMMIT, lose=lose, then="silence")
    with pytest.raises(OutcomeUnknown):
        await fire(postgres_world, far)
    # A request that never arrived leaves the cursor locked until the server ends the idle transaction (R11).
    decided = await fire(postgres_world)
    if lose == "request" and not decided.taken:
        await postgres_world.elapse(SECOND)
        await fire(postgres_world, waiting=True)
    assert len(await runs_of(postgres_world)) == 1


async def test_a_statement_whose_answer_is_lost_did_not_happen(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    job = await every(postgres_world)
    await make_due(postgres_world, job)
    await far.firing.pulse()
    proxy.ambush(b"UPDATE cursors", lose="answer", then="reset")
    with pytest.raises(StoreUnavailable) as refused:
        await fire(postgres_world, far)
    assert not isinstance(refused.value, OutcomeUnknown)
    assert await runs_of(postgres_world) == []
    assert (await fire(postgres_world, far)).created == 1


async def test_a_greeting_that_is_cut_off_is_no_unknown_outcome(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    job = await every(postgres_world)
    await make_due(postgres_world, job)
    proxy.ambush(COMMIT, lose="answer", then="reset")  # of the greeting: the fire itself has not begun
    with pytest.raises(StoreUnavailable) as refused:
        await fire(postgres_world, far)
    assert not isinstance(refused.value, OutcomeUnknown)
    assert await runs_of(postgres_world) == []


async def test_a_store_that_refuses_connections_is_unavailable_and_comes_back(
    postgres_world: World, proxy: FaultProxy, far: SqlStore
) -> None:
    proxy.refuse()
    with pytest.raises(StoreUnavailable):
        await far.firing.pulse()
    proxy.heal()
    assert (await far.firing.pulse()).next_at is None
    proxy.reset()
    with pytest.raises(StoreUnavailable):
        await far.firing.pulse()
    assert (await far.firing.pulse()).next_at is None
