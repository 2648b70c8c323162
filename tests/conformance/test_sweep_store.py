"""The pulse and the sweep: what there is to do, triggers for later, heads of lines."""

from collections.abc import Sequence

import pytest

from foliot.domain.instants import DAY, HOUR, MINUTE
from foliot.domain.planner import Planner
from foliot.domain.run import Landing
from foliot.ports.store.backfills import NewBackfill, Selection
from foliot.ports.store.lookups import JobRow
from foliot.ports.worker_link import LeasedRun
from tests.conformance.building import (
    NS,
    PERSON,
    ask,
    cursor_of,
    every,
    fire,
    make_due,
    runs_of,
    save,
)
from tests.conformance.working import Worker, trigger, worker
from tests.conformance.world import World


async def test_the_pulse_of_an_empty_store(world: World) -> None:
    pulse = await world.store.firing.pulse()
    assert (pulse.next_at, pulse.ready, pulse.parked, pulse.admissible) == (None, False, False, False)
    assert (pulse.leader, pulse.term, pulse.clock_suspect, pulse.lanes) == (None, 0, False, 0)
    assert abs(pulse.now - await world.now()) < MINUTE
    assert pulse.epoch > 1_700_000_000


async def test_the_pulse_says_what_comes_next(world: World) -> None:
    soon = await every(world, "soon", "1m")
    await every(world, "later", "1d")
    assert (await world.store.firing.pulse()).next_at == soon.next_at
    assert (await world.store.firing.pulse()).lanes == 1  # both jobs need the same of a worker
    await make_due(world, soon)
    assert (await world.store.firing.pulse()).ready is False
    await fire(world)
    pulse = await world.store.firing.pulse()
    assert pulse.ready is True
    assert soon.next_at is not None
    assert pulse.next_at == soon.next_at + MINUTE


async def test_the_pulse_sees_a_job_that_comes_before_all_it_knew(world: World) -> None:
    await every(world, "yearly", "1d")
    for _ in range(3):  # the lower bound settles
        await world.store.firing.pulse()
    sooner = await every(world, "sooner", "1h")
    assert (await world.store.firing.pulse()).next_at == sooner.next_at


async def test_a_run_that_is_due_later_or_parked_is_not_ready(world: World) -> None:
    await save(world, "free")
    await save(world, "serial", overlap="queue_all")
    await world.store.runs.trigger(ask("free", delay_us=HOUR))
    assert (await world.store.firing.pulse()).ready is False
    await world.store.runs.trigger(ask("serial", "first"))
    await world.store.runs.trigger(ask("serial", "second"))
    anne = await worker(world)
    await anne.lease_one()
    pulse = await world.store.firing.pulse()
    assert (pulse.ready, pulse.parked) == (False, True)
    await world.elapse(HOUR)
    assert (await world.store.firing.pulse()).ready is True


async def test_ready_is_found_behind_lanes_that_are_not(world: World) -> None:
    for n in range(6):
        await save(world, f"job-{n}", run=f"python:jobs:step{n}", place={"priority": n + 1})
        await world.store.runs.trigger(ask(f"job-{n}", delay_us=HOUR if n < 5 else None))
    assert (await world.store.firing.pulse()).ready is True


async def test_triggers_for_later_are_admitted_in_the_order_they_are_due(world: World) -> None:
    await save(world, overlap="queue_all")
    for key, delay in (("c", 3), ("a", 1), ("b", 2)):
        await world.store.runs.trigger(ask(key=key, delay_us=delay * MINUTE))
    await world.elapse(HOUR)
    assert await world.store.firing.admit(limit=2) == 2
    assert await world.store.firing.admit(limit=2) == 1
    runs = await runs_of(world)
    assert [(run.fire_key, run.parked) for run in runs] == [("m:a", 0), ("m:b", 1), ("m:c", 1)]


async def test_triggers_that_cannot_be_read_here_hold_up_no_others(world: World) -> None:
    """As in a rolling upgrade: a newer server saved what this one does not know."""
    bad = [await save(world, f"bad-{n}", overlap="queue_all") for n in range(3)]
    for job in bad:
        for _ in range(4):
            await trigger(world, job.name, delay_us=MINUTE)
    await save(world, "good", overlap="queue_all")
    for n in range(3):
        await trigger(world, "good", delay_us=(n + 2) * MINUTE)
    for job in bad:
        await world.spoil(job)
    older = await world.open()
    await world.elapse(HOUR)
    before = await cursor_of(world, bad[0])
    assert await older.firing.admit(limit=2) == 2
    assert await older.firing.admit(limit=2) == 1
    assert await older.firing.admit(limit=2) == 0
    assert [run.parked for run in await runs_of(world, "good")] == [0, 1, 1]
    assert await cursor_of(world, bad[0]) == before  # nothing is written for what cannot be admitted
    assert await world.store.firing.admit(limit=50) == 12  # who can read them admits them


