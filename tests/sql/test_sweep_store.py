"""The sweep in the tables: lines made by hand."""

from foliot.domain.instants import HOUR, MINUTE
from tests.conformance.building import ask, every, save
from tests.sql.rows import cursor_of, runs_of
from tests.sql.world import World


async def test_the_pulse_looks_everywhere_once_a_minute(world: World) -> None:
    job = await every(world, "forgotten", "1d")
    for _ in range(3):
        await world.store.firing.pulse()
    long_ago = await world.now() - HOUR
    await world.change("UPDATE cursors SET next_at = :at WHERE job_id = :id", at=long_ago, id=job.job_id)
    assert (await world.store.firing.pulse()).next_at is None  # below what it looks at
    await world.elapse(MINUTE)
    await world.store.firing.pulse()
    assert (await world.store.firing.pulse()).next_at == long_ago


# ------------------------------------------------------------------------------------------------------------ admission


async def test_a_trigger_for_later_gets_its_place_when_it_is_due(world: World) -> None:
    job = await save(world, overlap="queue_all")
    await world.store.runs.trigger(ask(key="later", delay_us=HOUR))
    (run,) = await runs_of(world)
    assert (run["place"], run["parked"], run["state"]) == (None, 1, "PENDING")
    before = (await cursor_of(world, job))["cursor_ver"]
    assert await world.store.firing.admit(limit=10) == 0

    await world.elapse(HOUR)
    assert (await world.store.firing.pulse()).admissible is True
    assert await world.store.firing.admit(limit=10) == 1
    (run,) = await runs_of(world)
    assert (run["place"], run["parked"], run["ver"]) == (before + 1, 0, 2)
    assert (await cursor_of(world, job))["cursor_ver"] == run["place"]
    assert (await world.store.firing.pulse()).admissible is False
    assert await world.store.firing.admit(limit=10) == 0


async def test_a_trigger_for_later_of_a_deleted_job_is_not_admitted(world: World) -> None:
    job = await save(world, overlap="queue", shards=2)
    await world.store.runs.trigger(ask(delay_us=HOUR))
    await world.change("UPDATE jobs SET deleted_at = 1, moving = 1 WHERE id = :id", id=job.job_id)  # nothing ended yet
    await world.elapse(HOUR)
    assert await world.store.firing.admit(limit=10) == 0
    await world.store.jobs.repair(limit=10)
    assert [run["state"] for run in await runs_of(world)] == ["CANCELLED"]


# ------------------------------------------------------------------------------------------------------------ the sweep


async def test_the_sweep_un_parks_a_head_that_nobody_else_did(world: World) -> None:
    await save(world, overlap="queue_all")
    for key in "abc":
        await world.store.runs.trigger(ask(key=key))
    # The first ends behind the store's back, as an end would that could not see the others yet.
    await world.change("UPDATE runs SET state = 'SUCCEEDED', ver = ver + 1 WHERE fire_key = 'm:a'")
    assert await world.store.firing.unpark(limit=10) == (1, 0)
    assert [(run["fire_key"], run["parked"]) for run in await runs_of(world)] == [("m:a", 0), ("m:b", 0), ("m:c", 1)]
    assert await world.store.firing.unpark(limit=10) == (0, 0)


async def test_the_sweep_goes_round_in_stretches(world: World) -> None:
    for n in range(5):
        await save(world, f"job-{n}", overlap="queue_all")
        for key in "ab":
            await world.store.runs.trigger(ask(f"job-{n}", key))
    await world.change("UPDATE runs SET state = 'SUCCEEDED', ver = ver + 1 WHERE fire_key = 'm:a'")
    after, unparked, stretches = 0, 0, 0
    while True:
        count, after = await world.store.firing.unpark(limit=2, after_job=after)
        unparked, stretches = unparked + count, stretches + 1
        if not after:
            break
    assert (unparked, stretches) == (5, 3)
