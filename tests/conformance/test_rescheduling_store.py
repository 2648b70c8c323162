"""A store clock that was years ahead and came back: schedules are set right, and no instant is decided twice."""

from collections import Counter
from typing import Any

import pytest

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant, isoformat
from foliot.domain.planner import Planner
from foliot.ports.store.lookups import JobRow
from tests.conformance.building import NS, PERSON, PLANS, cursor_of, make_due, runs_of, save, skips_of
from tests.conformance.rescheduling import HOURLY, YEARS, fire_all, next_instants, reschedule
from tests.conformance.world import World


async def sent_ahead(world: World, *, fire_before: bool = True) -> Instant:
    """The store's clock runs years ahead, servers fire, and it is right again, half an hour after an instant."""
    now = await world.now()
    await world.elapse(HOUR - now % HOUR + 30 * MINUTE)
    if fire_before:
        await fire_all(world)
    begin = await world.now()
    await world.elapse(YEARS)
    await fire_all(world)
    await world.elapse(begin - await world.now())
    return begin


@pytest.mark.parametrize("policy", ["skip", {"latest": "1h"}, {"all": "1d"}], ids=["skip", "latest", "all"])
async def test_a_schedule_that_was_sent_years_ahead_goes_on(world: World, policy: Any) -> None:
    job = await save(world, **HOURLY, misfire=policy)
    begin = await sent_ahead(world)
    runs_before = {run.due_at for run in await runs_of(world)}
    await next_instants(world, 2)
    assert {run.due_at for run in await runs_of(world)} == runs_before, "it stands still"

    looked = await reschedule(world, dry_run=True)
    assert (await cursor_of(world, job)).next_due_at == looked.before.next_due_at, "a dry run changes nothing"
    done = await reschedule(world)
    now = await world.now()
    assert (looked.after, looked.instants) == (done.after, done.instants)
    assert done.before.next_due_at is not None
    assert done.before.next_due_at > begin + YEARS
    assert done.after.next_due_at == now // HOUR * HOUR + HOUR
    await next_instants(world, 3)
    first = done.after.next_due_at
    came = [run.due_at for run in await runs_of(world) if now < run.due_at < begin + DAY]
    assert came == [first, first + HOUR, first + 2 * HOUR]
    await each_instant_once(world, job, until=await world.now())
    assert not (await reschedule(world)).is_changed, "once is enough"


async def each_instant_once(world: World, job: JobRow, *, until: Instant) -> None:
    assert job.next_due_at is not None
    decided = Counter(run.due_at for run in await runs_of(world) if run.due_at <= until)
    for skip in await skips_of(world, job):
        inside = range(skip.from_at, skip.to_at + 1, HOUR)
        assert len(inside) == skip.count, skip
        decided.update(inside)
    assert decided == Counter(range(job.next_due_at, until + 1, HOUR))


async def test_runs_that_wait_for_instants_to_come_are_cancelled_and_are_in_nobodys_way(world: World) -> None:
    await save(world, schedule={"every": "1h"}, overlap="skip")
    await sent_ahead(world, fire_before=False)
    waiting = [run for run in await runs_of(world) if run.state == "PENDING"]
    assert (await reschedule(world, dry_run=True)).runs == len(waiting) == 1
    done = await reschedule(world)
    assert done.runs == 1
    (ended,) = [run for run in await runs_of(world) if run.run_id == waiting[0].run_id]
    assert (ended.state, "has not come" in (ended.error or "")) == ("CANCELLED", True)
    await next_instants(world, 1)
    assert [run.due_at for run in await runs_of(world) if run.state == "PENDING"] == [done.after.next_due_at]


async def test_an_early_run_stays_where_the_cursor_does_not_go_back(world: World) -> None:
    """A clock that was half a minute ahead: the cursor is near enough, so nothing would come in the run's stead."""
    await save(world, schedule={"every": "20s"}, overlap="allow")
    await fire_all(world)
    await world.elapse(30 * SECOND)
    await fire_all(world)
    await world.elapse(-30 * SECOND)
    before = await runs_of(world)
    assert [run for run in before if run.due_at > await world.now()]
    assert not (await reschedule(world)).is_changed
    assert await runs_of(world) == before


async def test_a_fixed_delay_gets_the_run_back_that_was_made_too_early(world: World) -> None:
    job = await save(world, schedule={"every": "10m", "from_end": True, "count": 1})
    assert job.next_at is not None
    ahead = job.next_at - await world.now() + MINUTE
    await world.elapse(ahead)
    await fire_all(world)
    await world.elapse(-ahead)
    done = await reschedule(world)
    assert done.runs == 1
    cursor = await cursor_of(world, job)
    assert (cursor.state, cursor.remaining) == ("active", 1)
    assert cursor.next_due_at is not None


async def test_a_schedule_that_ended_early_begins_again(world: World) -> None:
    end = await world.now() + 30 * DAY
    job = await save(world, schedule={"every": "1h", "end": _written(end)}, overlap="allow")
    await sent_ahead(world)
    assert (await cursor_of(world, job)).state == "done"
    done = await reschedule(world)
    assert (done.before.state, done.after.state) == ("done", "active")
    await next_instants(world, 1)
    assert done.after.next_due_at in [run.due_at for run in await runs_of(world)]


async def test_a_pause_stays_and_its_schedule_is_right_when_it_ends(world: World) -> None:
    await save(world, **HOURLY)
    await sent_ahead(world)
    await world.store.jobs.pause(NS, "tick", by=PERSON, plans=Planner())
    done = await reschedule(world)
    assert (done.before.state, done.after.state) == ("paused", "paused")
    assert done.after.next_due_at is not None
    assert done.after.next_due_at <= await world.now() + HOUR


async def test_what_is_due_is_decided_first(world: World) -> None:
    job = await save(world, **HOURLY, misfire={"all": "3660d"})
    await make_due(world, job, late_us=149 * HOUR + 30 * MINUTE)
    done = await reschedule(world)
    assert (done.is_changed, len(await runs_of(world))) == (False, 150)


@pytest.mark.parametrize(
    "schedule",
    [{"cron": "0 0 1 1 *"}, {"every": "1s"}, {"every": "1h", "start": "2199-01-01T00:00:00Z"},
     {"at": "2001-01-01T00:00:00Z"}, {"every": "1h", "count": 1}],
    ids=["far", "near", "not begun", "over", "used up"],
)  # fmt: skip
async def test_a_schedule_that_is_right_is_left_alone(world: World, schedule: dict[str, Any]) -> None:
    await save(world, schedule=schedule, overlap="allow")
    await world.elapse(HOUR)
    await fire_all(world)
    assert not (await reschedule(world)).is_changed
    assert await world.store.jobs.ahead(NS, plans=PLANS, limit=10) == ([], None)
    assert list(await world.store.jobs.farthest_ahead(plans=PLANS, limit=10)) == []


def _written(instant: Instant) -> str:
    return isoformat(instant)