async def test_a_later_trigger_behind_an_open_run_stays_parked(world: World) -> None:
    await save(world, overlap="queue_all")
    await world.store.runs.trigger(ask(key="later", delay_us=MINUTE))
    await world.store.runs.trigger(ask(key="now"))
    await world.elapse(HOUR)
    assert await world.store.firing.admit(limit=10) == 1
    assert [(run.fire_key, run.parked) for run in await runs_of(world)] == [("m:now", 0), ("m:later", 1)]


async def test_a_later_trigger_of_a_sharded_job_is_split_when_it_is_due(world: World) -> None:
    await save(world, overlap="queue", shards=2)
    await world.store.runs.trigger(ask(key="later", delay_us=MINUTE, params='{"a":1}'))
    (run,) = await runs_of(world)
    assert (run.state, run.open_children, run.place) == ("PENDING", 0, None)
    await world.elapse(HOUR)
    assert await world.store.firing.admit(limit=10) == 1
    parent, *children = await runs_of(world)
    assert (parent.state, parent.open_children, parent.run_id) == ("RUNNING", 2, run.run_id)
    assert [(child.shard, child.parent_id, child.params) for child in children] == [
        (0, parent.run_id, '{"a":1}'),
        (1, parent.run_id, '{"a":1}'),
    ]
    anne = await worker(world)
    assert len(await anne.lease()) == 2


async def test_a_later_trigger_that_may_overlap_is_never_parked_when_due(world: World) -> None:
    await save(world, overlap="queue_all")
    await world.store.runs.trigger(ask(key="now"))
    await world.store.runs.trigger(ask(key="later", delay_us=MINUTE, allow_overlap=True))
    await world.elapse(HOUR)
    await world.store.firing.admit(limit=10)
    assert [(run.fire_key, run.parked, run.serial) for run in await runs_of(world)] == [
        ("m:now", 0, 1),
        ("m:later", 0, 0),
    ]


async def test_a_trigger_for_tomorrow_does_not_stand_in_the_way_of_todays_fires(world: World) -> None:
    job = await every(world, interval="10m")
    await world.store.runs.trigger(ask(key="tomorrow", delay_us=DAY))
    await make_due(world, job)
    decided = await fire(world)
    assert (decided.created, decided.skipped) == (1, 0)


async def test_a_waiting_run_that_a_later_one_replaces_is_cancelled(world: World) -> None:
    job = await every(world, interval="1h", overlap="replace")
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    running = await anne.lease_one()
    for _ in range(3):
        await world.elapse(HOUR)
        assert (await fire(world)).created == 1
    changed, _ = await world.store.firing.unpark(limit=10)
    assert changed == 2
    runs = await runs_of(world)
    assert [run.state for run in runs] == ["RUNNING", "CANCELLED", "CANCELLED", "PENDING"]
    assert runs[1].error == "A later run replaced it."
    answer = await anne.beat(running)
    assert answer.cancel == (running.lease_id,)


async def test_waiting_shards_of_a_replaced_run_are_cancelled(world: World) -> None:
    await save(world, overlap="replace", shards=2)
    await world.store.runs.trigger(ask(key="old"))
    await world.store.runs.trigger(ask(key="new"))
    changed, _ = await world.store.firing.unpark(limit=10)
    assert changed >= 2
    states = {(run.fire_key, run.shard): run.state for run in await runs_of(world)}
    assert [states["m:old", shard] for shard in (-1, 0, 1)] == ["CANCELLED"] * 3
    assert [states["m:new", shard] for shard in (-1, 0, 1)] == ["RUNNING", "PENDING", "PENDING"]
    await world.store.firing.unpark(limit=10)
    anne = await worker(world)
    assert {run.shard for run in await anne.lease()} == {0, 1}


