"""Jobs that code declares know their source; what no live worker declares any more is retired, and comes back."""

import pytest

from foliot.domain.instants import DAY, MINUTE, SECOND
from foliot.domain.sources import DeclaredElsewhere, Source
from foliot.domain.verdict import judge
from foliot.ports.store.jobs import SaveOutcome
from foliot.ports.store.journal import EventFilter
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from tests.conformance.building import NS, PERSON, PLANS, definition, fire, job_of, make_due, skips_of
from tests.conformance.declaring import CodeWorker, declare, draft, look_for_marks, mark, retire
from tests.conformance.working import lead, worker
from tests.conformance.world import World


async def kinds(world: World) -> list[tuple[str, str]]:
    page = await world.store.journal.newest(EventFilter(), limit=50)
    return [(event.kind, event.subject) for event in reversed(page.items)]


async def names(world: World, term: int) -> list[str]:
    """What a leader retires that looks twice."""
    await mark(world, term)
    return [job.name for job in await retire(world, term)]


# ------------------------------------------------------------------------------------------------------------ retiring


async def test_a_job_that_live_workers_of_its_module_do_not_declare_is_retired_and_comes_back(world: World) -> None:
    term = await lead(world)
    old, new = CodeWorker(world), CodeWorker(world)
    await old.load("tick", "tock")
    assert await names(world, term) == []
    await new.load("tock")
    assert await names(world, term) == [], "a rolling deploy: one live worker declares it still"
    await old.leave()
    await mark(world, term)
    marked_at = await world.now()
    assert [job.name for job in await retire(world, term)] == ["tick"]
    job = await job_of(world)
    assert (job.state, job.next_at, job.module) == ("paused", None, "jobs")
    assert job.retired_at is not None
    assert marked_at - SECOND <= job.retired_at <= marked_at
    assert job.pause_reason.startswith("no longer declared by jobs since 2026-03-02T10:")
    assert (await job_of(world, "tock")).state == "active"
    assert await names(world, term) == [], "once"
    assert await kinds(world) == [("job.retired", "tick")]

    await world.elapse(2 * 60 * MINUTE)
    back = await CodeWorker(world).load("tick", "tock")
    assert [job.name for job in back] == ["tick"]
    job = await job_of(world)
    assert (job.state, job.retired_at, job.pause_reason, job.paused_at) == ("active", None, "", None)
    assert job.next_at is not None
    assert [skip.reason for skip in await skips_of(world, job)] == ["paused"]
    assert await kinds(world) == [("job.retired", "tick"), ("job.declared_again", "tick")]
    assert await names(world, term) == []


async def test_nothing_is_retired_where_no_worker_lives_or_has_the_module_loaded(world: World) -> None:
    term = await lead(world)
    gone = CodeWorker(world)
    await gone.load("tick")
    await gone.leave()
    assert await names(world, term) == [], "no worker lives"
    other = CodeWorker(world)
    await other.load("other", module="elsewhere")
    assert await names(world, term) == [], "no worker has the module"
    broken = CodeWorker(world)
    await broken.load(modules=())
    assert await names(world, term) == [], "a worker whose code does not load says no module"


async def test_a_worker_counts_until_its_session_is_dead(world: World) -> None:
    await CodeWorker(world).load("tick")
    await world.elapse(SESSION_TTL_US - SECOND)
    fresh = CodeWorker(world)
    await fresh.load("tock")
    await world.elapse(2 * SECOND)
    term = await lead(world)
    assert await names(world, term) == [], "it is silent, but nobody declared it dead"
    await world.elapse(GRACE_US)
    term = await lead(world)
    await world.store.runs.reap(judge, limit=10, term=term, grace_us=GRACE_US, session_ttl_us=SESSION_TTL_US)
    assert await names(world, term) == ["tick"]


async def test_a_worker_whose_code_is_not_known_keeps_every_job(world: World) -> None:
    """It registered at a server of an older version, which did not note what it declares."""
    term = await lead(world)
    old = CodeWorker(world)
    await old.load("tick")
    await old.leave()
    await CodeWorker(world).load("tock")
    await worker(world)
    assert await names(world, term) == []


async def test_a_worker_retires_only_what_its_token_could_declare(world: World) -> None:
    term = await lead(world)
    await declare(world, draft("tick"), draft("billed", group="billing"))
    await CodeWorker(world).load(namespace="other", modules=["jobs"])
    await mark(world, term, source=Source("other", None, "jobs"))
    assert await retire(world, term) == []
    await CodeWorker(world).load(group="billing", modules=["jobs"])
    await mark(world, term, source=Source(None, "billing", "jobs"))
    assert [job.name for job in await retire(world, term)] == ["billed"]


