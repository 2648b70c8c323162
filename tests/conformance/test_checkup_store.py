"""What a checkup reads of a store: the database's own figures, lanes that wait, jobs that fail."""

from foliot.domain.checkup import Grade, examine
from foliot.domain.checkup.facts import Facts, JobOutcomes
from foliot.domain.checkup.steadiness import SteadyGrade
from foliot.domain.instants import DAY, HOUR, SECOND
from foliot.domain.statistics.figures import FigureKey, RunFigures
from foliot.domain.statistics.resolution import Resolution
from foliot.domain.verdict import Cause
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.statistics import Counted
from tests.conformance.building import ask, every, fire, happening, job_of, make_due, runs_of, save
from tests.conformance.routing import assign, team
from tests.conformance.working import lead, trigger, worker
from tests.conformance.world import World


async def test_the_database_answers_every_question_or_says_which_right_is_missing(world: World) -> None:
    readings = await world.store.checkup.readings()

    assert [name for name, reading in readings.items() if reading.why is not None] == []
    assert readings["size"].rows[0]["bytes"] > 10_000
    newest = world.store.schema
    assert readings["schema"].rows == [{"state": "current", "revision": newest, "head": newest}]
    found = {finding.check: finding.grade for finding in examine(Facts(readings=readings))}
    assert found["database.size"] is Grade.OK
    assert len(found) > 3, found


async def test_lanes_are_found_by_the_run_that_waits_longest_and_before_a_job_is_due(world: World) -> None:
    await save(world, "old", run="python:jobs:old")
    await save(world, "new", run="python:jobs:new")
    await every(world, "later", run="python:jobs:later")
    await save(world, "unused", run="python:jobs:unused")
    await world.store.runs.trigger(ask("old", "1", priority=1))
    began = await world.now()
    await world.elapse(HOUR // 2)
    await world.store.runs.trigger(ask("old", "2", priority=9))
    await world.store.runs.trigger(ask("new", "3"))

    lanes = {wait.lane.offer: wait.since for wait in await world.store.checkup.lanes(limit=10)}

    assert lanes.keys() == {"python:jobs:old", "python:jobs:new", "python:jobs:later"}
    old, new = lanes["python:jobs:old"], lanes["python:jobs:new"]
    assert old is not None and abs(old - began) < SECOND  # noqa: PT018
    assert new is not None and new >= began + HOUR // 2  # noqa: PT018
    assert lanes["python:jobs:later"] is None


async def test_runs_that_wait_for_the_worker_that_is_named_count(world: World) -> None:
    await save(world, "first", place={"route": "first"})
    await save(world, "fast", run="python:jobs:tick", place={"require": {"zone": "a"}, "prefer": {"disk": "ssd"}})
    await team(world, 2)
    await trigger(world, "first", n=3)
    (oldest, *_) = sorted(run.not_before for run in await runs_of(world, "first"))
    await trigger(world, "fast")
    assert (await assign(world)).runs == 4
    lanes = await world.store.checkup.lanes(limit=10)
    assert len(lanes) == 2
    assert min(wait.since for wait in lanes if wait.since is not None) == oldest
    assert None not in [wait.since for wait in lanes]


async def test_jobs_are_overdue_until_a_server_decides(world: World) -> None:
    jobs = [await every(world, f"job-{n}") for n in range(3)]
    assert await world.store.checkup.overdue(limit=10) == 0
    await make_due(world, *jobs)
    assert await world.store.checkup.overdue(limit=10) == 3
    assert await world.store.checkup.overdue(limit=2) == 2
    await fire(world)
    assert await world.store.checkup.overdue(limit=10) == 0


async def ended(world: World, job: str, *, well: int, badly: int) -> None:
    """Runs of a job that end, some well and some badly."""
    await save(world, job)
    anne = await worker(world)
    for cause, n in ((Cause.SUCCEEDED, well), (Cause.ERROR, badly)):
        await trigger(world, job, n)
        await anne.complete(*await anne.lease(), cause=cause)


async def test_a_job_that_fails_now_is_compared_with_its_own_past(world: World) -> None:
    await ended(world, "steady", well=2, badly=0)
    await ended(world, "broken", well=2, badly=1)
    await world.elapse(2 * HOUR)
    await ended(world, "steady", well=1, badly=0)
    await ended(world, "broken", well=1, badly=2)

    assert await world.store.checkup.outcomes(limit=5) == [
        JobOutcomes(namespace="default", name="broken", succeeded=1, failed=2, succeeded_before=2, failed_before=1)
    ]


async def test_the_past_of_a_job_is_that_of_its_statistics(world: World) -> None:
    await save(world, "broken")
    await save(world, "other")
    job_ids = [(await job_of(world, name)).job_id for name in ("broken", "other")]
    today = Resolution.DAY.start_of(await world.now())
    figures = RunFigures()
    figures.runs, figures.succeeded, figures.failed = 100, 97, 3
    days = {FigureKey(Resolution.DAY, today - back * DAY, job, 0, "anne") for back in (0, 1, 28, 29) for job in job_ids}
    shards = {FigureKey(Resolution.DAY, today - DAY, job, 1, "anne") for job in job_ids}
    store = world.store.statistics
    counted = Counted(dict.fromkeys(days | shards, figures), 0, [], [])
    assert await store.add(await store.progress(), counted, term=None)
    await ended(world, "broken", well=1, badly=2)

    assert await world.store.checkup.outcomes(limit=5) == [
        JobOutcomes(namespace="default", name="broken", succeeded=1, failed=2, succeeded_before=194, failed_before=6)
    ]


async def test_only_a_store_in_a_file_has_a_log_to_empty(world: World) -> None:
    await every(world, "tick")
    is_a_file = "write_ahead_log" in await world.store.checkup.readings()

    await world.store.checkup.empty_log()

    after = (await world.store.checkup.readings()).get("write_ahead_log")
    assert (after is not None) is is_a_file
    if after is not None:
        assert after.rows[0]["bytes"] == 0


async def test_grades_are_kept_under_the_leaders_term_with_their_notes(world: World) -> None:
    store, term = world.store.checkup, await lead(world)
    assert await store.kept() is None
    first = {"system.disk": SteadyGrade(Grade.OK, Grade.WARNING, 1)}
    assert await store.keep(first, [happening(1)], term=term)
    kept = await store.kept()
    assert kept is not None and kept.grades == first  # noqa: PT018
    second = {"system.disk": SteadyGrade(Grade.WARNING, Grade.WARNING)}
    assert await store.keep(second, [happening(2)], term=term)

    assert not await store.keep({}, [happening(3)], term=term + 1), "it is not the leader's term"

    kept = await store.kept()
    assert kept is not None and kept.grades == second  # noqa: PT018
    assert [event.data["n"] for event in (await world.store.journal.newest(EventFilter(), limit=9)).items] == [2, 1]
