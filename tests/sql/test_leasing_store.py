"""Leasing in the tables: runs made by hand, hints of scans."""

from foliot.domain.instants import MINUTE, SECOND
from foliot.domain.run import Landing
from foliot.store.sql.leasing.run_kinds import WaitingKinds
from tests.conformance.building import save
from tests.conformance.working import trigger, worker
from tests.sql.rows import attempts_of, run_of, runs_of
from tests.sql.world import World


async def test_a_run_goes_to_a_worker_and_comes_to_its_end(world: World) -> None:
    job = await save(world, "tick", params={"deep": True}, timeout="30s")
    (run_id,) = await trigger(world)
    anne = await worker(world)
    leased = await anne.lease_one()
    assert (leased.run_id, leased.job_id, leased.job) == (run_id, job.job_id, "tick")
    assert (leased.attempt, leased.shard, leased.version, leased.handler) == (1, -1, 1, "python:jobs:tick")
    assert (leased.params, leased.timeout_us, leased.reason) == ('{"deep":true}', 30 * SECOND, "a test")
    row = await run_of(world, run_id)
    assert (row["state"], row["session_id"], row["lease_id"]) == ("RUNNING", anne.session, leased.lease_id)
    assert (row["fence"], row["request_no"], row["ver"]) == (leased.fence, 1, 2)
    assert row["deadline_at"] == row["leased_at"] + MINUTE  # by when a start must be reported
    assert await anne.complete(leased, result="42", started_us_ago=0, took_us=5) == [Landing.RECORDED]
    row = await run_of(world, run_id)
    assert (row["state"], row["result"], row["lease_id"], row["ver"]) == ("SUCCEEDED", "42", None, 3)
    assert row["leased_at"] <= row["started_at"] <= row["ended_at"]
    assert (row["session_id"], row["deadline_at"]) == (anne.session, None)
    assert await attempts_of(world, run_id) == []


async def test_each_poll_gets_only_what_its_worker_serves(world: World) -> None:
    await save(world, "here", run="python:jobs:here")
    await save(world, "there", run="python:jobs:there")
    ours, theirs = await trigger(world, "here", 3), await trigger(world, "there", 3)
    lane_of = {name: (await runs_of(world, name))[0]["lane"] for name in ("here", "there")}
    anne, ben = await worker(world), await worker(world)
    polls = [await anne.poll(8, lanes=[lane_of["here"]]), await ben.poll(2, lanes=list(lane_of.values()))]
    granted = await world.store.runs.lease(polls, limit=100)
    leased = [[run.run_id for run in grant.runs] for grant in granted.grants]
    assert set(leased[0]) <= set(ours)
    assert len(leased[1]) == 2
    assert set(leased[1]) <= {*ours, *theirs}


async def test_a_run_that_comes_late_is_found_within_a_minute(world: World) -> None:
    """Behind the lower bound of a busy kind lies what another clock or an import wrote: the full scan finds it."""
    await save(world, "tick")
    anne = await worker(world)
    await trigger(world, n=3)
    assert len(await anne.lease(1)) == 1
    await world.elapse(MINUTE + SECOND)
    (late,) = await trigger(world)
    await world.change("UPDATE runs SET not_before = not_before - :long WHERE id = :id", long=60 * MINUTE, id=late)
    await anne.beat()
    assert late in {run.run_id for run in await anne.lease(8)}


async def test_nothing_found_means_look_at_everything(world: World) -> None:
    await save(world, "tick")
    anne = await worker(world)
    await trigger(world)
    assert len(await anne.lease(8)) == 1
    await world.elapse(2 * SECOND)
    (late,) = await trigger(world)
    await world.change("UPDATE runs SET not_before = not_before - :long WHERE id = :id", long=60 * MINUTE, id=late)
    assert [run.run_id for run in await anne.lease(8)] == [late]


async def test_catch_up_takes_at_most_half_while_other_work_waits(world: World) -> None:
    await save(world, "tick")
    late = await trigger(world, n=10)
    await world.change("UPDATE runs SET class = 1")
    await world.elapse(SECOND)
    await trigger(world, n=10)
    anne = await worker(world)
    leased = await anne.lease(8)
    assert sum(run.run_id in late for run in leased) == 4
    rest = await anne.lease(100)
    assert sum(run.run_id in late for run in rest) == 6  # nothing else is left out, so all of it goes


async def test_a_worker_with_one_slot_gets_to_catch_up_work_in_turn(world: World) -> None:
    await save(world, "tick")
    late = await trigger(world, n=4)
    await world.change("UPDATE runs SET class = 1")
    await world.elapse(SECOND)
    await trigger(world, n=8)
    anne = await worker(world)
    leased = [(await anne.lease_one()).run_id for _ in range(8)]
    assert sum(run_id in late for run_id in leased) == 4


async def test_a_run_that_is_not_parked_still_waits_for_those_before_it(world: World) -> None:
    """Parking thins the scan; the lease rule alone keeps a serial job serial."""
    await save(world, "tick", overlap="queue_all")
    await trigger(world, n=3)
    await world.change("UPDATE runs SET parked = 0")
    anne = await worker(world)
    assert len(await anne.lease(8)) == 1
    assert await anne.lease(8) == ()


# ------------------------------------------------------------------------------------------------------- with deaths


async def test_a_run_a_worker_died_of_is_leased_alone(world: World) -> None:
    await save(world, "tick")
    (deadly,) = await trigger(world)
    await world.change("UPDATE runs SET deaths = 1")
    await trigger(world, n=3)
    anne, ben = await worker(world), await worker(world)
    granted = await world.store.runs.lease([await anne.poll(8), await ben.poll(8)], limit=100)
    leased = sorted([run.run_id for run in grant.runs] for grant in granted.grants)
    assert leased[0] == [deadly]
    assert len(leased[1]) == 3


async def test_one_worker_alone_takes_deadly_runs_one_by_one(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=3)
    await world.change("UPDATE runs SET deaths = 1")
    anne = await worker(world)
    assert [[run.run_id for run in await anne.lease(8)] for _ in ids] == [[run_id] for run_id in ids]


async def test_a_server_that_was_just_started_knows_nothing_and_finds_all(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=2)
    anne = await worker(world)
    await anne.lease(1)
    fresh = await world.open()
    assert len(await (await worker(world, fresh)).lease(8)) == 1
    assert WaitingKinds().kinds({1}) == []


async def test_runs_whose_definition_cannot_be_read_here_step_aside(world: World) -> None:
    """One server lacks a zone or a field: what is behind them goes on, and another server leases them."""
    await save(world, "strange")
    strange = await trigger(world, "strange", 5)
    await save(world, "plain")
    plain = await trigger(world, "plain", 2)
    await world.change(
        "UPDATE job_versions SET definition = :broken WHERE job_id = (SELECT id FROM jobs WHERE name = 'strange')",
        broken='{"of": "another time"}',
    )
    blind = await world.open()
    anne = await worker(world, blind)
    assert await anne.lease(2) == ()
    assert await anne.lease(2) == ()
    assert len(await anne.lease(2)) == 1
    assert [run.run_id for run in await anne.lease(2)] == plain[1:]
    await world.elapse(31 * SECOND)
    ben = await worker(world)  # his server still has the definition
    assert {run.run_id for run in await ben.lease(8)} == set(strange)