async def test_a_waiting_merge_run_of_a_replaced_run_is_cancelled_and_holds_up_no_other_job(world: World) -> None:
    """It is found once. What the sweep found of other jobs ends in the same step."""
    await save(world, "cut", overlap="replace", shards=2, merge="python:jobs:merge")
    await save(world, "plain", overlap="replace")
    await world.store.runs.trigger(ask("cut", "old"))
    anne = await worker(world)
    assert await anne.complete(*await anne.lease(2)) == [Landing.RECORDED] * 2
    await world.store.runs.trigger(ask("cut", "new"))
    for key in ("first", "second", "third"):
        await world.store.runs.trigger(ask("plain", key))
    changed, _ = await world.store.firing.unpark(limit=10)
    assert changed == 1 + 2, "the merge run, and two that wait in the other line"
    cut = {(run.fire_key[:5], run.shard): run.state for run in await runs_of(world, "cut")}
    merge = next(state for (key, shard), state in cut.items() if key.startswith("d:"))
    assert (merge, cut["m:old", -1]) == ("CANCELLED", "CANCELLED")
    assert [cut["m:new", shard] for shard in (-1, 0, 1)] == ["RUNNING", "PENDING", "PENDING"]
    assert [run.state for run in await runs_of(world, "plain")] == ["CANCELLED", "CANCELLED", "PENDING"]
    await world.store.firing.unpark(limit=10)
    assert {(run.job, run.shard) for run in await anne.lease()} == {("cut", 0), ("cut", 1), ("plain", -1)}


@pytest.mark.parametrize("shards", [0, 2])
async def test_a_trigger_that_overlaps_replaces_nothing(world: World, shards: int) -> None:
    """It runs beside the others: nobody asked for their end."""
    await save(world, overlap="replace", shards=shards)
    await world.store.runs.trigger(ask(key="old"))
    anne = await worker(world)
    held = await anne.lease()
    await world.store.runs.trigger(ask(key="beside", allow_overlap=True))
    assert (await anne.beat(*held)).cancel == ()
    assert len(await anne.lease()) == max(shards, 1), "side by side"
    await world.store.runs.trigger(ask(key="new"))
    assert set((await anne.beat(*held, settled=1)).cancel) == {run.lease_id for run in held}


async def test_a_waiting_run_is_not_replaced_by_one_that_overlaps(world: World) -> None:
    await save(world, overlap="replace")
    await world.store.runs.trigger(ask(key="running"))
    anne = await worker(world)
    await anne.lease_one()
    await world.store.runs.trigger(ask(key="waiting"))
    await world.store.runs.trigger(ask(key="beside", allow_overlap=True))
    await world.store.firing.unpark(limit=10)
    assert [run.state for run in await runs_of(world)] == ["RUNNING", "PENDING", "PENDING"]


@pytest.mark.parametrize("shards", [0, 2])
@pytest.mark.parametrize("selection", list(Selection))
async def test_a_backfill_replaces_no_run_and_none_replaces_it(world: World, selection: Selection, shards: int) -> None:
    """The past is made up for beside the present: a fire waits for a backfill's run, which goes on."""
    job = await every(world, overlap="replace", shards=shards, merge="python:jobs:merge" if shards else None)
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    present = await anne.lease()
    past = await _backfill(world, job, selection)
    assert (await anne.beat(*present)).cancel == (), "later in line, and not a later run"
    await world.store.firing.unpark(limit=10)
    await _run_to_its_end(anne, present, merges=bool(shards))

    made_up = await anne.lease()
    await world.elapse(HOUR)
    assert (await fire(world)).created == 1
    assert (await anne.beat(*made_up)).cancel == (), "a fire does not stop it"
    assert await anne.complete(*made_up) == [Landing.RECORDED] * len(made_up)
    await world.store.firing.unpark(limit=10)
    if shards:
        (merge,) = await anne.lease()
        assert (await anne.beat(merge)).cancel == ()
        await anne.complete(merge)
    states = {run.run_id: run.state for run in await runs_of(world)}
    assert [states[run_id] for run_id in past] == ["SUCCEEDED", "PENDING" if not shards else "RUNNING"]


async def _backfill(world: World, job: JobRow, selection: Selection) -> list[int]:
    """A backfill of two instants; its runs."""
    before = {run.run_id for run in await runs_of(world)}
    assert job.next_at is not None
    instants = [job.next_at - 5 * HOUR, job.next_at - 4 * HOUR]
    new = NewBackfill(
        job_id=job.job_id, version=1, from_at=instants[0], to_at=instants[-1] + 1, selection=selection,
        parallel=2, newest_first=False, instants=instants, created_by="ops", reason="",
    )  # fmt: skip
    await world.store.backfills.add(new)
    assert await world.store.backfills.advance(limit=10) == 2
    return [run.run_id for run in await runs_of(world) if run.run_id not in before and run.shard == -1]


async def _run_to_its_end(anne: Worker, runs: Sequence[LeasedRun], *, merges: bool) -> None:
    assert await anne.complete(*runs) == [Landing.RECORDED] * len(runs)
    if merges:
        (merge,) = await anne.lease(1)
        assert await anne.complete(merge) == [Landing.RECORDED]


async def test_what_waits_goes_on_when_its_job_is_paused(world: World) -> None:
    job = await every(world)
    await make_due(world, job)
    await fire(world)
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    anne = await worker(world)
    assert (await anne.lease_one()).job == "tick"
