"""Ending: every way out of a worker's hands, with all that follows, once."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.domain.instants import HOUR, SECOND, to_datetime
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.worker_link import LeasedRun, Leaving, Report
from tests.conformance.building import PERSON, cursor_of, fire, make_due, runs_of, save
from tests.conformance.editing import delayed_and_fired
from tests.conformance.working import (
    run_of,
    states_of,
    trigger,
    worker,
)
from tests.conformance.world import World

# ------------------------------------------------------------------------------------------------------------- landings


async def test_the_same_report_again_is_already_recorded(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, result="1") == [Landing.RECORDED]
    assert await anne.complete(run, result="2") == [Landing.ALREADY]
    row = await run_of(world, run.run_id)
    assert (row.result, row.ver) == ("1", 3)


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR])
async def test_a_stranger_cannot_end_a_run(world: World, cause: Cause) -> None:
    await save(world, "tick")
    await trigger(world)
    anne, ben = await worker(world), await worker(world)
    run = await anne.lease_one()
    assert await ben.lease(1) == ()
    assert await ben.complete(replace(run, lease_id=ben.session), cause=cause) == [Landing.FENCED]
    guessed = replace(run, lease_id="0" * 32)
    assert await anne.complete(guessed, cause=cause) == [Landing.FENCED]
    gone = replace(run, run_id=999_999)
    assert await anne.complete(gone, cause=cause) == [Landing.FENCED]
    assert (await run_of(world, run.run_id)).ver == 2


@pytest.mark.parametrize(
    ("definition", "runs", "is_made"),
    [
        ({"overlap": "allow"}, 2, False),
        ({"overlap": "queue_all"}, 2, True),
        ({"overlap": "queue_all"}, 1, False),
        ({"overlap": "allow", "place": {"max_running": 1}}, 2, True),
        ({"overlap": "allow", "place": {"max_per_key": 1, "concurrency_by": "customer"}}, 2, True),
    ],
)
async def test_an_end_tells_when_runs_that_waited_for_it_may_begin(
    world: World, definition: dict[str, Any], runs: int, is_made: bool
) -> None:
    await save(world, **definition)
    await trigger(world, n=runs, params='{"customer": "acme"}')
    anne = await worker(world)
    run = (await anne.lease(8))[0]
    told: list[bool] = []
    report = anne.report(run)
    complete = anne.store.runs.complete
    assert await complete(anne.session, [report], judge, on_room=lambda: told.append(True)) == [Landing.RECORDED]
    assert told == [True] * is_made


async def test_a_zombie_is_fenced_when_another_has_its_run(world: World) -> None:
    """S5: what it says changes nothing; a repeat of what the first holder said is told from it."""
    await save(world, "tick", retries={"max": 2, "backoff": "1s", "jitter": False})
    await trigger(world)
    anne, ben = await worker(world), await worker(world)
    lost = await anne.lease_one()
    await anne.complete(lost, cause=Cause.ERROR, error="first")
    await world.elapse(SECOND)
    held = await ben.lease_one()
    assert await anne.complete(lost, cause=Cause.ERROR) == [Landing.ALREADY]
    assert await anne.complete(lost) == [Landing.ALREADY]
    await anne.beat()
    await ben.beat(settled=0)
    await world.store.nodes.leave(Leaving(session=ben.session), judge)
    await world.elapse(SECOND)
    last = await anne.lease_one()
    assert await ben.complete(held) == [Landing.FENCED]  # the store took it back, ben did not report
    assert await anne.complete(last) == [Landing.RECORDED]
    assert await ben.complete(held) == [Landing.FENCED]


async def test_a_batch_lands_each_for_itself(world: World) -> None:
    await save(world, "tick", retries=1)
    await trigger(world, n=4)
    anne, ben = await worker(world), await worker(world)
    a, b, c = await anne.lease(3)
    d = await ben.lease_one()
    await anne.complete(b)
    reports = [anne.report(a), anne.report(b), anne.report(c, Cause.ERROR, error="x"), _under(a, anne.report(d))]
    landings = await world.store.runs.complete(anne.session, reports, judge)
    assert landings == [Landing.RECORDED, Landing.ALREADY, Landing.RECORDED, Landing.FENCED]
    states = [(await run_of(world, run.run_id)).state for run in (a, b, c, d)]
    assert states == ["SUCCEEDED", "SUCCEEDED", "PENDING", "RUNNING"]


async def test_a_batch_of_successes_lands_each_for_itself_too(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=3)
    anne, ben = await worker(world), await worker(world)
    a, b = await anne.lease(2)
    c = await ben.lease_one()
    await anne.complete(b)
    reports = [anne.report(a), anne.report(b), _under(a, anne.report(c))]
    landings = await world.store.runs.complete(anne.session, reports, judge)
    assert landings == [Landing.RECORDED, Landing.ALREADY, Landing.FENCED]
    assert await states_of(world) == ["SUCCEEDED", "SUCCEEDED", "RUNNING"]


async def test_plain_and_limited_runs_succeed_in_one_batch_whatever_came_before(world: World) -> None:
    """Plain ones are ended by a statement of their own; the others take a way that gives their place back."""
    await save(world, "plain", overlap="allow")
    await save(world, "limited", overlap="allow", place={"max_running": 3})
    for _ in range(2):  # a batch with limited runs, and then one that follows such a batch
        await trigger(world, "plain", n=2)
        await trigger(world, "limited", n=3)
        anne = await worker(world)
        leased = await anne.lease(5)
        assert sorted(run.job for run in leased) == ["limited"] * 3 + ["plain"] * 2
        said_twice = anne.report(leased[0])
        landings = await world.store.runs.complete(
            anne.session, [*(anne.report(run) for run in leased), said_twice], judge
        )
        assert landings == [*[Landing.RECORDED] * 5, Landing.ALREADY]
        await trigger(world, "plain")
        (alone,) = await anne.lease(5)
        assert await anne.complete(alone) == [Landing.RECORDED]
        assert await anne.complete(alone) == [Landing.ALREADY]
    ended = await states_of(world, "plain") + await states_of(world, "limited")
    assert ended == ["SUCCEEDED"] * 12


def _under(lease: LeasedRun, report: Report) -> Report:
    """The same report under another lease."""
    return replace(report, lease_id=lease.lease_id)


@pytest.mark.parametrize("kind", ["plain", "limited", "failing"])
async def test_a_worker_that_came_again_reports_what_its_last_session_left(world: World, kind: str) -> None:
    """R17: the lease id is the right, whichever session knows it; once it is another's it is worth nothing (S5)."""
    await save(world, "tick", **({"place": {"max_running": 9}} if kind == "limited" else {}))
    await trigger(world, n=2)
    before = await worker(world)
    left, taken = await before.lease(2)
    cause = Cause.ERROR if kind == "failing" else Cause.SUCCEEDED
    again = await worker(world)
    assert await again.complete(left, cause=cause) == [Landing.RECORDED]
    assert await again.complete(left, cause=cause) == [Landing.ALREADY]
    assert (await run_of(world, left.run_id)).state == ("FAILED" if kind == "failing" else "SUCCEEDED")
    await world.store.nodes.leave(Leaving(session=before.session), judge)
    held = await again.lease_one()
    assert held.run_id == taken.run_id
    assert await again.complete(taken, cause=cause) == [Landing.FENCED]
    assert await again.complete(held) == [Landing.RECORDED]


