"""Statistics in the store: runs are counted once each, whoever counts; figures add up, and old ones go."""

from collections.abc import Sequence

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.statistics.figures import Minutes, RunFigures, count, rolled_up
from foliot.domain.statistics.resolution import Resolution
from foliot.domain.verdict import Cause
from foliot.ports.store.statistics import Counted, FigurePoint, LeftPage, StatisticsStore
from tests.conformance.building import job_of, save
from tests.conformance.working import forget, lead, trigger, worker
from tests.conformance.world import World

MANY = 10_000


async def read(store: StatisticsStore) -> Counted:
    """All that there is to count: the newest runs, and those that were left behind."""
    seen = await store.progress()
    passed = await store.passed(after_id=seen.counted_id, until_id=seen.newest_id, limit=MANY)
    minutes: Minutes = {}
    count(minutes, passed.ended)
    left = [LeftPage(passed.unended[0], passed.unended, seen.now)] if passed.unended else []
    gone: list[int] = []
    for page in await store.left(limit=10):
        found = await store.found(page.run_ids)
        count(minutes, found.ended)
        if found.unended:
            left.append(page._replace(run_ids=found.unended))
        else:
            gone.append(page.first_id)
    return Counted(rolled_up(minutes, now=seen.now), passed.last_id, left, gone)


async def counted(world: World) -> None:
    store = world.store.statistics
    assert await store.add(await store.progress(), await read(store), term=None)


async def points_of(world: World, resolution: Resolution, job: str = "tick") -> Sequence[FigurePoint]:
    """A job's figures of the last two days."""
    now = await world.now()
    starts = resolution.starts(now - 2 * DAY + HOUR, now + 1)
    found = await world.store.statistics.of_job((await job_of(world, job)).job_id, resolution, starts, limit=MANY)
    assert found.is_whole
    return found.points


async def sum_of(world: World, resolution: Resolution = Resolution.HOUR, *, parts: bool = False) -> RunFigures:
    figures = RunFigures()
    for point in await points_of(world, resolution):
        if point.is_part == parts:
            figures.merge(point.figures)
    return figures


async def test_runs_are_counted_into_minutes_hours_and_days_of_jobs_and_nodes(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=3)
    anne = await worker(world)
    one, two, three = await anne.lease(8)
    await world.elapse(2 * SECOND)
    await anne.complete(one, two, started_us_ago=SECOND)
    await world.elapse(2 * MINUTE)
    await anne.complete(three, cause=Cause.TIMEOUT, error="late", started_us_ago=2 * SECOND)
    await counted(world)
    await trigger(world)
    await anne.beat()
    await anne.complete(*await anne.lease(8), started_us_ago=0)
    await counted(world)  # the second time rows are there already, and get more
    for resolution in Resolution:
        figures = await sum_of(world, resolution)
        assert (figures.runs, figures.succeeded, figures.failed) == (4, 3, 1)
        assert dict(figures.kinds) == {"timeout": 1}
        assert figures.took.count == 4
        assert 4 * SECOND <= figures.took.sum_us < 5 * SECOND, "what they said, and the way of the reports"
        assert figures.took.sketch.total == figures.delay.sketch.total == 4
        assert figures.delay.longest_us > 2 * MINUTE - SECOND
    minutes = await points_of(world, Resolution.MINUTE)
    assert sorted(point.figures.runs for point in minutes) == [2, 2]
    assert {point.node for point in minutes} == {anne.name}
    now = await world.now()
    of_node = await world.store.statistics.of_node(anne.name, Resolution.DAY, Resolution.DAY.starts(now - DAY, now + 1))
    assert [point.figures.runs for point in of_node] == [4]
    job_id = (await job_of(world)).job_id
    paces = await world.store.statistics.paces([job_id, 99])
    assert (paces[99], [*paces[job_id]]) == ({}, [anne.name])
    assert SECOND < paces[job_id][anne.name] < 2 * MINUTE, "a second each, and the time that runs waited for her"


