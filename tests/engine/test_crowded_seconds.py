"""Many instants of one second: those that come within a few milliseconds share a transaction; a lone one waits not."""

import asyncio
from typing import Any

import pytest

from foliot.app.server import Server
from foliot.domain.access import INTERNAL
from foliot.domain.instants import MILLISECOND, SECOND
from foliot.domain.step_gap import MOST_OF_IT, REST_RATIO
from foliot.domain.verdict import Cause
from foliot.engine.firing import GAP_MAX_S
from foliot.engine.leasing import GAP_MAX_S as LEASING_GAP_MAX_S
from foliot.engine.loop import Duty
from foliot.ports.worker_link import Report
from foliot.store.sql.kernel.database import verb_of
from tests.clocks import DrivenClock, settle
from tests.conformance.building import every, save
from tests.conformance.working import trigger
from tests.engine.test_duties import forbid_statements, hello, parked, poll
from tests.sql.world import World

TAKES_S = 0.003
"""What a transaction takes here, by every clock."""


@pytest.fixture
def verbs(world: World, clock: DrivenClock, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the store was asked for; each time passes some milliseconds."""
    once = world.database.runner.once
    asked: list[str] = []

    async def slow(work: Any, pool: Any, mode: Any) -> Any:
        answer = await once(work, pool, mode)
        if not verb_of(work).startswith("world."):  # the test's own questions take no time
            asked.append(verb_of(work))
            await _pass(world, clock, TAKES_S)
        return answer

    monkeypatch.setattr(world.database.runner, "once", slow)
    return asked


async def _pass(world: World, clock: DrivenClock, seconds: float) -> None:
    await clock.advance(seconds)
    await world.elapse(int(seconds * SECOND))


async def _step(world: World, clock: DrivenClock, duty: Duty) -> float:
    """One step with its rest."""
    duty.wake.clear()
    rest_s = await duty.step()
    if not duty.wake.is_set():
        await _pass(world, clock, max(rest_s, 0.0001))
    return rest_s


async def test_instants_that_come_close_together_are_decided_together(
    world: World, server: Server, clock: DrivenClock, verbs: list[str]
) -> None:
    jobs = [await save(world, f"job{number}", schedule={"every": "1h", "jitter": "100ms"}) for number in range(60)]
    dues = sorted(job.next_at for job in jobs if job.next_at is not None)
    assert len(set(dues)) == len(jobs)
    await world.elapse(dues[0] - SECOND // 2 - await world.now())
    await server.pulsing.step()
    verbs.clear()
    for _ in range(100):
        await _step(world, clock, server.firing)
    runs = await world.rows("SELECT created_at, not_before FROM runs")
    assert len(runs) == len(jobs)
    decisions = [verb for verb in verbs if verb.endswith("decide_due")]
    gap_s = min(GAP_MAX_S, REST_RATIO * TAKES_S)
    assert len(decisions) <= (dues[-1] - dues[0]) / (gap_s * SECOND) + 3
    late_us = [run["created_at"] - run["not_before"] for run in runs]
    assert min(late_us) <= MILLISECOND, "a lone one waited for others"
    assert max(late_us) <= (GAP_MAX_S + TAKES_S) * SECOND


async def test_what_comes_next_is_known_without_another_question(
    world: World, server: Server, clock: DrivenClock, verbs: list[str]
) -> None:
    first, second = [await every(world, name, interval="1h") for name in ("first", "second")]
    now = await world.now()
    await world.change("UPDATE cursors SET next_at = :at WHERE job_id = :job", at=now, job=first.job_id)
    await world.change("UPDATE cursors SET next_at = :at WHERE job_id = :job", at=now + SECOND // 2, job=second.job_id)
    await server.pulsing.step()
    server.pulsing.wake.clear()
    rest_s = await server.firing.step()
    assert rest_s == pytest.approx(0.5 - 2 * TAKES_S, abs=0.002)
    assert not server.pulsing.wake.is_set()


async def test_a_pulse_that_comes_in_while_firing_decides_is_not_forgotten(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job is saved after the transaction saw what comes next, and the pulse has told of it."""
    first, second = [await every(world, name, interval="1h") for name in ("first", "second")]
    now = await world.now()
    await world.change("UPDATE cursors SET next_at = :at WHERE job_id = :job", at=now, job=first.job_id)
    await server.pulsing.step()
    decide_due = server.store.firing.decide_due

    async def overtaken(*args: Any, **how: Any) -> Any:
        decided = await decide_due(*args, **how)
        soon = now + SECOND // 5
        await world.change("UPDATE cursors SET next_at = :at WHERE job_id = :job", at=soon, job=second.job_id)
        await server.pulsing.step()
        return decided

    monkeypatch.setattr(server.store.firing, "decide_due", overtaken)
    server.pulsing.wake.clear()
    await server.firing.step()
    assert server.pulsing.wake.is_set(), "the next pulse tells what comes next"


async def test_polls_that_follow_a_thin_lease_are_looked_for_together(
    world: World, server: Server, clock: DrivenClock, verbs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.workers.register(hello(), by=INTERNAL)
    waits = await parked(server, poll(1))
    await server.pulsing.step()
    await server.leasing.step()
    server.leasing.hint()
    with monkeypatch.context() as soon_after:
        forbid_statements(world, soon_after)
        rest_s = await server.leasing.step()
    assert rest_s == pytest.approx(min(LEASING_GAP_MAX_S, REST_RATIO * TAKES_S) - TAKES_S, abs=0.001)
    await _pass(world, clock, rest_s)
    verbs.clear()
    await server.leasing.step()
    assert verbs == ["run_store.lease"]
    waits.cancel()
    await asyncio.gather(waits, return_exceptions=True)


async def test_a_lease_follows_a_fire_at_once_when_most_of_its_gap_is_over(
    world: World, server: Server, clock: DrivenClock, verbs: list[str]
) -> None:
    await server.workers.register(hello(), by=INTERNAL)
    waits = await parked(server, poll(1))
    await server.pulsing.step()
    await server.leasing.step()
    await _pass(world, clock, LEASING_GAP_MAX_S * MOST_OF_IT)
    server.tide.ready = True  # another server's runs, or those of a poll: these wait for the rest of the gap
    verbs.clear()
    await server.leasing.step()
    assert verbs == []
    server.leasing.hint()
    await server.leasing.step()
    assert verbs == ["run_store.lease"]
    waits.cancel()
    await asyncio.gather(waits, return_exceptions=True)


async def test_a_run_that_waits_for_the_end_of_another_is_leased_soon_after_it(
    world: World, server: Server, clock: DrivenClock, verbs: list[str]
) -> None:
    """A line of short runs goes one by one: no gap gathers two of them."""
    await save(world, place={"max_running": 1})
    await trigger(world, n=2)
    await server.workers.register(hello(), by=INTERNAL)
    waits = await parked(server, poll(1))
    await server.pulsing.step()
    began_at = clock.monotonic()
    await server.leasing.step()
    (run,) = (await waits).runs
    waits = await parked(server, poll(2))
    await _pass(world, clock, await server.leasing.step())
    await server.leasing.step()  # for the poll: it finds nothing
    assert not waits.done()
    end = Report(run_id=run.run_id, lease_id=run.lease_id, cause=Cause.SUCCEEDED)
    await server.workers.complete("w1", [end], by=INTERNAL)
    while not waits.done():
        rest_s = await server.leasing.step()
        await settle()
        if not waits.done():
            await _pass(world, clock, rest_s)
    assert len((await waits).runs) == 1
    assert clock.monotonic() - began_at < 1.4 * LEASING_GAP_MAX_S


async def test_a_lease_of_several_runs_is_followed_by_the_whole_gap(
    world: World, server: Server, clock: DrivenClock, verbs: list[str]
) -> None:
    await save(world)
    await trigger(world, n=2)
    await server.workers.register(hello(), by=INTERNAL)
    waits = await parked(server, poll(1))
    await server.pulsing.step()
    await server.leasing.step()
    assert len((await waits).runs) == 2
    waits = await parked(server, poll(2))
    rest_s = await server.leasing.step()
    assert rest_s == pytest.approx(min(LEASING_GAP_MAX_S, REST_RATIO * TAKES_S) - TAKES_S, abs=0.001)
    waits.cancel()
    await asyncio.gather(waits, return_exceptions=True)
