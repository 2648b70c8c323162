"""Ending: every way out of a worker's hands, with all that follows, once."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.domain.instants import HOUR, SECOND, ceil_to_second, to_datetime
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.jobs import JobRecord
from foliot.ports.worker_link import LeasedRun, Leaving, Report
from tests.conformance.building import PERSON, cursor_of, fire, make_due, runs_of, save
from tests.conformance.working import (
    Worker,
    attempts_of,
    run_of,
    states_of,
    trigger,
    worker,
)
from tests.sql.world import World

# ------------------------------------------------------------------------------------------------------------- landings


async def test_the_same_report_again_is_already_recorded(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, result="1") == [Landing.RECORDED]
    assert await anne.complete(run, result="2") == [Landing.ALREADY]
    row = await run_of(world, run.run_id)
    assert (row["result"], row["ver"]) == ("1", 3)


async def test_a_report_that_names_a_run_twice_counts_once(world: World) -> None:
    await save(world, "tick", place={"max_running": 5})
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, run) == [Landing.RECORDED, Landing.ALREADY]
    assert await world.value("SELECT used FROM limits") == 0


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
    assert (await run_of(world, run.run_id))["ver"] == 2


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
    states = [(await run_of(world, run.run_id))["state"] for run in (a, b, c, d)]
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
    assert (await run_of(world, left.run_id))["state"] == ("FAILED" if kind == "failing" else "SUCCEEDED")
    await world.store.nodes.leave(Leaving(session=before.session), judge)
    held = await again.lease_one()
    assert held.run_id == taken.run_id
    assert await again.complete(taken, cause=cause) == [Landing.FENCED]
    assert await again.complete(held) == [Landing.RECORDED]


async def test_nothing_to_report_is_nothing(world: World) -> None:
    assert await world.store.runs.complete("nobody", [], judge) == []


# -------------------------------------------------------------------------------------------------------------- retries


async def test_a_failed_try_is_told_of_and_the_run_goes_again(world: World) -> None:
    job = await save(world, "tick", retries={"max": 1, "backoff": "10s", "jitter": False})
    await trigger(world)
    anne = await worker(world)
    first = await anne.lease_one()
    await anne.complete(first, cause=Cause.ERROR, error="boom", error_type="ValueError", started_us_ago=0)
    row = await run_of(world, first.run_id)
    assert (row["state"], row["failures"], row["deaths"], row["attempt"]) == ("PENDING", 1, 0, 1)
    assert (row["lease_id"], row["last_lease_id"], row["session_id"]) == (None, first.lease_id, None)
    assert (row["started_at"], row["deadline_at"], row["request_no"]) == (None, None, None)
    (attempt,) = await attempts_of(world, first.run_id)
    assert (attempt["attempt"], attempt["cause"], attempt["error"]) == (1, "error", "boom")
    assert (attempt["error_type"], attempt["retried"], attempt["job_id"]) == ("ValueError", 1, job.job_id)
    assert (attempt["lease_id"], attempt["session_id"], attempt["fence"]) == (first.lease_id, anne.session, first.fence)
    assert attempt["leased_at"] <= attempt["started_at"] <= attempt["ended_at"]
    assert row["not_before"] == attempt["ended_at"] + 10 * SECOND
    assert await anne.lease() == ()
    await world.elapse(10 * SECOND)
    second = await anne.lease_one()
    await anne.complete(second, cause=Cause.TIMEOUT, error="too long")
    row = await run_of(world, first.run_id)
    assert (row["state"], row["kind"], row["error"], row["failures"]) == ("FAILED", "timeout", "too long", 1)
    assert [attempt["retried"] for attempt in await attempts_of(world, first.run_id)] == [1, 0]


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
    assert (await run_of(world, run.run_id))["state"] == "PENDING"  # an hour later there is a new budget


async def test_a_run_asked_to_cancel_does_not_go_again(world: World) -> None:
    await save(world, "tick", retries=5)
    (run_id,) = await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await world.store.runs.cancel([run_id], by=PERSON)
    await anne.complete(run, cause=Cause.ERROR, error="interrupted")
    row = await run_of(world, run_id)
    assert (row["state"], row["error"]) == ("CANCELLED", "interrupted")


async def test_a_run_that_a_later_one_replaces_does_not_go_again(world: World) -> None:
    await save(world, "tick", overlap="replace", retries=5)
    first, second = await trigger(world), await trigger(world)
    await world.change("UPDATE runs SET parked = 0")
    anne = await worker(world)
    assert [run.run_id for run in await anne.lease()] == []  # the first is found replaced, and ends
    assert (await run_of(world, first[0]))["state"] == "CANCELLED"
    run = await anne.lease_one()
    await trigger(world)
    await anne.complete(run, cause=Cause.ERROR, error="x")
    assert (await run_of(world, second[0]))["state"] == "CANCELLED"


async def test_a_draining_worker_gives_back_without_a_failure(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.complete(run, cause=Cause.RELEASED, checkpoint='{"at":7}', started_us_ago=0)
    row = await run_of(world, run.run_id)
    assert (row["state"], row["failures"], row["deaths"], row["checkpoint"]) == ("PENDING", 0, 0, '{"at":7}')
    again = await anne.lease_one()
    assert (again.attempt, again.checkpoint) == (2, '{"at":7}')
    await anne.complete(again)
    assert (await run_of(world, run.run_id))["checkpoint"] == '{"at":7}'


# --------------------------------------------------------------------------------------------------- what follows: line


async def test_the_end_of_a_run_unparks_the_next(world: World) -> None:
    await save(world, "tick", overlap="queue_all")
    await trigger(world, n=3)
    assert [run["parked"] for run in await runs_of(world)] == [0, 1, 1]
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    assert [run["parked"] for run in await runs_of(world)] == [0, 0, 1]
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="x")
    assert [run["parked"] for run in await runs_of(world)] == [0, 0, 0]


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


async def _delayed(world: World, **document: Any) -> tuple[Worker, JobRecord]:
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True}, **document)
    await make_due(world, job)
    await fire(world)
    assert (await cursor_of(world, job))["next_at"] is None
    return await worker(world), job


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR, Cause.CANCELLED])
async def test_the_end_of_the_scheduled_run_sets_the_next_instant(world: World, cause: Cause) -> None:
    anne, job = await _delayed(world)
    run = await anne.lease_one()
    before = (await cursor_of(world, job))["cursor_ver"]
    await anne.complete(run, cause=cause)
    ended_at = (await run_of(world, run.run_id))["ended_at"]
    cursor = await cursor_of(world, job)
    assert cursor["next_at"] == cursor["next_due_at"] == ceil_to_second(ended_at + 30 * SECOND)
    assert cursor["cursor_ver"] == before + 1
    assert await anne.complete(run, cause=cause) == [Landing.ALREADY]
    assert (await cursor_of(world, job))["cursor_ver"] == before + 1


async def test_a_retry_is_not_the_end(world: World) -> None:
    anne, job = await _delayed(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    await anne.complete(await anne.lease_one(), cause=Cause.ERROR, error="x")
    assert (await cursor_of(world, job))["next_at"] is None
    await world.elapse(SECOND)
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job))["next_at"] is not None


async def test_the_end_of_a_trigger_sets_nothing(world: World) -> None:
    anne, job = await _delayed(world)
    scheduled = await anne.lease_one()
    await trigger(world, allow_overlap=True)
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job))["next_at"] is None
    await anne.complete(scheduled)
    assert (await cursor_of(world, job))["next_at"] is not None


async def test_the_end_of_a_sharded_run_sets_the_next_instant(world: World) -> None:
    anne, job = await _delayed(world, shards=2, merge="python:jobs:join")
    shards = await anne.lease(8)
    await anne.complete(*shards)
    assert (await cursor_of(world, job))["next_at"] is None
    await anne.complete(await anne.lease_one())
    assert (await cursor_of(world, job))["next_at"] is not None


async def test_a_fixed_delay_beyond_the_schedules_end_is_done(world: World) -> None:
    until = to_datetime((await world.now()) // SECOND * SECOND + 20 * SECOND).isoformat()
    job = await save(world, "tick", schedule={"every": "30s", "from_end": True, "end": until})
    await make_due(world, job)
    await fire(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    cursor = await cursor_of(world, job)
    assert (cursor["state"], cursor["next_at"]) == ("done", None)


# ------------------------------------------------------------------------------------------------- what follows: shards


async def test_shards_end_their_parent(world: World) -> None:
    await save(world, "tick", shards=3)
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two, three = await anne.lease(8)
    await anne.complete(one)
    row = await run_of(world, parent_id)
    assert (row["state"], row["open_children"], row["lease_id"]) == ("RUNNING", 2, None)
    await anne.complete(two, three)
    row = await run_of(world, parent_id)
    assert (row["state"], row["open_children"], row["kind"]) == ("SUCCEEDED", 0, None)
    assert row["ended_at"] is not None


async def test_a_failed_shard_fails_the_run_when_all_are_over(world: World) -> None:
    await save(world, "tick", shards=3, merge="python:jobs:join")
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two, three = await anne.lease(8)
    await anne.complete(one, cause=Cause.ERROR, error="x")
    assert (await run_of(world, parent_id))["state"] == "RUNNING"
    await anne.complete(two, cause=Cause.TIMEOUT)
    await anne.complete(three)
    row = await run_of(world, parent_id)
    assert (row["state"], row["kind"], row["error"]) == ("FAILED", "error", "2 of 3 shards failed.")
    assert len(await runs_of(world)) == 4  # no merge run


async def test_a_parent_tells_the_one_way_its_shards_failed(world: World) -> None:
    await save(world, "tick", shards=2)
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(*await anne.lease(8), cause=Cause.TIMEOUT)
    assert (await run_of(world, parent_id))["kind"] == "timeout"


async def test_a_shard_that_goes_again_is_still_open(world: World) -> None:
    await save(world, "tick", shards=2, retries={"max": 1, "backoff": "1s", "jitter": False})
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await anne.complete(two)
    await anne.complete(one, cause=Cause.ERROR, error="x")
    assert (await run_of(world, parent_id))["open_children"] == 1
    await world.elapse(SECOND)
    await anne.complete(await anne.lease_one())
    assert (await run_of(world, parent_id))["state"] == "SUCCEEDED"


async def test_the_merge_run_takes_part_in_its_parents_life(world: World) -> None:
    job = await save(world, "tick", shards=2, merge="python:jobs:join", params={"day": 3})
    (parent_id,) = await trigger(world)
    bumped = (await cursor_of(world, job))["cursor_ver"]
    anne = await worker(world)
    await anne.complete(*await anne.lease(8))
    parent = await run_of(world, parent_id)
    assert (parent["state"], parent["open_children"]) == ("RUNNING", 1)
    (merge,) = [run for run in await runs_of(world) if run["fire_key"] == f"d:{parent_id}:merge"]
    assert (merge["parent_id"], merge["place"], merge["state"]) == (parent_id, parent["place"], "PENDING")
    assert (merge["due_at"], merge["priority"], merge["parked"]) == (parent["due_at"], parent["priority"], 0)
    assert (await cursor_of(world, job))["cursor_ver"] == bumped + 1  # R23: every insert of a run
    leased = await anne.lease_one()
    assert leased.params == '{"parts":[null,null],"day":3}'
    await anne.complete(leased, cause=Cause.ERROR, error="could not join")
    parent = await run_of(world, parent_id)
    assert (parent["state"], parent["kind"], parent["error"]) == ("FAILED", "error", "could not join")


# ------------------------------------------------------------------------------------------------- what follows: limits


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR, Cause.TIMEOUT, Cause.CANCELLED, Cause.RELEASED])
async def test_every_way_out_gives_back_what_it_held(world: World, cause: Cause) -> None:
    await save(world, "tick", place={"max_running": 3, "concurrency": {"db": 5, "mail": 9}})
    await trigger(world, n=3)
    anne = await worker(world)
    runs = await anne.lease(8)
    assert await _used(world) == [3, 3, 3]
    await anne.complete(runs[0], runs[1], cause=cause)
    assert await _used(world) == [1, 1, 1]
    await anne.complete(runs[0], runs[1], cause=cause)
    assert await _used(world) == [1, 1, 1]


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
    assert [row["state"] for row in rows] == ["SUCCEEDED"] * 5
    assert [row["result"] for row in rows if row["id"] != runs[3].run_id] == ['"fine"'] * 4
    if rows[3]["result"] is not None:  # a store that can keep it does, whole
        assert rows[3]["result"] == rot
        return
    assert "could not be stored" in rows[3]["error"]
    assert rows[3]["error_type"] == "ResultRefused"


async def test_an_error_the_store_refuses_is_replaced_too(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, cause=Cause.ERROR, error="half a letter: \ud800") == [Landing.RECORDED]
    assert "could not be stored" in (await run_of(world, run.run_id))["error"]


async def test_the_name_of_an_error_is_cut(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    await anne.complete(run, cause=Cause.ERROR, error="x", error_type="E" * 1000)
    assert (await run_of(world, run.run_id))["error_type"] == "E" * 200


async def test_a_run_whose_definition_cannot_be_read_still_ends(world: World) -> None:
    job = await save(world, "tick", retries=5, on_lost="fail")
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    await world.change("UPDATE job_versions SET definition = :broken", broken='{"of": "another time"}')
    blind = await world.open()
    other = Worker(world, blind)
    other.session = anne.session
    assert await other.complete(one) == [Landing.RECORDED]
    assert await other.complete(two, cause=Cause.ERROR, error="x") == [Landing.RECORDED]
    assert await states_of(world) == ["SUCCEEDED", "FAILED"]
    assert job.version == 1


async def older_server(world: World, anne: Worker) -> Worker:
    """Anne's link to a server that does not know a field of the definitions, as in a rolling upgrade."""
    await world.change(
        "UPDATE job_versions SET definition = replace(definition, :run, :future)",
        run='"run":',
        future='"of_the_future":1,"run":',
    )
    (changed,) = await world.rows("SELECT count(*) AS n FROM job_versions WHERE definition LIKE '%of_the_future%'")
    assert changed["n"] == 1
    other = Worker(world, await world.open())
    other.session = anne.session
    return other


