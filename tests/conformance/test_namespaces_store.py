"""Namespaces: sessions that serve one alone, the lanes of its runs, and who may replace a job."""

from typing import Any

import pytest

from foliot.domain.errors import Denied
from foliot.domain.sources import Incumbent
from foliot.ports.store.jobs import SaveOutcome, Standing
from foliot.ports.store.runs import Poll
from tests.conformance.building import PERSON, PLANS, definition, put_in
from tests.conformance.working import Worker, trigger_in, worker
from tests.conformance.world import World


async def confined(anne: Worker, namespace: str, free: int) -> Poll:
    """A poll in every lane that a worker of this namespace serves."""
    lanes = await anne.store.jobs.lanes()
    fitting = [
        at
        for at, lane in lanes.items()
        if lane.fits(group="default", offers=frozenset({"python:jobs:tick"}), labels={}, namespace=namespace)
    ]
    poll = await anne.poll(free, lanes=fitting)
    return Poll(session=poll.session, request_no=poll.request_no, free=free, lanes=fitting, namespace=namespace)


async def test_runs_of_a_namespace_wait_in_lanes_of_their_own(world: World) -> None:
    """Else those of another, which nobody takes, would keep a worker of this one from ever seeing its own."""
    for namespace in ("pay", "toys"):
        await put_in(world, namespace)
    await trigger_in(world, "pay", 30)
    ours = await trigger_in(world, "toys", 2)
    anne = await worker(world)
    (grant,) = (await world.store.runs.lease([await confined(anne, "toys", 8)], limit=8)).grants
    assert sorted(run.run_id for run in grant.runs) == ours
    assert {run.namespace for run in grant.runs} == {"toys"}


async def test_namespaces_that_wait_for_the_same_workers_take_turns(world: World) -> None:
    """L5: few runs of one namespace do not wait behind many of another, one slot at a time or several at once."""
    for namespace in ("pay", "toys", "news"):
        await put_in(world, namespace)
    await trigger_in(world, "pay", 40)
    await trigger_in(world, "toys", 8)
    anne = await worker(world)
    got = [(await anne.lease(1))[0].namespace for _ in range(8)]
    assert got.count("toys") == 4, got
    late = await trigger_in(world, "news", 1)
    got = [run.namespace for _ in range(2) for run in await anne.lease(1)]
    assert "news" in got, f"{got}: who took less than its part goes next"
    together = [run.namespace for run in await anne.lease(8)]
    assert len(together) == 8
    assert together.count("toys") >= 3, together
    rest = await anne.lease(40)
    assert len(rest) == 40 + 8 + len(late) - 8 - 2 - 8, "nothing is kept back for who does not wait"


async def test_who_may_not_replace_a_job_leaves_it_as_it_is(world: World) -> None:
    await put_in(world, "pay", group="billing")
    seen: list[Standing] = []

    def refuse(standing: Standing) -> None:
        seen.append(standing)
        raise Denied("not this one")

    async def declare(**document: Any) -> SaveOutcome:
        wanted = definition(job="tick", **document)
        saved = await world.store.jobs.save("pay", "tick", wanted, by=PERSON, plans=PLANS, source="code", allow=refuse)
        return saved.outcome

    with pytest.raises(Denied):
        await declare(run="python:evil:steal", group="billing")
    assert seen == [Standing(source="api", group="billing", incumbent=Incumbent(None, "python:jobs:tick", frozenset()))]
    job = await world.store.lookups.job("pay", "tick")
    assert (job.version, job.source, job.document["run"]) == (1, "api", {"python": "jobs:tick"})
    assert await declare(group="billing") is SaveOutcome.SAME, "nothing is replaced: nobody is asked"
    assert (await world.store.lookups.job("pay", "tick")).source == "code", "by now code says the same"
