"""Retention in the tables: what is gone and what stays."""

from foliot.domain.instants import DAY, MINUTE, SECOND
from foliot.domain.verdict import Cause, judge
from foliot.engine.upkeep import STEPS_APART_S, Forgetting
from foliot.ports.worker_link import Leaving, LogChunk
from foliot.store.sql.ending.retention import LOOK_MAX
from tests.conformance.building import save
from tests.conformance.working import forget, lead, trigger, worker
from tests.sql.rows import states_of
from tests.sql.world import World


async def test_old_runs_go_with_their_attempts_and_logs(world: World) -> None:
    await save(world, "tick", retries={"max": 1, "backoff": "1s", "jitter": False})
    await trigger(world, n=3)
    anne = await worker(world)
    one, two = await anne.lease(2)
    await world.store.runs.write_logs(
        anne.session, [LogChunk(run_id=one.run_id, lease_id=one.lease_id, attempt=1, offset=0, text="hello")]
    )
    await anne.complete(one, cause=Cause.REJECTED, error="x")
    await anne.complete(two)
    await world.elapse(DAY + SECOND)
    assert await forget(world) == (2, 0)
    assert await states_of(world) == ["PENDING"]
    assert await world.value("SELECT count(*) FROM attempts") == 0
    assert await world.value("SELECT count(*) FROM run_logs") == 0
    assert (await forget(world))[0] == 0


async def test_a_stretch_of_live_runs_does_not_hide_what_is_behind(world: World) -> None:
    await save(world, "tick")
    await trigger(world, n=6, delay_us=100 * DAY)
    (old,) = await trigger(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    await world.elapse(DAY + SECOND)
    assert await forget(world, limit=2) == (1, 0)
    assert await world.rows("SELECT id FROM runs WHERE id = :id", id=old) == []


async def test_no_stretch_of_live_runs_is_too_long_to_be_passed(world: World) -> None:
    await save(world, "tick")
    ids = await trigger(world, n=2 * LOOK_MAX + 2, delay_us=100 * DAY)
    await trigger(world)
    anne = await worker(world)
    await anne.complete(await anne.lease_one())
    await world.elapse(DAY + SECOND)
    now = await world.now()
    assert await forget(world, limit=2) == (0, ids[2 * LOOK_MAX - 1])  # not the end: one step looks so far
    forgetting = Forgetting(world.store.runs, lambda: now, keep_us=DAY, step_max=2)
    term = await lead(world)
    rests = [await forgetting.forget(term) for _ in range(2)]
    assert rests == [STEPS_APART_S, None]  # None: until the next visit
    assert "SUCCEEDED" not in await states_of(world)


async def test_old_skips_go(world: World) -> None:
    now = await world.now()
    for number, to_at in enumerate((now - 2 * DAY, now - DAY // 2, now)):
        await world.change(
            "INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, version, decided_at) "
            "VALUES (1, :key, :at, :at, 1, 'overlap', '', 1, :at)",
            key=f"x:{number}", at=to_at,
        )  # fmt: skip
    await forget(world)
    assert [row["fire_key"] for row in await world.rows("SELECT fire_key FROM skips ORDER BY id")] == ["x:1", "x:2"]


async def test_dead_sessions_are_listed_for_a_while(world: World) -> None:
    await save(world, "tick")
    await trigger(world)
    anne, ben, carl = [await worker(world) for _ in range(3)]
    await world.store.nodes.leave(Leaving(session=anne.session), judge)
    run = await ben.lease_one()
    await world.change("UPDATE nodes SET state = 'dead' WHERE id = :id", id=ben.session)
    await world.elapse(5 * MINUTE)
    await forget(world)
    assert len(await world.rows("SELECT id FROM nodes")) == 3
    await world.elapse(6 * MINUTE)
    await forget(world)
    left = {row["id"] for row in await world.rows("SELECT id FROM nodes")}
    assert left == {ben.session, carl.session}  # a run points at ben, and carl is not dead yet
    assert run.attempt == 1