async def test_a_server_that_cannot_read_a_sharded_job_makes_its_merge_run(world: World) -> None:
    await save(world, "tick", shards=2, merge="python:jobs:join", place={"max_running": 2})
    (parent_id,) = await trigger(world)
    anne = await worker(world)
    shards = await anne.lease(8)
    older = await older_server(world, anne)
    assert await older.complete(*shards) == [Landing.RECORDED] * 2
    assert (await run_of(world, parent_id))["state"] == "RUNNING"
    merge = await anne.lease_one()
    assert (await run_of(world, merge.run_id))["fire_key"] == f"d:{parent_id}:merge"
    assert await _used(world) == [1]
    assert await older.complete(merge) == [Landing.RECORDED]
    assert (await run_of(world, parent_id))["state"] == "SUCCEEDED"
    assert await _used(world) == [0]


async def test_a_server_that_cannot_read_a_job_goes_by_its_retries(world: World) -> None:
    await save(world, "tick", retries={"max": 1, "backoff": "1s", "on": ["ConnectionError"]})
    await trigger(world, n=2)
    anne = await worker(world)
    one, two = await anne.lease(8)
    older = await older_server(world, anne)
    await older.complete(one, cause=Cause.ERROR, error="x", error_type="ConnectionError")
    await older.complete(two, cause=Cause.ERROR, error="x", error_type="ValueError")
    assert await states_of(world) == ["PENDING", "FAILED"]


async def _used(world: World) -> list[int]:
    return [row["used"] for row in await world.rows("SELECT used FROM limits ORDER BY name")]