async def test_nothing_to_report_is_nothing(world: World) -> None:
    assert await world.store.runs.complete("nobody", [], judge) == []


async def test_a_budget_of_retries_is_the_whole_jobs(world: World) -> None:
    await save(world, "tick", retries={"max": 5, "backoff": "1s", "jitter": False, "budget_per_hour": 3})
    await trigger(world, n=5)
    anne = await worker(world)
    runs = await anne.lease(5)
    await anne.complete(*runs[:2], cause=Cause.ERROR, error="x")
    await anne.complete(*runs[2:], cause=Cause.ERROR, error="x")
    assert sorted(await states_of(world)) == ["FAILED", "FAILED", "PENDING", "PENDING", "PENDING"]
    await world.elapse(HOUR + SECOND)
    await anne.beat()
    (run, *_) = await anne.lease(1)
    await anne.complete(run, cause=Cause.ERROR, error="x")
    assert (await run_of(world, run.run_id)).state == "PENDING"  # an hour later there is a new budget


async def test_a_run_asked_to_cancel_does_not_go_again(world: World) -> None:
    await save(world, "tick", retries=5)
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.runs.cancel([run_id], by=PERSON)
    await anne.complete(run, cause=Cause.ERROR, error="interrupted")
    row = await run_of(world, run_id)
    assert (row.state, row.error) == ("CANCELLED", "interrupted")


# --------------------------------------------------------------------------------------------------- what follows: line


async def test_the_end_of_a_run_unparks_the_next(world: World) -> None:
    await save(world, "tick", overlap="queue_all")
    await trigger(world, n=3)
    assert [run.parked for run in await runs_of(world)] == [0, 1, 1]
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    assert [run.parked for run in await runs_of(world)] == [0, 0, 1]
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="x")
    assert [run.parked for run in await runs_of(world)] == [0, 0, 0]


async def test_the_end_of_a_sharded_run_unparks_the_shards_of_the_next(world: World) -> None:
    await save(world, "tick", overlap="queue_all", shards=2)
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.complete(one)
    assert await anne.lease(8) == ()
    await anne.complete(two)
    assert len(await anne.lease(8)) == 2


# -------------------------------------------------------------------------------------------- what follows: fixed delay


