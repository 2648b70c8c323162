"""Facts of reports: sums of a period beside the one before, the leaders of rankings, and what happened meanwhile."""

from collections.abc import Iterable
from itertools import count as numbers

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.reports.cover import cover
from foliot.domain.reports.facts import NOTHING, ReportFacts
from foliot.domain.statistics.figures import EndedRun, Minutes, count, rolled_up
from foliot.domain.statistics.node_load import NodeLoad
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import ALL_JOBS
from foliot.ports.store.node_loads import LoadProgress
from foliot.ports.store.reports import ReportQuestion
from foliot.ports.store.statistics import Counted
from tests.conformance.building import PERSON, PLANS, definition, job_of, save
from tests.conformance.world import World

_MARKS = numbers(1)


def ended(
    job_id: int, at: int, *, took: int = SECOND, waits: int = 0, failed: bool = False, node: str = "w-1"
) -> EndedRun:
    """A run that ended at an instant."""
    state, kind = ("FAILED", "error") if failed else ("SUCCEEDED", None)
    return EndedRun(job_id, 0, node, state, kind, 0, at - took - waits, at - took, at)


async def keep(world: World, runs: Iterable[EndedRun]) -> None:
    """Count runs that the store does not have any more."""
    minutes: Minutes = {}
    count(minutes, runs)
    store = world.store.statistics
    seen = await store.progress()
    figures = rolled_up(minutes, now=seen.now)
    assert await store.add(seen, Counted(figures, seen.counted_id + next(_MARKS), [], []), term=None)


async def asked(world: World, from_at: int, to_at: int, *, namespace: str | None = None, top: int = 10) -> ReportFacts:
    now = await world.now()
    length = to_at - from_at
    return await world.store.reports.facts(
        ReportQuestion(
            namespace=namespace,
            from_at=from_at,
            to_at=to_at,
            points=cover(from_at, to_at, now=now).points,
            points_before=cover(from_at - length, from_at, now=now).points,
            crowded_by=Resolution.MINUTE,
            with_loads=True,
            top=top,
        )
    )


async def test_the_sums_of_a_day_stand_beside_those_of_the_day_before(world: World) -> None:
    for name in ("tick", "slow", "sick"):
        await save(world, name)
    await world.store.jobs.save("other", "tick", definition(job="tick"), by=PERSON, plans=PLANS)
    tick, slow, sick = [(await job_of(world, name)).job_id for name in ("tick", "slow", "sick")]
    foreign = (await world.store.lookups.job("other", "tick")).job_id
    today = Resolution.DAY.start_of(await world.now())
    yesterday = today - DAY
    noon = yesterday + 12 * HOUR
    await keep(
        world,
        [
            *(ended(tick, noon + n * SECOND) for n in range(4)),
            ended(slow, noon, took=10 * MINUTE, node="w-2"),
            ended(sick, noon + HOUR, failed=True, waits=30 * SECOND),
            ended(foreign, noon, failed=True),
            ended(tick, yesterday - 1),  # the day before
            ended(tick, today),  # not any more
        ],
    )
    facts = await asked(world, yesterday, today, namespace="default")
    assert (facts.now.runs, facts.now.succeeded, facts.now.failed) == (6, 5, 1)
    assert (facts.now.took_max_us, facts.now.delay_max_us) == (10 * MINUTE, 30 * SECOND)
    assert (facts.before.runs, facts.before.failed) == (1, 0)
    assert (facts.jobs_ran, facts.jobs_ran_before, facts.jobs) == (3, 1, 3)
    by_name = {one.name: one for one in facts.leaders}
    assert (by_name["tick"].now.runs, by_name["tick"].before.runs) == (4, 1)
    assert facts.figures[slow].took.longest_us == 10 * MINUTE
    assert dict(facts.figures[sick].kinds) == {"error": 1}
    assert next((one.start_at, one.runs, one.jobs) for one in facts.crowded) == (noon, 5, 2)
    assert {one.node: one.runs for one in facts.nodes} == {"w-1": 5, "w-2": 1}
    everywhere = await asked(world, yesterday, today)
    assert (everywhere.now.runs, everywhere.now.failed, everywhere.jobs) == (7, 2, 4)
    assert {one.node: one.runs for one in everywhere.nodes} == {"w-1": 6, "w-2": 1}


async def test_only_the_leaders_of_rankings_come_out_and_the_sums_are_of_all(world: World) -> None:
    names = [f"job-{n}" for n in range(5)]
    for name in names:
        await save(world, name)
    ids = [(await job_of(world, name)).job_id for name in names]
    today = Resolution.DAY.start_of(await world.now())
    noon = today - 12 * HOUR
    runs = [ended(job_id, noon, took=(n + 1) * MINUTE, failed=n == 0) for n, job_id in enumerate(ids)]
    await keep(world, [*runs, ended(ids[1], noon - DAY, took=SECOND)])
    facts = await asked(world, today - DAY, today, top=1)
    assert (facts.now.runs, facts.jobs_ran) == (5, 5)
    assert {one.name for one in facts.leaders} == {"job-0", "job-1", "job-4"}, "most failing, most grown, slowest"
    assert set(facts.figures) == {ids[0], ids[1], ids[4]}


async def test_the_edges_of_a_day_are_those_of_its_zone(world: World) -> None:
    await save(world, "tick")
    tick = (await job_of(world)).job_id
    midnight = Resolution.DAY.start_of(await world.now()) - 5 * HOUR - 30 * MINUTE  # in Kolkata, UTC+5:30
    await keep(world, [ended(tick, midnight - MINUTE), ended(tick, midnight + MINUTE), ended(tick, midnight + DAY)])
    before = await asked(world, midnight - DAY, midnight)
    after = await asked(world, midnight, midnight + DAY)
    assert (before.now.runs, after.now.runs, after.before.runs) == (1, 1, 1)


async def test_load_and_anomalies_of_the_period_are_there(world: World) -> None:
    await save(world, "tick")
    tick = (await job_of(world)).job_id
    today = Resolution.DAY.start_of(await world.now())
    load = NodeLoad("worker")
    load.samples = 6
    load.gauges["cpu"].add(500_000)
    statistics = world.store.statistics
    minute_at = today - HOUR
    assert await statistics.add_minute(LoadProgress(minute_at, {}), {"w-1": load}, since=0, term=None)
    seen = await statistics.judging_progress()
    found = [
        Anomaly(job_id=tick, kind=AnomalyKind.SILENCE, began_at=at, seen_at=at + HOUR, facts={"hours": 4})
        for at in (today - 2 * HOUR, today - 3 * DAY)
    ]
    assert await statistics.keep_course(seen, hour_at=HOUR, after_id=ALL_JOBS, opened=found, changed=(), term=None)
    facts = await asked(world, today - DAY, today, namespace="default")
    assert facts.loads["w-1"].mean("cpu") == 0.5
    assert [(one.job, one.began_at) for one in facts.anomalies] == [("tick", today - 2 * HOUR)]


async def test_a_period_in_which_nothing_was_is_empty(world: World) -> None:
    today = Resolution.DAY.start_of(await world.now())
    facts = await asked(world, today - DAY, today, namespace="nobody")
    assert (facts.now, facts.before, facts.jobs) == (NOTHING, NOTHING, 0)
    assert not any((facts.leaders, facts.crowded, facts.nodes, facts.loads, facts.skips, facts.alerts, facts.anomalies))