async def test_runs_that_are_not_counted_yet_are_in_the_figures_of_their_job(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.complete(one)
    assert (await sum_of(world)).runs == 1
    await counted(world)
    assert (await sum_of(world)).runs == 1
    await anne.complete(two)
    await trigger(world)
    await anne.complete(*await anne.lease(8))
    assert (await sum_of(world)).runs == 2  # the one that was left behind comes when the leader looks at it again
    await world.elapse(MINUTE)
    await counted(world)
    assert (await sum_of(world)).runs == 3


async def test_a_round_that_another_overtook_adds_nothing(world: World) -> None:
    store, other = world.store.statistics, (await world.open()).statistics
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.complete((await anne.lease(1))[0])
    seen, found = await store.progress(), await read(store)
    assert await other.add(await other.progress(), await read(other), term=None)
    assert not await store.add(seen, found, term=None)
    assert not await store.add(seen, found, term=None), "an answer that was lost is asked for again"
    assert (await sum_of(world)).runs == 1
    assert len(await store.left(limit=10)) == 0, "it is not due yet"
    await world.elapse(MINUTE)
    assert [len(page.run_ids) for page in await store.left(limit=10)] == [1]


async def test_a_leader_whose_term_is_over_counts_nothing(world: World) -> None:
    store = world.store.statistics
    term = await lead(world)
    await save(world, "tick")
    await trigger(world)
    seen, found = await store.progress(), await read(store)
    assert not await store.add(seen, found, term=term + 1)
    assert (await store.progress()).counted_id == 0
    assert await store.add(seen, found, term=term)
    assert (await store.progress()).counted_id == seen.newest_id


async def test_runs_that_had_not_ended_are_looked_at_again_until_they_end_or_are_deleted(world: World) -> None:
    store = world.store.statistics
    await save(world, "tick")
    _, _, _, forgotten = await trigger(world, n=4)
    anne = await worker(world)
    leases = await anne.lease(8)
    await counted(world)
    assert not (await store.progress()).has_left
    await anne.complete(leases[0])
    await anne.complete(*(run for run in leases if run.run_id == forgotten))
    await world.elapse(DAY + MINUTE)
    assert (await forget(world))[0] == 2, "two ended a day ago"
    await anne.beat(*leases[1:3])
    await anne.complete(leases[1])
    assert (await store.progress()).has_left
    await counted(world)
    assert (await sum_of(world)).runs == 1, "retention was before the leader"
    await world.elapse(6 * HOUR)
    await anne.complete(leases[2])
    await counted(world)
    assert (await sum_of(world)).runs == 2
    await world.elapse(DAY)
    assert await store.left(limit=10) == []


async def test_a_sharded_run_counts_once_and_its_shards_count_for_their_workers(world: World) -> None:
    await save(world, "tick", shards=3)
    await trigger(world)
    anne = await worker(world)
    shards = await anne.lease(8)
    await world.elapse(2 * SECOND)
    await anne.complete(*shards, started_us_ago=SECOND)
    await counted(world)
    assert ((await sum_of(world)).runs, (await sum_of(world, parts=True)).runs) == (1, 3)
    job_id = (await job_of(world)).job_id
    kept_us = (await sum_of(world, parts=True)).took.sum_us
    assert await world.store.statistics.slot_times([job_id]) == {job_id: kept_us}, "the slots are those of its shards"
    job_id = (await job_of(world)).job_id
    (pace,) = (await world.store.statistics.paces([job_id]))[job_id].values()
    assert 2 * SECOND <= pace < 3 * SECOND, "they waited a second and took one"


async def test_old_figures_go_in_steps_and_others_stay(world: World) -> None:
    store = world.store.statistics
    for name in ("tick", "tock"):
        await save(world, name)
    anne = await worker(world)
    for _ in range(3):
        for name in ("tick", "tock"):
            await trigger(world, name)
        await anne.beat()
        await anne.complete(*await anne.lease(8))
        await world.elapse(2 * MINUTE)
    await counted(world)
    now = await world.now()
    before = Resolution.MINUTE.start_of(now - 3 * MINUTE)
    steps = [await store.forget(Resolution.MINUTE, before=before, limit=2, term=None) for _ in range(3)]
    assert steps[0] is True
    assert steps[-1] is False
    assert len(await points_of(world, Resolution.MINUTE)) == 1
    assert (await sum_of(world, Resolution.HOUR)).runs == 3


async def test_an_answer_that_would_be_too_large_is_none_and_says_so(world: World) -> None:
    await save(world, "tick")
    anne = await worker(world)
    for _ in range(2):
        await trigger(world)
        await anne.beat()
        await anne.complete(*await anne.lease(8))
        await world.elapse(2 * MINUTE)
    await counted(world)
    now = await world.now()
    starts = Resolution.MINUTE.starts(now - HOUR, now)
    found = await world.store.statistics.of_job((await job_of(world)).job_id, Resolution.MINUTE, starts, limit=1)
    assert (len(found.points), found.is_whole) == (0, False)
