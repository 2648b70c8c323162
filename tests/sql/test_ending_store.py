"""Ending in the tables: leases, limits and rows made by hand."""

import pytest

from foliot.domain.instants import SECOND, ceil_to_second
from foliot.domain.run import Landing
from foliot.domain.verdict import Cause
from tests.conformance.building import save
from tests.conformance.editing import delayed_and_fired
from tests.conformance.working import Worker, trigger, worker
from tests.sql.rows import attempts_of, cursor_of, run_of, runs_of, states_of
from tests.sql.world import World


async def test_a_report_that_names_a_run_twice_counts_once(world: World) -> None:
    await save(world, "tick", place={"max_running": 5})
    await trigger(world)
    anne = await worker(world)
    run = await anne.lease_one()
    assert await anne.complete(run, run) == [Landing.RECORDED, Landing.ALREADY]
    assert await world.value("SELECT used FROM limits") == 0


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


@pytest.mark.parametrize("cause", [Cause.SUCCEEDED, Cause.ERROR, Cause.CANCELLED])
async def test_the_end_of_the_scheduled_run_sets_the_next_instant(world: World, cause: Cause) -> None:
    anne, job = await delayed_and_fired(world)
    run = await anne.lease_one()
    before = (await cursor_of(world, job))["cursor_ver"]
    await anne.complete(run, cause=cause)
    ended_at = (await run_of(world, run.run_id))["ended_at"]
    cursor = await cursor_of(world, job)
    assert cursor["next_at"] == cursor["next_due_at"] == ceil_to_second(ended_at + 30 * SECOND)
    assert cursor["cursor_ver"] == before + 1
    assert await anne.complete(run, cause=cause) == [Landing.ALREADY]
    assert (await cursor_of(world, job))["cursor_ver"] == before + 1


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


async def test_a_server_that_cannot_read_a_job_gives_back_and_counts_all_that_its_runs_take(world: World) -> None:
    await save(world, "tick", overlap="allow", place={"concurrency": {"db": 8}, "takes": {"db": 3}})
    await trigger(world, n=3)
    anne = await worker(world)
    one, _ = await anne.lease(8)
    older = await older_server(world, anne)
    assert await older.lease(8) == ()  # the third would not find three, and it cannot be read
    assert await older.complete(one) == [Landing.RECORDED]
    assert await _used(world) == [3]
    assert await older.store.runs.recount_limits() == 0


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