async def test_a_worker_keeps_and_revives_only_what_its_token_could_declare(world: World) -> None:
    term = await lead(world)
    await declare(world, draft("billed", group="billing"))
    await CodeWorker(world).load("other")
    stranger, own = CodeWorker(world), CodeWorker(world)
    await stranger.register("billed", group="shipping")
    assert await names(world, term) == ["billed"], "a token of another group names it"
    assert await stranger.look_for_marks() == []
    assert await look_for_marks(world.store, None, term=term) == []
    assert (await job_of(world, "billed")).state == "paused"
    await own.register("billed", group="billing")
    assert [job.name for job in await own.look_for_marks()] == ["billed"]


async def test_a_code_reload_without_the_job_retires_it(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "tock")
    await up.load("tock")
    assert await names(world, term) == ["tick"]
    assert [job.name for job in await up.load("tick", "tock")] == ["tick"]


async def test_a_renamed_job_is_offered_its_nearest_new_name(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("settle", "other")
    await world.elapse(DAY)
    await up.load("settle_all", "other")
    await mark(world, term)
    (job,) = await retire(world, term)
    assert (job.name, job.renamed_to) == ("settle", "settle_all")
    shown = await job_of(world, "settle")
    assert shown.renamed_to == "settle_all"
    assert shown.pause_reason.endswith("; the nearest name there is settle_all")


async def test_keep_when_removed_keeps_a_job(world: World) -> None:
    term = await lead(world)
    await declare(world, draft("tick", keep_when_removed=True), draft("tock"))
    await CodeWorker(world).load("other")
    assert await names(world, term) == ["tock"]
    assert (await job_of(world)).state == "active"


async def test_what_a_person_wrote_is_never_retired(world: World) -> None:
    term = await lead(world)
    await declare(world, draft("tick"))
    await world.store.jobs.save(NS, "tick", definition(job="tick", run="python:jobs:tick"), by=PERSON, plans=PLANS)
    await world.store.jobs.save(NS, "tock", definition(job="tock", run="python:jobs:tock"), by=PERSON, plans=PLANS)
    await CodeWorker(world).load("other")
    assert await names(world, term) == []


async def test_a_pause_by_a_user_outlives_removal_and_return(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS)
    await up.load("other")
    assert await names(world, term) == []
    assert await up.load("tick", "other") == []
    job = await job_of(world)
    assert (job.state, job.pause_reason, job.retired_at) == ("paused", "a test", None)


async def test_a_pause_that_ends_by_itself_only_puts_retirement_off(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS, until=await world.now() + MINUTE)
    await up.load("other")
    assert await names(world, term) == []
    await world.elapse(2 * MINUTE)
    await fire(world)
    assert await names(world, term) == ["tick"]


@pytest.mark.parametrize("pauses_again", [False, True])
async def test_what_a_user_does_to_a_retired_job_stays_done(world: World, pauses_again: bool) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await up.load("other")
    assert await names(world, term) == ["tick"]
    if pauses_again:
        await world.store.jobs.pause(NS, "tick", by=PERSON, plans=PLANS)
    else:
        await world.store.jobs.resume(NS, "tick", plans=PLANS)
    state = "paused" if pauses_again else "active"
    assert (await job_of(world)).state == state
    assert await names(world, term) == [], "it is not retired again"
    assert await up.load("tick", "other") == []
    assert (await job_of(world)).state == state
    await up.load("other")
    expected = [] if pauses_again else ["tick"]
    assert await names(world, term) == expected, "declared in between, it is a job like any other"


async def test_only_the_leader_of_the_term_retires(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await up.load("other")
    await mark(world, term - 1)
    assert await retire(world, term) == []
    await mark(world, term)
    assert await retire(world, term - 1) == []
    assert (await job_of(world)).state == "active"


async def test_what_is_due_is_decided_before_a_job_is_retired(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "other")
    await up.load("other")
    await mark(world, term)
    job = await job_of(world)
    await make_due(world, job)
    assert [job.name for job in await retire(world, term)] == ["tick"]
    runs, _ = await world.store.lookups.fired(job.job_id, from_at=0, to_at=2**62, limit=10)
    assert [run.due_at for run in runs] == [job.next_due_at]


# ---------------------------------------------------------------------------------------------------------- taking over


async def test_a_job_is_its_modules_while_workers_of_it_live(world: World) -> None:
    ours, theirs = CodeWorker(world), CodeWorker(world)
    await ours.load("tick", module="ours")
    await theirs.load("tick", module="theirs")
    (refused,) = theirs.landed
    assert isinstance(refused.refusal, DeclaredElsewhere)
    assert refused.refusal.code == "FOL-3003"
    assert (await job_of(world)).module == "ours"
    await ours.load("tick", module="ours")
    await ours.leave()
    await theirs.load("tick", module="theirs")
    assert [(one.outcome, one.taken_from) for one in theirs.landed] == [(SaveOutcome.CHANGED, "ours")]
    assert (await job_of(world)).module == "theirs"


async def test_a_worker_takes_a_job_over_at_once_when_it_is_told_to(world: World) -> None:
    ours, theirs = CodeWorker(world), CodeWorker(world)
    await ours.load("tick", module="ours")
    await theirs.load("tick", module="theirs", takes_over=True)
    assert [one.taken_from for one in theirs.landed] == ["ours"]
    again = CodeWorker(world)
    await again.load("tick", module="ours")
    assert isinstance(again.landed[0].refusal, DeclaredElsewhere), "now it is theirs, and they live"


async def test_a_function_that_moves_within_what_is_loaded_is_no_takeover(world: World) -> None:
    ours, mine = CodeWorker(world), CodeWorker(world)
    await ours.load("tick")
    moved = draft("tick", run="python:jobs.inner:tick", session=mine.session)
    assert [(one.outcome, one.taken_from) for one in await declare(world, moved)] == [(SaveOutcome.CHANGED, None)]
    entered = draft("tick", module="app", run="python:jobs.inner:tick", timeout="1m", session=mine.session)
    assert [(one.outcome, one.taken_from) for one in await declare(world, entered)] == [(SaveOutcome.CHANGED, None)]


async def test_jobs_of_an_older_version_learn_their_module_once(world: World) -> None:
    old = draft("tick")
    await world.store.jobs.save(NS, "tick", old.definition, by=PERSON, plans=PLANS, source="code")
    assert (await job_of(world)).module is None
    assert [one.outcome for one in await declare(world, old)] == [SaveOutcome.SAME]
    assert (await job_of(world)).module == "jobs"


# ------------------------------------------------------------------------------------------------------------ declaring


async def test_many_jobs_land_each_as_it_should(world: World) -> None:
    await declare(world, draft("same"), draft("changed"))
    before = await job_of(world, "same")
    landed = await declare(
        world,
        draft("same"),
        draft("changed", schedule={"every": "2h"}),
        draft("new", place={"concurrency": {"db": 3}, "max_running": 2}),
        draft("shards", shards=2, merge="python:jobs:join"),
        draft("twice"),
        draft("twice", timeout="1m"),
    )
    outcomes = [one.outcome for one in landed]
    created, changed = SaveOutcome.CREATED, SaveOutcome.CHANGED
    assert outcomes == [SaveOutcome.SAME, changed, created, created, created, changed]
    assert await job_of(world, "same") == before
    assert (await job_of(world, "changed")).version == 2
    assert (await job_of(world, "twice")).document["timeout"] == "1m"
    new = await job_of(world, "new")
    assert (new.source, new.version, new.module, new.updated_by) == ("code", 1, "jobs", PERSON.name)
    await make_due(world, new, await job_of(world, "shards"))
    assert (await fire(world)).created == 4, "all but the one with the longer interval"


async def test_one_job_that_is_refused_harms_no_other(world: World) -> None:
    def check(_: object) -> None:
        raise DeclaredElsewhere("limited", module="a", other="b")

    await declare(world, draft("first", place={"concurrency": {"db": 3}}))
    landed = await world.store.jobs.declare(
        [draft("a"), draft("b"), draft("limited", place={"concurrency": {"db": 4}}), draft("c")],
        by=PERSON,
        plans=PLANS,
        allow=lambda *_: None,
        check_limit=check,
    )
    assert [one.refusal is None for one in landed] == [True, True, False, True]
    assert [one.outcome for one in landed if one.refusal is None] == [SaveOutcome.CREATED] * 3


# --------------------------------------------------------------------------------------------------------- what is kept


async def test_code_that_nobody_has_is_forgotten_and_may_come_back(world: World) -> None:
    term = await lead(world)
    up = CodeWorker(world)
    await up.load("tick", "tock", "tack")
    await world.elapse(3 * DAY)
    forget = world.store.code.forget
    assert await forget(unused_us=DAY, limit=2, term=term) == 0, "a live worker has it"
    await up.leave()
    assert await forget(unused_us=DAY, limit=2, term=term - 1) == 0
    assert [await forget(unused_us=DAY, limit=2, term=term) for _ in range(4)] == [2, 1, 1, 0]
    again = CodeWorker(world)
    await again.load("tick", "tock", "tack")
    assert {one.hash for one in (await world.store.code.live()).codes} == {again.code.hash}
    assert await world.store.code.sources([again.code.hash]) == {again.code.hash: [Source(None, None, "jobs")]}
    await CodeWorker(world).load("tock")
    assert await names(world, term) == []
