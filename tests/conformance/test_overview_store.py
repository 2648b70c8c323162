"""What the console's first pages read, on every engine: strips of latest runs, and the glance."""

from dataclasses import replace

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.lookups import JobFilter
from tests.conformance.building import DECIDE, NS, PERSON, PLANS, definition, every, make_due, save, skips_of
from tests.conformance.working import trigger, worker
from tests.conformance.world import World


async def test_a_page_of_jobs_comes_with_the_latest_runs_of_each(world: World) -> None:
    anne = await worker(world)
    made: dict[str, list[int]] = {}
    for name, count in (("busy", 5), ("calm", 2)):
        await save(world, name, run="python:jobs:tick")
        made[name] = await trigger(world, name, count)
    await save(world, "never")
    run = await anne.lease_one()
    await anne.complete(run, cause=Cause.ERROR)
    page = await world.store.lookups.jobs(JobFilter(strip=3), limit=10)
    strips = {job.name: [run.run_id for run in job.strip or ()] for job in page.items}
    assert strips == {"busy": made["busy"][-3:], "calm": made["calm"], "never": []}, "oldest first"
    whole = await world.store.lookups.job(NS, "busy", strip=60)
    assert [(run.run_id, run.state) for run in whole.strip or ()][:2] == [
        (made["busy"][0], "FAILED"),
        (made["busy"][1], "PENDING"),
    ]
    unasked = await world.store.lookups.jobs(JobFilter(), limit=10)
    assert {job.strip for job in unasked.items} == {None}


async def test_a_glance_sees_what_fails_what_is_late_what_runs_and_what_comes(world: World) -> None:
    for name in ("bad", "good"):
        await save(world, name, run="python:jobs:tick")
        await trigger(world, name)
    anne = await worker(world)
    for run in await anne.lease(2):
        await anne.complete(run, cause=Cause.ERROR if run.job == "bad" else Cause.SUCCEEDED)
    await save(world, "long", run="python:jobs:tick")
    (running,) = await trigger(world, "long")
    await anne.lease_one()
    await save(world, "stuck", run="python:jobs:nobody_offers_this")
    (held,) = await trigger(world, "stuck")
    late = await every(world, "late", "1m")
    await make_due(world, late)
    await world.elapse(2 * MINUTE)
    await every(world, "soon", "5m")
    await every(world, "later", "1h")

    seen = await world.store.lookups.glance(NS, limit=10)
    assert [job.name for job in seen.failing] == ["bad"]
    assert [job.name for job in seen.late] == ["late"]
    assert [job.name for job in seen.next] == ["soon", "later"]
    assert [run.run_id for run in seen.running] == [running]
    assert [run.run_id for run in seen.held] == [held]
    assert (await world.store.lookups.glance(NS, limit=1)).next == seen.next[:1]
    assert replace(await world.store.lookups.glance(None, limit=10), now=seen.now) == seen

    assert seen.namespaces == [NS]
    await world.store.jobs.save("abroad", "far", definition(job="far"), by=PERSON, plans=PLANS)
    nothing = await world.store.lookups.glance("elsewhere", limit=10)
    assert nothing.namespaces == sorted(["abroad", NS]), "whichever is looked at"
    for only, shown in ((NS, [NS]), ("nowhere", [])):
        assert (await world.store.lookups.glance(only, limit=10, only=only)).namespaces == shown
    assert [*nothing.failing, *nothing.late, *nothing.next, *nothing.running, *nothing.held] == []


async def test_a_glance_leaves_out_what_was_deleted_and_what_was_decided(world: World) -> None:
    await every(world, "kept", "5m")
    await every(world, "gone", "5m")
    await world.store.jobs.delete(NS, "gone", plans=PLANS)
    seen = await world.store.lookups.glance(None, limit=10)
    assert [job.name for job in seen.next] == ["kept"]
    await world.elapse(HOUR)
    await world.store.firing.decide_due(DECIDE, limit=10)
    again = await world.store.lookups.glance(None, limit=10)
    assert again.late == []
    assert again.now - seen.now >= HOUR - SECOND


async def test_the_outcomes_of_a_job_are_counted_by_the_quarter_of_an_hour(world: World) -> None:
    job = await every(world, "tick", "1h", run="python:jobs:tick", overlap="skip", misfire="skip")
    begin = await world.now()
    await trigger(world, "tick", 2)
    anne = await worker(world)
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR)
    await anne.complete(await anne.lease_one())
    await make_due(world, job, late_us=2 * HOUR)
    await world.store.firing.decide_due(DECIDE, limit=10)
    lookups = world.store.lookups
    found = await lookups.quarters(job.job_id, from_at=begin - HOUR, to_at=begin + DAY)
    counts: dict[str, int] = {}
    for quarter in found.items:
        assert quarter.from_at % (15 * MINUTE) == 0
        assert begin - 15 * MINUTE < quarter.from_at < begin + 4 * HOUR
        counts[quarter.outcome] = counts.get(quarter.outcome, 0) + quarter.instants
    assert (counts.pop("SUCCEEDED"), counts.pop("FAILED")) == (1, 1)
    skipped = sum(skip.count for skip in await skips_of(world, job))
    assert counts.pop("SKIPPED") == skipped > 0
    assert sum(counts.values()) <= 1, "the run of the last instant waits"
    assert found.whole_since is None, "all of its runs were looked at"
    before = await lookups.quarters(job.job_id, from_at=begin - DAY, to_at=begin - HOUR)
    assert before.items == []


async def test_jobs_that_are_due_until_an_instant_come_in_order(world: World) -> None:
    for name, interval in (("later", "2h"), ("soon", "5m"), ("sooner", "1m")):
        await every(world, name, interval)
    until = await world.now() + HOUR
    due = await world.store.lookups.due_until(NS, until=until, limit=10)
    assert [job.name for job in due] == ["sooner", "soon"]
    assert [job.name for job in await world.store.lookups.due_until(None, until=until, limit=1)] == ["sooner"]
    assert await world.store.lookups.due_until("elsewhere", until=until, limit=10) == []
