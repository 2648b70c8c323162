"""Anomalies in the store: jobs are judged page by page, each page once; anomalies are kept, changed and listed."""

from dataclasses import replace

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.instants import DAY, HOUR
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import ALL_JOBS, AnomalyFilter, JudgingProgress
from tests.conformance.building import every, job_of, save
from tests.conformance.pausing import pause, resume
from tests.conformance.test_statistics_store import counted
from tests.conformance.working import lead, trigger, worker
from tests.conformance.world import World

EVERY = AnomalyFilter()


def slow(job_id: int, began_at: int, kind: AnomalyKind = AnomalyKind.DURATION) -> Anomaly:
    return Anomaly(
        job_id=job_id, kind=kind, began_at=began_at, seen_at=began_at + HOUR, facts={"now_us": 9, "ratio": 1.5}
    )


async def keep(world: World, *opened: Anomaly, changed: tuple[Anomaly, ...] = (), hour_at: int = HOUR) -> bool:
    store = world.store.statistics
    seen = await store.judging_progress()
    return await store.keep_course(seen, hour_at=hour_at, after_id=ALL_JOBS, opened=opened, changed=changed, term=None)


async def test_pages_have_the_figures_of_their_jobs(world: World) -> None:
    for name in ("a", "b", "tick"):
        await save(world, name)
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    await counted(world)
    hour_at = Resolution.HOUR.start_of(await world.now())
    store = world.store.statistics
    first = await store.judging_page(hour_at, after_id=0, limit=2, excused_since=0)
    rest = await store.judging_page(hour_at, after_id=first.jobs[-1].job_id, limit=2, excused_since=0)
    assert ([job.name for job in first.jobs], [job.name for job in rest.jobs]) == (["a", "b"], ["tick"])
    assert (first.is_last, rest.is_last, first.hours) == (False, True, {})
    tick = rest.jobs[0]
    assert (tick.is_active, tick.namespace) == (True, "default")
    assert rest.hours[tick.job_id][hour_at].runs == 2
    tomorrow = await store.judging_page(hour_at + DAY, after_id=0, limit=9, excused_since=0)
    assert [figures.runs for figures in tomorrow.days[tick.job_id].values()] == [2]


async def test_a_page_that_another_leader_judged_is_not_kept_again(world: World) -> None:
    await save(world, "tick")
    job_id = (await job_of(world)).job_id
    store = world.store.statistics
    term = await lead(world)
    seen = await store.judging_progress()
    assert seen == JudgingProgress(0, 0, 0)
    new = [slow(job_id, DAY)]
    for term_of_leader, is_kept in ((term + 1, False), (term, True), (term, False)):  # at last: the answer was lost
        landed = await store.keep_course(seen, hour_at=DAY, after_id=7, opened=new, changed=(), term=term_of_leader)
        assert landed == is_kept
    assert await store.judging_progress() == JudgingProgress(1, DAY, 7)
    assert len(await store.anomalies(EVERY, before_id=None, limit=9)) == 1


async def test_anomalies_go_on_end_and_are_listed_newest_first(world: World) -> None:
    await save(world, "tick")
    await save(world, "other")
    tick, other = (await job_of(world)).job_id, (await job_of(world, "other")).job_id
    store = world.store.statistics
    assert await keep(world, slow(tick, DAY), slow(other, DAY, AnomalyKind.SILENCE))
    page = await store.judging_page(DAY, after_id=0, limit=9, excused_since=0)
    (open_,) = page.open[tick]
    assert (open_.facts, open_.quiet) == ({"now_us": 9, "ratio": 1.5}, 0)
    ended = replace(open_, ended_at=2 * DAY, seen_at=2 * DAY)
    assert await keep(world, slow(tick, 3 * DAY), changed=(ended,))
    listed = await store.anomalies(EVERY, before_id=None, limit=9)
    assert [(one.job, one.kind, one.ended_at) for one in listed] == [
        ("tick", "duration", None),
        ("other", "silence", None),
        ("tick", "duration", 2 * DAY),
    ]
    for wanted, count in (
        (AnomalyFilter(job_id=tick), 2),
        (AnomalyFilter(kind=AnomalyKind.SILENCE), 1),
        (AnomalyFilter(only_open=True, namespace="default"), 2),
        (AnomalyFilter(namespace="elsewhere"), 0),
        (AnomalyFilter(since=2 * DAY), 2),
        (AnomalyFilter(until=2 * DAY), 2),
    ):
        assert len(await store.anomalies(wanted, before_id=None, limit=9)) == count, wanted
    assert len(await store.anomalies(EVERY, before_id=listed[1].id, limit=9)) == 1
    assert await store.forget_anomalies(before=2 * DAY, limit=9, term=None) == 1
    assert len(await store.anomalies(EVERY, before_id=None, limit=9)) == 2


async def test_an_anomaly_that_begins_again_at_the_same_instant_goes_on(world: World) -> None:
    await save(world, "tick")
    tick = (await job_of(world)).job_id
    store = world.store.statistics
    assert await keep(world, slow(tick, DAY))
    (open_,) = (await store.judging_page(DAY, after_id=0, limit=9, excused_since=0)).open[tick]
    assert await keep(world, changed=(replace(open_, ended_at=2 * DAY),))
    assert not (await store.judging_page(DAY, after_id=0, limit=9, excused_since=0)).open
    assert await keep(world, slow(tick, DAY))
    (again,) = await store.anomalies(EVERY, before_id=None, limit=9)
    assert (again.id, again.ended_at) == (open_.id, None)


async def test_a_job_that_skipped_an_instant_because_it_was_to_is_excused(world: World) -> None:
    await every(world, "tick", "1h")
    store = world.store.statistics
    (job,) = (await store.judging_page(DAY, after_id=0, limit=9, excused_since=0)).jobs
    assert (job.is_excused, job.is_scheduled) == (False, True)
    await pause(world)
    await world.elapse(3 * HOUR)
    await resume(world)
    now = await world.now()
    for since, is_excused in ((now - DAY, True), (now + DAY, False)):
        (job,) = (await store.judging_page(DAY, after_id=0, limit=9, excused_since=since)).jobs
        assert job.is_excused == is_excused
