"""Callbacks: they end the attempt that waits, once, by its lease; all that follows is as after a worker's report."""

import asyncio
from typing import Any

from foliot.domain.instants import DAY, SECOND
from foliot.domain.verdict import Cause, judge
from foliot.ports.store.callbacks import Callback, CallbackLanding, NewCallback
from foliot.ports.worker_link import HeldLease, LeasedRun, Report
from tests.conformance.building import save
from tests.conformance.working import Worker, attempts_of, lead, run_of, states_of, trigger, worker
from tests.conformance.world import CHANCE, World

RECORDED, ALREADY, OVER = CallbackLanding.RECORDED, CallbackLanding.ALREADY, CallbackLanding.OVER


async def opened(world: World, by: Worker, run: LeasedRun, **other: str) -> Callback | None:
    """A callback for an attempt, as it is found again."""
    new = NewCallback(
        id=CHANCE.token(),
        key_hash="k" * 64,
        session=other.get("session", by.session),
        run_id=run.run_id,
        lease_id=other.get("lease_id", run.lease_id),
    )
    is_open = await world.store.callbacks.open(new)
    found = await world.store.callbacks.find(new.id)
    assert (found is not None) is is_open
    return found


async def waiting(world: World, **job: object) -> tuple[Worker, LeasedRun, Callback]:
    """A worker with a run that waits for a callback."""
    await save(world, "tick", **job)
    await trigger(world)
    by = await worker(world)
    run = await by.lease_one()
    found = await opened(world, by, run)
    assert found is not None
    return by, run, found


async def end(world: World, callback: Callback, cause: Cause = Cause.SUCCEEDED, **said: Any) -> CallbackLanding:
    report = Report(run_id=callback.run_id, lease_id=callback.lease_id, cause=cause, started_us_ago=SECOND, **said)
    return await world.store.callbacks.end(callback, report, judge, end_hash=f"{cause}{said}"[:64])


async def test_a_callback_ends_its_attempt_and_the_worker_learns_of_it_with_its_next_beat(world: World) -> None:
    by, run, callback = await waiting(world)
    assert await end(world, callback, result="7") is RECORDED
    done = await run_of(world, run.run_id)
    assert (done.state, done.result, done.by_callback_at is not None) == ("SUCCEEDED", "7", True)
    assert done.started_at is not None
    assert (await by.beat(run)).invalid == (run.lease_id,)


async def test_the_same_end_again_is_known_and_another_one_changes_nothing(world: World) -> None:
    _, run, callback = await waiting(world)
    assert await end(world, callback, result="7") is RECORDED
    assert await end(world, callback, result="7") is ALREADY
    assert await end(world, callback, Cause.ERROR, error="no") is CallbackLanding.OTHERWISE
    assert (await run_of(world, run.run_id)).state == "SUCCEEDED"


async def test_of_two_different_ends_at_once_one_counts(world: World) -> None:
    _, run, callback = await waiting(world)
    landings = await asyncio.gather(
        end(world, callback, result="1"),
        end(world, callback, Cause.ERROR, error="no"),
        end(world, callback, result="2"),
    )
    assert sorted(landings) == [CallbackLanding.OTHERWISE, CallbackLanding.OTHERWISE, RECORDED]
    assert (await run_of(world, run.run_id)).ended_at is not None


async def test_a_failure_is_tried_again_and_its_callback_does_not_touch_the_next_attempt(world: World) -> None:
    by, run, callback = await waiting(world, retries={"max": 1, "backoff": "1s", "jitter": False})
    assert await end(world, callback, Cause.ERROR, error="busy") is RECORDED
    assert [one.error for one in await attempts_of(world, run.run_id)] == ["busy"]
    await world.elapse(2 * SECOND)
    again = await by.lease_one()
    assert again.run_id == run.run_id
    assert await end(world, callback, Cause.ERROR, error="busy") is ALREADY
    assert await end(world, callback, result="7") is CallbackLanding.OTHERWISE
    assert (await run_of(world, run.run_id)).state == "RUNNING"
    fresh = await opened(world, by, again)
    assert fresh is not None
    assert await end(world, fresh, result="8") is RECORDED


async def test_a_callback_comes_too_late_when_the_lease_has_moved_or_the_worker_ended_the_run(world: World) -> None:
    by, run, callback = await waiting(world)
    await by.complete(run, cause=Cause.RELEASED)
    other = await worker(world)
    moved = await other.lease_one()
    assert await end(world, callback, result="7") is OVER
    assert await world.store.callbacks.progress(callback, "{}", said_at=None) is OVER
    own = await opened(world, other, moved)
    assert own is not None
    await other.complete(moved)
    assert await end(world, own, result="7") is OVER


async def test_a_callback_is_given_to_the_holder_of_the_lease_alone_and_one_asked_for_again_replaces_the_first(
    world: World,
) -> None:
    by, run, first = await waiting(world)
    other = await worker(world)
    assert await opened(world, other, run) is None
    assert await opened(world, by, run, lease_id="another") is None
    assert await opened(world, by, run) is not None
    assert await world.store.callbacks.find(first.id) is None


async def test_signed_progress_only_goes_forward_and_is_shown(world: World) -> None:
    by, run, callback = await waiting(world)
    tell = world.store.callbacks.progress
    held = HeldLease(
        run_id=run.run_id, lease_id=run.lease_id, started_us_ago=0, waits_for="callback", waits_us_ago=SECOND
    )
    await by.beat(held)
    assert await tell(callback, '{"done": 1}', said_at=10) is RECORDED
    assert await tell(callback, '{"done": 2}', said_at=20) is RECORDED
    assert await tell(callback, '{"done": 1}', said_at=10) is CallbackLanding.REPLAYED
    assert await tell(callback, '{"done": 2}', said_at=20) is CallbackLanding.REPLAYED
    shown = await run_of(world, run.run_id)
    assert shown.progress is not None
    assert shown.waits is not None
    assert (shown.progress.done, shown.waits.what) == (2, "callback")
    assert await tell(callback, '{"done": 3}', said_at=None) is RECORDED  # it came with the token itself


async def test_the_next_of_a_serial_job_starts_when_a_callback_ends_the_first(world: World) -> None:
    await save(world, "tick", overlap="queue")
    await trigger(world, n=2)
    by = await worker(world)
    (run,) = await by.lease(2)
    callback = await opened(world, by, run)
    assert callback is not None
    assert await by.lease(1) == ()
    assert await end(world, callback) is RECORDED
    (following,) = await by.lease(1)
    assert following.run_id != run.run_id
    assert await states_of(world) == ["SUCCEEDED", "RUNNING"]


async def test_a_callback_is_forgotten_with_its_run(world: World) -> None:
    _, _, callback = await waiting(world)
    await end(world, callback)
    await world.elapse(DAY)
    term = await lead(world)
    now = await world.now()
    assert (await world.store.runs.forget(before=now, after_id=0, limit=100, term=term))[0] == 1
    assert await world.store.callbacks.find(callback.id) is None
