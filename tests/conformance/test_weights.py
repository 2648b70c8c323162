"""Weights: a run takes several of a limit, and is not passed for ever by runs that take less."""

import asyncio
from typing import Any

import pytest

from foliot.domain.limits import LimitTooSmall, limit_key
from foliot.domain.verdict import Cause
from tests.conformance.building import ask, definition
from tests.conformance.limiting import save
from tests.conformance.working import Worker, worker
from tests.conformance.world import World


def heavy(takes: int, most: int = 8, **document: Any) -> Any:
    return definition(place={"concurrency": {"db": most}, "takes": {"db": takes}}, **document)


def light(most: int = 8, **document: Any) -> Any:
    return definition(place={"concurrency": {"db": most}}, **document)


async def used(world: World) -> int:
    (found,) = await world.store.limits.find([limit_key("db", "default")])
    return found.used


async def ask_for(world: World, job: str, n: int, tag: str = "") -> None:
    for nth in range(n):
        await world.store.runs.trigger(ask(job, key=f"{job}{tag}{nth}"))


async def test_a_run_takes_as_many_as_its_job_says(world: World) -> None:
    await save(world, heavy(3), job="heavy")
    await ask_for(world, "heavy", 4)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 2
    assert await used(world) == 6
    assert await anne.lease(8) == ()


async def test_light_ones_take_what_is_left(world: World) -> None:
    await save(world, heavy(3), job="heavy")
    await save(world, light(), job="light")
    await ask_for(world, "heavy", 2)
    await ask_for(world, "light", 5)
    anne = await worker(world)
    assert len(await anne.lease(8)) == 4
    assert await used(world) == 8


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR, Cause.RELEASED])
async def test_every_way_out_gives_all_of_it_back(world: World, cause: Cause) -> None:
    await save(world, heavy(3, retries=2), job="heavy")
    await ask_for(world, "heavy", 2)
    anne = await worker(world)
    leased = await anne.lease(8)
    await anne.complete(*leased, cause=cause)
    assert await used(world) == 0


async def test_the_watchdog_counts_what_each_takes(world: World) -> None:
    await save(world, heavy(3), job="heavy")
    await save(world, light(), job="light")
    await ask_for(world, "heavy", 2)
    await ask_for(world, "light", 1)
    await (await worker(world)).lease(8)
    assert await world.store.runs.recount_limits() == 0
    assert await used(world) == 7


async def test_no_more_are_taken_than_there_are_by_several_servers_at_once(world: World) -> None:
    other = await world.open()
    await save(world, heavy(3), job="heavy")
    await save(world, heavy(2), job="middle")
    await save(world, light(), job="light")
    for job in ("heavy", "middle", "light"):
        await ask_for(world, job, 6)
    workers = [await Worker(world, store).register() for store in (world.store, other) * 2]
    takes = {"heavy": 3, "middle": 2, "light": 1}
    done = 0
    for _ in range(40):
        leased = await asyncio.gather(*(one.lease(8) for one in workers))
        held = sum(takes[run.job] for runs in leased for run in runs)
        assert held == await used(world) <= 8
        for one, runs in zip(workers, leased, strict=True):
            if runs:
                await one.complete(*runs)
                done += len(runs)
        if done == 18:
            break
    assert done == 18


async def test_a_heavy_run_is_not_passed_by_light_ones_that_come_later(world: World) -> None:
    await save(world, heavy(8), job="heavy")
    await save(world, light(), job="light")
    await ask_for(world, "light", 4)
    anne = await worker(world)
    before = await anne.lease(8)
    await ask_for(world, "heavy", 1)
    await ask_for(world, "light", 8, "later")
    assert await anne.lease(8) == ()  # four are free, and kept
    await anne.complete(*before[:3])
    assert await anne.lease(8) == ()
    await anne.complete(before[3])
    (begun,) = await anne.lease(8)
    assert begun.job == "heavy"
    await anne.complete(begun)
    assert [run.job for run in await anne.lease(8)] == ["light"] * 8


async def test_what_is_kept_is_kept_from_workers_of_other_servers(world: World) -> None:
    other = await world.open()
    await save(world, heavy(8), job="heavy")
    await save(world, light(run="python:jobs:light"), job="light")
    heavies, lights = await lanes_apart(world)
    anne, ben = await worker(world), await Worker(world, other).register()
    await ask_for(world, "light", 1)
    (first,) = await ben.lease(8, lanes=lights)
    await ask_for(world, "heavy", 1)
    assert await anne.lease(8, lanes=heavies) == ()  # one is missing: it claims what comes free
    await ask_for(world, "light", 8, "later")
    assert await ben.lease(8, lanes=lights) == ()
    await ben.complete(first)
    assert await ben.lease(8, lanes=lights) == ()
    (begun,) = await anne.lease(8, lanes=heavies)
    assert begun.job == "heavy"


async def test_a_light_run_that_was_due_before_goes_first(world: World) -> None:
    await save(world, heavy(8), job="heavy")
    await save(world, light(run="python:jobs:light"), job="light")
    heavies, lights = await lanes_apart(world)
    anne = await worker(world)
    await ask_for(world, "light", 3)
    first = await anne.lease(1, lanes=lights)
    await ask_for(world, "heavy", 1)
    assert await anne.lease(8, lanes=heavies) == ()
    assert len(await anne.lease(8, lanes=lights)) == 2
    assert len(first) == 1


async def test_nothing_is_kept_for_a_run_that_waits_for_something_else(world: World) -> None:
    place = {"concurrency": {"db": 8, "other": 1}, "takes": {"db": 8}}
    await save(world, definition(place=place), job="heavy")
    await save(world, definition(place={"concurrency": {"other": 1}}), job="holder")
    await save(world, light(), job="light")
    anne = await worker(world)
    await ask_for(world, "holder", 1)
    await ask_for(world, "light", 1)
    assert len(await anne.lease(8)) == 2
    await ask_for(world, "heavy", 1)
    await ask_for(world, "light", 3, "later")
    assert len(await anne.lease(8)) == 3


async def test_nothing_is_kept_for_a_run_that_needs_more_than_there_is(world: World) -> None:
    await world.store.limits.set_shared("db", 8)
    await save(world, heavy(6), job="heavy")
    await save(world, light(), job="light")
    await world.store.limits.set_shared("db", 4)
    await ask_for(world, "heavy", 1)
    await ask_for(world, "light", 3)
    leased = await (await worker(world)).lease(8)
    assert [run.job for run in leased] == ["light"] * 3


async def test_a_job_whose_runs_could_never_start_is_refused(world: World) -> None:
    await save(world, heavy(3), job="first")
    await save(world, light(2), job="second")  # whoever may change it lowers it for all
    with pytest.raises(LimitTooSmall) as refused:
        await save(world, heavy(3, owner="anne"), job="first")
    assert (refused.value.data["takes"], refused.value.data["max"]) == (3, 2)


async def test_shards_and_the_merge_run_take_as_many(world: World) -> None:
    await save(world, heavy(4, shards=3, overlap="allow"), job="heavy")
    await ask_for(world, "heavy", 1)
    anne = await worker(world)
    shards = await anne.lease(8)
    assert (len(shards), await used(world)) == (2, 8)
    await anne.complete(*shards)
    assert (len(await anne.lease(8)), await used(world)) == (1, 4)


async def lanes_apart(world: World) -> tuple[list[int], list[int]]:
    lanes = await world.store.jobs.lanes()
    heavies = [lane_id for lane_id, lane in lanes.items() if lane.offer == "python:jobs:tick"]
    return heavies, [lane_id for lane_id in lanes if lane_id not in heavies]
