"""A space at the end: every engine takes it for the same, and no two keys are one on some of them (S4)."""

from dataclasses import replace

import pytest

from foliot.domain.errors import BadName, JobNotFound
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import Hello
from tests.conformance.building import NS, PERSON, PLANS, ask, save
from tests.conformance.world import World


async def test_an_idempotency_key_does_not_end_with_a_space(world: World) -> None:
    await save(world)
    first = await world.store.runs.trigger(ask("tick", "k"))
    for key in ("k ", "k  ", " "):
        with pytest.raises(AssertionError):
            await world.store.runs.trigger(ask("tick", key))
    within = await world.store.runs.trigger(ask("tick", " k"))
    other = await world.store.runs.trigger(ask("tick", "k\u00a0"))
    again = await world.store.runs.trigger(ask("tick", "k"))
    assert (first.created, within.created, other.created, again.created) == (True, True, True, False)
    assert len({first.run_id, within.run_id, other.run_id}) == 3
    assert again.run_id == first.run_id


@pytest.mark.parametrize(("namespace", "name"), [(NS, "tick "), (f"{NS} ", "tick"), (NS, "TICK")])
async def test_a_job_is_found_by_its_very_name(world: World, namespace: str, name: str) -> None:
    await save(world)
    with pytest.raises(JobNotFound):
        await world.store.lookups.job(namespace, name)
    with pytest.raises(JobNotFound):
        await world.store.lookups.job(namespace, name)
    with pytest.raises(JobNotFound):
        await world.store.jobs.pause(namespace, name, by=PERSON, plans=PLANS)
    with pytest.raises(JobNotFound):
        await world.store.jobs.delete(namespace, name, plans=PLANS)
    with pytest.raises(JobNotFound):
        await world.store.runs.trigger(replace(ask(name, "k"), namespace=namespace))
    assert (await world.store.lookups.job(NS, "tick")).name == "tick"


async def test_a_name_with_a_space_cannot_be_given(world: World) -> None:
    for name in ("tick ", " tick", "ti ck"):
        with pytest.raises(BadName, match="a space is not allowed"):
            await save(world, name)


@pytest.mark.parametrize("session", ["", "s ", "s" * 33])
async def test_a_session_has_an_id_that_every_engine_keeps(world: World, session: str) -> None:
    hello = Hello(session=session, name="w", group="default", slots=1, handlers=())
    with pytest.raises(AssertionError):
        await world.store.nodes.register(hello, kind="worker", ttl_us=SESSION_TTL_US)
