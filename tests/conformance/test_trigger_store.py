"""Triggers: a run because somebody asked, at most once per key."""

import asyncio

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import HOUR
from foliot.domain.planner import Planner
from foliot.ports.store.runs import BadTrigger
from tests.conformance.building import NS, PERSON, ask, every, fire, make_due, runs_of, save
from tests.conformance.world import World


async def test_the_same_key_gets_the_same_run(world: World) -> None:
    await save(world)
    first = await world.store.runs.trigger(ask(key="once"))
    again = await world.store.runs.trigger(ask(key="once", priority=9, params="[1]"))
    assert (again.run_id, again.created) == (first.run_id, False)
    assert (await world.store.runs.trigger(ask(key="twice"))).run_id != first.run_id
    assert len(await runs_of(world)) == 2


async def test_the_same_key_at_once_makes_one_run(world: World) -> None:
    other = await world.open()
    await save(world)
    stores = (world.store, other)
    answers = await asyncio.gather(*(stores[n % 2].runs.trigger(ask(key="once")) for n in range(8)))
    assert len({answer.run_id for answer in answers}) == 1
    assert sorted(answer.created for answer in answers) == [False] * 7 + [True]


async def test_a_hundred_triggers_at_once_are_a_hundred_runs_in_one_line(world: World) -> None:
    await save(world, overlap="queue_all")
    await asyncio.gather(*(world.store.runs.trigger(ask(key=str(n))) for n in range(100)))
    runs = await runs_of(world)
    assert [run.place for run in runs] == list(range(2, 102))
    assert [run.parked for run in runs] == [0] + [1] * 99


async def test_a_trigger_for_later_waits_for_its_time(world: World) -> None:
    await save(world, "free")
    await save(world, "serial", overlap="queue")
    at = await world.now() + HOUR
    for job in ("free", "serial"):
        assert (await world.store.runs.trigger(ask(job, at=at))).not_before == at
    (free,) = await runs_of(world, "free")
    (serial,) = await runs_of(world, "serial")
    assert (free.place, free.parked, free.due_at, free.not_before) == (2, 0, at, at)
    assert (serial.place, serial.parked, serial.due_at, serial.not_before) == (None, 1, at, at)


async def test_a_trigger_for_a_time_gone_by_is_due_now_and_keeps_its_instant(world: World) -> None:
    await save(world)
    at = await world.now() - HOUR
    triggered = await world.store.runs.trigger(ask(at=at))
    (run,) = await runs_of(world)
    assert run.due_at == at
    assert triggered.not_before > at


async def test_a_trigger_of_a_serial_job_stands_behind_what_is_open(world: World) -> None:
    job = await every(world, overlap="skip")
    await make_due(world, job)
    await fire(world)
    await world.store.runs.trigger(ask(key="a"))
    await world.store.runs.trigger(ask(key="b", allow_overlap=True))
    runs = await runs_of(world)
    assert [(run.place, run.parked, run.serial) for run in runs] == [(2, 0, 1), (3, 1, 1), (4, 0, 0)]


async def test_no_run_of_an_exclusive_job_overlaps_another_because_somebody_asks(world: World) -> None:
    await save(world, overlap="queue")
    await save(world, overlap="queue", exclusive=True)
    with pytest.raises(BadTrigger, match="exclusive"):
        await world.store.runs.trigger(ask(key="a", allow_overlap=True))
    with pytest.raises(BadTrigger, match="exclusive"):
        await world.store.runs.trigger(ask(key="b", version=1))
    assert await runs_of(world) == []
    assert (await world.store.runs.trigger(ask(key="b", version=2))).created
    assert [run.serial for run in await runs_of(world)] == [1]


async def test_a_paused_job_can_be_triggered(world: World) -> None:
    await every(world)
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    assert (await world.store.runs.trigger(ask())).created


async def test_a_trigger_of_a_sharded_job_makes_its_shards(world: World) -> None:
    await save(world, shards=3)
    triggered = await world.store.runs.trigger(ask(params="[7]"))
    parent, *children = await runs_of(world)
    assert (parent.run_id, parent.state, parent.open_children) == (triggered.run_id, "RUNNING", 3)
    assert [(child.shard, child.params, child.state) for child in children] == [
        (shard, "[7]", "PENDING") for shard in range(3)
    ]
    again = await world.store.runs.trigger(ask())
    assert (again.run_id, again.created) == (triggered.run_id, False)
    assert len(await runs_of(world)) == 4


async def test_a_job_that_is_not_there_is_named(world: World) -> None:
    await save(world, "backup")
    with pytest.raises(JobNotFound) as missing:
        await world.store.runs.trigger(ask("backpu"))
    assert missing.value.nearest == "backup"
