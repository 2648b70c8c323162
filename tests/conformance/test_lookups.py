"""Reads for people on every engine: pages, the ledger, what a run waits for, the cluster, backfills."""

import pytest

from foliot.domain.errors import JobNotFound
from foliot.domain.instants import HOUR, MINUTE, SECOND
from foliot.domain.verdict import Cause
from foliot.domain.why.verdicts import HoldKind
from foliot.ports.store import Store
from foliot.ports.store.backfills import BackfillNotFound, BackfillState, NewBackfill, Selection
from foliot.ports.store.lookups import BadCursor, JobFilter, RunFilter
from tests.conformance.building import DECIDE, NS, PLANS, all_runs, every, make_due, save
from tests.conformance.working import lead, trigger, worker
from tests.conformance.world import World


@pytest.fixture
def store(world: World) -> Store:
    return world.store


async def all_jobs(store: Store, wanted: JobFilter, limit: int) -> list[str]:
    names: list[str] = []
    cursor = None
    for _ in range(50):
        page = await store.lookups.jobs(wanted, limit=limit, cursor=cursor)
        names += [job.name for job in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return names
    raise AssertionError("the list has no end")


async def test_jobs_are_ranked_by_how_their_latest_runs_went(world: World, store: Store) -> None:
    anne = await worker(world)
    took_and_failed = {"a": (3, 1), "b": (9, 2), "c": (1, 0), "d": (5, 2)}
    for name, (tenths, failed) in took_and_failed.items():
        await save(world, name, run="python:jobs:tick")
        for number in range(3):
            await trigger(world, name)
            run = await anne.lease_one()
            await world.elapse(tenths * SECOND // 10)
            cause = Cause.ERROR if number < failed else Cause.SUCCEEDED
            await anne.complete(run, cause=cause, started_us_ago=tenths * SECOND // 10)
    await save(world, "never")
    for limit in (1, 3, 50):
        assert await all_jobs(store, JobFilter(sort="fails"), limit) == ["b", "d", "a"]
        assert await all_jobs(store, JobFilter(sort="p95"), limit) == ["b", "d", "a", "c"]
        assert await all_jobs(store, JobFilter(sort="p95", text="a"), limit) == ["a"]
    worst = (await store.lookups.jobs(JobFilter(sort="fails"), limit=1)).items[0].rank
    assert worst is not None
    assert (worst.runs, worst.failed) == (3, 2)
    assert worst.p95_us is not None
    assert worst.p95_us >= 9 * SECOND // 10
    named = await store.lookups.jobs(JobFilter(sort="name"), limit=1)
    assert named.items[0].rank is None
    with pytest.raises(BadCursor):
        await store.lookups.jobs(JobFilter(sort="p95"), limit=1, cursor=named.next_cursor)


async def test_pages_of_jobs_miss_none_and_repeat_none(world: World, store: Store) -> None:
    names = sorted(["Ä", "a", "b-1", "b.2", "结算", "z", "Z"], key=lambda name: name.encode())
    for name in names:
        await every(world, name, owner="data" if name in ("a", "结算") else "")
    for limit in (1, 2, 3, 50):
        assert await all_jobs(store, JobFilter(), limit) == names
        assert await all_jobs(store, JobFilter(namespace=NS), limit) == names
        assert await all_jobs(store, JobFilter(owner="data"), limit) == ["a", "结算"]
        assert sorted(await all_jobs(store, JobFilter(sort="next"), limit)) == sorted(names)
        some = ((NS, "z"), (NS, "结算"), (NS, "a"), ("elsewhere", "b-1"), (NS, "gone"), (NS, "a"))
        assert await all_jobs(store, JobFilter(names=some), limit) == ["a", "z", "结算"]
        assert await all_jobs(store, JobFilter(names=some, owner="data"), limit) == ["a", "结算"]
        assert sorted(await all_jobs(store, JobFilter(names=some, sort="next"), limit)) == ["a", "z", "结算"]
    assert await all_jobs(store, JobFilter(namespace="none"), 2) == []
    assert await all_jobs(store, JobFilter(text="结"), 2) == ["结算"]
    await world.store.jobs.delete(NS, "z", plans=PLANS)
    assert "z" not in await all_jobs(store, JobFilter(), 2)
    assert "z" not in await all_jobs(store, JobFilter(sort="next"), 2)
    assert [job.name for job in await store.lookups.search("结", namespace=None, limit=5)] == ["结算"]
    assert [name for _, name in await store.lookups.job_names(NS, limit=3)] == names[:3]
    with pytest.raises(JobNotFound) as refused:
        await store.lookups.job(NS, "b-2")
    assert refused.value.nearest in ("b-1", "b.2")


async def test_until_begins_near_its_instant(world: World, store: Store) -> None:
    await save(world, "tick")
    early = await trigger(world, "tick", 3)
    await world.elapse(HOUR)
    await trigger(world, "tick", 3)
    now = await world.now()
    assert await all_runs(store, RunFilter(until=now - HOUR // 2), 2) == early[::-1]
    assert len(await all_runs(store, RunFilter(since=now - HOUR // 2), 2)) == 3


async def test_runs_are_found_by_when_they_were_over_however_long_they_took(world: World, store: Store) -> None:
    await save(world, "slow", run="python:jobs:tick")
    await save(world, "quick", run="python:jobs:tick")
    anne = await worker(world)
    slow = await trigger(world, "slow")
    (long,) = await anne.lease()
    before = await world.now()
    await world.elapse(SECOND)
    quick = await trigger(world, "quick")
    (short,) = await anne.lease()
    await anne.complete(short)
    between = await world.now() + SECOND
    await world.elapse(2 * SECOND)
    await anne.complete(long)
    open_one = await trigger(world, "quick")
    assert await all_runs(store, RunFilter(ended_since=before), 2) == [*quick, *slow]
    assert await all_runs(store, RunFilter(ended_since=before, ended_until=between), 1) == quick
    assert await all_runs(store, RunFilter(ended_since=between), 1) == slow
    assert await all_runs(store, RunFilter(ended_until=before), 2) == []
    assert open_one[0] in await all_runs(store, RunFilter(), 5)


async def test_several_runs_are_read_at_once_and_those_that_are_gone_are_left_out(world: World, store: Store) -> None:
    await save(world, "tick")
    made = await trigger(world, "tick", 3)
    found = await store.lookups.runs_of([*made, made[-1] + 1000])
    assert sorted(run.run_id for run in found) == sorted(made)
    assert {run.job for run in found} == {"tick"}
    assert await store.lookups.runs_of([]) == []


async def test_the_ledger_knows_run_and_skip(world: World, store: Store) -> None:
    job = await every(world, "tick", "1m")
    await make_due(world, job)
    await world.store.firing.decide_due(DECIDE, limit=10)
    assert job.next_due_at is not None
    found = await store.lookups.ledger(job.job_id, job.next_due_at)
    assert found.run is not None
    assert (found.run.due_at, found.skip) == (job.next_due_at, None)
    await world.elapse(MINUTE)
    await world.store.firing.decide_due(DECIDE, limit=10)
    skipped = await store.lookups.ledger(job.job_id, job.next_due_at + MINUTE)
    assert (skipped.run, skipped.skip and skipped.skip.reason) == (None, "overlap")
    runs, skips = await store.lookups.fired(job.job_id, from_at=job.next_due_at, to_at=job.next_due_at + HOUR, limit=10)
    assert (len(runs), [skip.count for skip in skips]) == (1, [1])
    page = await store.lookups.ledger_since(job.job_id, job.next_due_at, known_version=0, limit=10)
    assert (page.runs, page.skips) == (runs, skips)
    assert page.waiting.keys() == {runs[0].run_id}
    assert page.waiting[runs[0].run_id].lane == (await store.lookups.waits(runs))[runs[0].run_id].lane
    assert [run.run_id for run in page.obstacles] == [runs[0].run_id]
    assert page.versions.keys() == {runs[0].version}


async def test_the_ledger_of_many_instants_knows_the_last_try_and_the_shards_of_each(
    world: World, store: Store
) -> None:
    job = await every(world, "tick", "1m")
    await make_due(world, job)
    await world.store.firing.decide_due(DECIDE, limit=10)
    assert job.next_due_at is not None
    anne = await worker(world)
    leased = await anne.lease_one()
    await anne.complete(leased, cause=Cause.ERROR, error="no money")
    page = await store.lookups.ledger_since(job.job_id, job.next_due_at, known_version=job.version, limit=10)
    assert [(one.cause, one.error) for one in page.tries.values()] == [("error", "no money")]
    assert (page.shards, page.versions) == ({}, {})


async def test_what_a_run_waits_for(world: World, store: Store) -> None:
    await save(world, "tick", overlap="queue", place={"concurrency": {"db": 1}})
    first, second = await trigger(world, "tick", 2)
    run, head = await store.lookups.run(second), await store.lookups.run(first)
    assert run is not None
    assert head is not None
    waits = await store.lookups.waits([run, head])
    assert waits[first].ahead is None
    waiting = waits[second]
    assert waiting.ahead is not None
    assert (waiting.ahead.run_id, waiting.ahead_count) == (first, 1)
    assert [(limit.name, limit.max, limit.used) for limit in waiting.limits] == [("res:default/db", 1, 0)]
    assert waiting.lane.offer == "python:jobs:tick"


async def test_attempts_of_a_run(world: World, store: Store) -> None:
    await save(world, "tick", retries={"max": 1, "backoff": "1s", "jitter": False})
    (run_id,) = await trigger(world, "tick")
    one = await worker(world)
    leased = await one.lease_one()
    await one.complete(leased, cause=Cause.ERROR, error="boom", error_type="ValueError")
    await world.elapse(2 * SECOND)
    leased = await one.lease_one()
    await one.complete(leased)
    attempts = await store.lookups.attempts(run_id)
    told = [(row.attempt, row.cause, row.node) for row in attempts]
    assert told == [(1, "error", one.name), (2, "succeeded", one.name)]


async def test_the_cluster_at_a_glance(world: World, store: Store) -> None:
    await save(world, "tick")
    one = await worker(world)
    await trigger(world, "tick", 3)
    await one.lease_one()
    term = await lead(world)
    found = await store.lookups.cluster()
    assert (found.term, found.leader_session, found.queue, found.running) == (term, "leader", 2, 1)
    nodes = await store.lookups.nodes()
    assert [(node.name, node.running, list(node.handlers)) for node in nodes] == [(one.name, 1, ["python:jobs:tick"])]
    changes = await store.lookups.changes(after_id=0, limit=10)
    assert (len(changes.created), len(changes.live)) == (3, 1)


async def test_a_backfill_makes_each_run_once_however_many_servers_try(world: World, store: Store) -> None:
    job = await every(world, "tick", "1m", overlap="allow")
    now = await world.now()
    instants = [(now // MINUTE - n) * MINUTE for n in range(5, 0, -1)]
    made = await store.backfills.add(
        NewBackfill(
            job_id=job.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=Selection.MISSING,
            parallel=2, newest_first=False, instants=instants, created_by="ops", reason="月底",
        )
    )  # fmt: skip
    second = await world.open()
    one = await worker(world)
    for _ in range(20):
        assert await store.backfills.advance(limit=10) + await second.backfills.advance(limit=10) <= 2
        leased = await one.lease(2)
        if leased:
            await one.complete(*leased)
        if (await store.backfills.get(made.id)).state is BackfillState.DONE:
            break
    done = await store.backfills.get(made.id)
    assert (done.state, done.inserted, done.succeeded, done.reason) == (BackfillState.DONE, 5, 5, "月底")
    taken = await store.backfills.taken(job.job_id, from_at=instants[0], to_at=instants[-1] + 1)
    assert taken == dict.fromkeys(instants, "SUCCEEDED")
    assert [row.id for row in await store.backfills.list(namespace=NS, limit=5)] == [made.id]
    assert await store.backfills.list(namespace="none", limit=5) == []
    with pytest.raises(BackfillNotFound):
        await store.backfills.get(999)


async def test_held_runs_are_found_by_what_keeps_them(world: World, store: Store) -> None:
    """A line with its head in front, a lane without a worker, and one whose limit is full."""
    await save(world, "serial", run="python:jobs:tick", overlap="queue")
    await save(world, "lonely", run="python:jobs:nobody", overlap="allow")
    await save(world, "limited", run="python:jobs:tick", overlap="allow", place={"concurrency": {"few": 1}})
    anne = await worker(world)
    head, *behind = await trigger(world, "serial", 3)
    first, second = await trigger(world, "limited", 2)
    kinds = {run.run_id: run.hold for run in (await store.lookups.runs(RunFilter(), limit=50)).items}
    ready = dict.fromkeys((head, first, second), HoldKind.READY)
    assert kinds == {**ready, **dict.fromkeys(behind, HoldKind.LINE)}
    taken = {(await anne.lease_one()).run_id for _ in range(2)}
    assert taken == {head, first}
    (lonely,) = await trigger(world, "lonely")
    held = {*behind, lonely, second}
    for limit in (1, 3, 50):
        assert set(await all_runs(store, RunFilter(states=("HELD",)), limit)) == held
    kept = {run_id: await store.lookups.run(run_id, with_hold=True) for run_id in held}
    assert {run_id: run.hold for run_id, run in kept.items() if run} == {
        **dict.fromkeys(behind, HoldKind.LINE), lonely: HoldKind.HANDLER, second: HoldKind.LIMIT,
    }  # fmt: skip
    job = await store.lookups.job(NS, "lonely", with_hold=True)
    assert job.last_run is not None
    assert job.last_run.shown == "HELD"
