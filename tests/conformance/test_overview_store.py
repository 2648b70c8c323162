"""What the console's first pages read, on every engine: strips of latest runs, and the glance."""

from dataclasses import replace

from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.lookups import JobFilter
from tests.conformance.building import DECIDE, NS, PLANS, every, make_due, save
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

    nothing = await world.store.lookups.glance("elsewhere", limit=10)
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