async def test_a_retry_is_not_the_end(world: World) -> None:
    anne, job = await delayed_and_fired(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="x")
    assert (await cursor_of(world, job)).next_at is None
    await world.elapse(SECOND)
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job)).next_at is not None


async def test_the_end_of_a_trigger_sets_nothing(world: World) -> None:
    anne, job = await delayed_and_fired(world)
    scheduled = await anne.lease_one()
    await trigger(world, allow_overlap=True)
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job)).next_at is None
    await anne.complete(scheduled)
    assert (await cursor_of(world, job)).next_at is not None


async def test_the_end_of_a_sharded_run_sets_the_next_instant(world: World) -> None:
    anne, job = await delayed_and_fired(world, shards=2, merge="python:jobs:join")
    shards = await anne.lease(8)
    await anne.complete(*shards)
    assert (await cursor_of(world, job)).next_at is None
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job)).next_at is not None


async def test_a_fixed_delay_beyond_the_schedules_end_is_done(world: World) -> None:
    until = to_datetime((await world.now()) // SECOND * SECOND + 20 * SECOND).isoformat()
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True, "end": until})
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    cursor = await cursor_of(world, job)
    assert (cursor.state, cursor.next_at) == ("done", None)


async def test_a_failed_shard_fails_the_run_when_all_are_over(world: World) -> None:
    await save(world, "tick", shards=3, merge="python:jobs:join")
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two, three = await anne.lease(8)
    await anne.complete(one, cause=Cause.ERROR, error="x")
    assert (await run_of(world, parent_id)).state == "RUNNING"
    await anne.complete(two, cause=Cause.TIMEOUT)
    await anne.complete(three)
    row = await run_of(world, parent_id)
    assert (row.state, row.kind, row.error) == ("FAILED", "error", "2 of 3 shards failed.")
    assert len(await runs_of(world)) == 4  # no merge run


async def test_a_parent_tells_the_one_way_its_shards_failed(world: World) -> None:
    await save(world, "tick", shards=2)
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8), cause=Cause.TIMEOUT)
    assert (await run_of(world, parent_id)).kind == "timeout"


async def test_a_shard_that_goes_again_is_still_open(world: World) -> None:
    await save(world, "tick", shards=2, retries={"max": 1, "backoff": "1s", "jitter": False})
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.complete(two)
    await anne.complete(one, cause=Cause.ERROR, error="x")
    assert (await run_of(world, parent_id)).open_children == 1
    await world.elapse(SECOND)
    await anne.complete(await anne.lease_one())
    assert (await run_of(world, parent_id)).state == "SUCCEEDED"


# ------------------------------------------------------------------------------------------------------------- bad data


@pytest.mark.parametrize("rot", ["\ud800", "a\0b"])
async def test_a_result_the_store_refuses_is_replaced_by_the_reason(world: World, rot: str) -> None:
    """One bad row never stops its batch: it is halved down to the row."""
    await save(world, "tick")
    await trigger(world, n=5)
    anne = await worker(world)
    runs = await anne.lease(8)
    reports = [anne.report(run, result='"fine"') for run in runs]
    reports[3] = anne.report(runs[3], result=rot)
    landings = await world.store.runs.complete(anne.session, reports, judge)
    assert landings == [Landing.RECORDED] * 5
    rows = [await run_of(world, run.run_id) for run in runs]
    assert [row.state for row in rows] == ["SUCCEEDED"] * 5
    assert [row.result for row in rows if row.run_id != runs[3].run_id] == ['"fine"'] * 4
    if rows[3].result is not None:  # a store that can keep it does, whole
        assert rows[3].result == rot
        return
    assert "could not be stored" in (rows[3].error or "")
    assert rows[3].error_type == "ResultRefused"


async def test_an_error_the_store_refuses_is_replaced_too(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, cause=Cause.ERROR, error="half a letter: \ud800") == [Landing.RECORDED]
    assert "could not be stored" in ((await run_of(world, run.run_id)).error or "")


async def test_the_name_of_an_error_is_cut(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.complete(run, cause=Cause.ERROR, error="x", error_type="E" * 1000)
    assert (await run_of(world, run.run_id)).error_type == "E" * 200


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR])
async def test_a_report_that_waited_says_the_same_start(world: World, cause: Cause) -> None:
    """How long ago a run started counts from the moment at which the server heard of it."""
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.elapse(50 * SECOND)
    report = anne.report(run, cause, started_us_ago=2 * SECOND)
    heard_at = asyncio.get_running_loop().time() - 30
    await world.store.runs.complete(anne.session, [report], judge, heard_at=heard_at)
    row = await run_of(world, run.run_id)
    assert row.leased_at is not None
    assert row.started_at is not None
    assert abs(row.started_at - row.leased_at - 18 * SECOND) < 10 * SECOND
