"""Windows of triggers: one run stands for those that come close together, whichever server they come to."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND
from foliot.domain.policies.windows import StandsFor
from foliot.domain.queue_limits import QueueFull
from foliot.ports.store.runs import Triggered
from tests.conformance.building import ask, fire, runs_of, save
from tests.conformance.working import Worker
from tests.conformance.world import World

DEBOUNCE: dict[str, Any] = {"debounce": {"quiet": "10s", "at_most": "25s", "by": "customer"}}
THROTTLE: dict[str, Any] = {"throttle": {"rate": "2/1m", "by": "customer"}}


async def triggered(world: World, key: str, customer: str = "a", n: int = 1, **wish: Any) -> Triggered:
    params = f'{{"customer":"{customer}","n":{n}}}'
    return await world.store.runs.trigger(ask(key=key, params=params, **wish))


async def test_triggers_that_come_together_are_one_run_with_the_last_parameters(world: World) -> None:
    await save(world, **DEBOUNCE)
    now = await world.now()
    first = await triggered(world, "1", n=1)
    await world.elapse(5 * SECOND)
    second = await triggered(world, "2", n=2, priority=9)
    assert (first.created, second.created, second.stands_for) == (True, False, StandsFor.DEBOUNCE)
    assert second.run_id == first.run_id
    assert first.not_before >= now + 10 * SECOND
    assert second.not_before >= first.not_before + 5 * SECOND
    (run,) = await runs_of(world)
    assert (run.params, run.priority, run.not_before) == ('{"customer":"a","n":2}', 9, second.not_before)


async def test_a_run_is_put_off_for_a_time_and_no_longer(world: World) -> None:
    await save(world, **DEBOUNCE)
    first = await triggered(world, "1")
    for n in range(2, 5):
        await world.elapse(7 * SECOND)
        last = await triggered(world, str(n))
        assert last.run_id == first.run_id
    assert last.not_before == first.not_before + 15 * SECOND
    await world.elapse(5 * SECOND)
    assert (await triggered(world, "5")).created, "its time has come, and another window opens"


async def test_values_of_the_parameter_have_windows_of_their_own(world: World) -> None:
    await save(world, **DEBOUNCE)
    one, other = await triggered(world, "1", "a"), await triggered(world, "2", "b")
    assert (one.created, other.created) == (True, True)
    assert (await triggered(world, "3", "b")).run_id == other.run_id


async def test_two_servers_make_one_run(world: World) -> None:
    other = await world.open()
    await save(world, debounce="10s")
    stores = (world.store, other)
    answers = await asyncio.gather(*(stores[n % 2].runs.trigger(ask(key=str(n))) for n in range(8)))
    assert len({answer.run_id for answer in answers}) == 1
    assert sum(answer.created for answer in answers) == 1


@pytest.mark.parametrize("overlap", ["allow", "queue"])
async def test_a_run_that_a_worker_took_is_not_touched(world: World, overlap: str) -> None:
    await save(world, overlap=overlap, **DEBOUNCE)
    first = await triggered(world, "1")
    await world.elapse(11 * SECOND)
    await world.store.firing.admit(limit=10)
    worker = await Worker(world).register()
    leased = await worker.lease_one()
    assert leased.run_id == first.run_id
    assert (await triggered(world, "2", n=2)).created
    assert [run.params for run in await runs_of(world) if run.run_id == first.run_id] == ['{"customer":"a","n":1}']


async def test_a_cancelled_run_stands_for_none(world: World) -> None:
    await save(world, **DEBOUNCE)
    first = await triggered(world, "1")
    await world.store.runs.cancel([first.run_id], by=ask().by)
    assert (await triggered(world, "2")).created


async def test_a_throttle_lets_the_first_through_and_answers_the_others_with_the_newest(world: World) -> None:
    await save(world, **THROTTLE)
    first, second = await triggered(world, "1"), await triggered(world, "2")
    third = await triggered(world, "3", n=3)
    assert (first.created, second.created) == (True, True)
    assert (third.created, third.run_id, third.stands_for) == (False, second.run_id, StandsFor.THROTTLE)
    assert (await triggered(world, "4", "b")).created
    await world.elapse(MINUTE)
    assert (await triggered(world, "5")).created
    assert [run.params for run in await runs_of(world) if "3" in (run.params or "")] == []


async def test_a_throttle_holds_over_servers(world: World) -> None:
    other = await world.open()
    await save(world, throttle="3/1h")
    stores = (world.store, other)
    answers = await asyncio.gather(*(stores[n % 2].runs.trigger(ask(key=str(n))) for n in range(10)))
    assert sum(answer.created for answer in answers) == 3
    assert len(await runs_of(world)) == 3


async def test_a_throttle_by_a_parameter_holds_over_servers_for_each_value(world: World) -> None:
    other = await world.open()
    await save(world, **THROTTLE)
    stores = (world.store, other)
    orders = [ask(key=str(n), params=f'{{"customer": "{"ab"[n // 2 % 2]}"}}') for n in range(12)]
    answers = await asyncio.gather(*(stores[n % 2].runs.trigger(order) for n, order in enumerate(orders)))
    assert sum(answer.created for answer in answers) == 4
    assert Counter(run.params for run in await runs_of(world)) == {order.params: 2 for order in orders}


async def test_the_same_key_gets_its_run_whatever_the_window(world: World) -> None:
    await save(world, throttle="1/1h")
    first = await world.store.runs.trigger(ask(key="1"))
    again = await world.store.runs.trigger(ask(key="1"))
    assert (again.run_id, again.stands_for) == (first.run_id, StandsFor.KEY)


@pytest.mark.parametrize("own", [{"delay_us": HOUR}, {"version": 1}, {"is_test": True}])
async def test_a_trigger_that_names_its_time_or_version_and_a_test_go_their_own_way(
    world: World, own: dict[str, Any]
) -> None:
    await save(world, throttle="1/1h")
    await world.store.runs.trigger(ask(key="1"))
    assert (await world.store.runs.trigger(ask(key="2", **own))).created


async def test_fires_of_the_schedule_need_no_window(world: World) -> None:
    job = await save(world, schedule={"every": "1m"}, overlap="allow", throttle="1/1h")
    await world.store.runs.trigger(ask(key="1"))
    assert job.next_at is not None
    await world.elapse(job.next_at - await world.now())
    assert (await fire(world)).created == 1


async def test_a_trigger_that_another_run_stands_for_needs_no_room(world: World) -> None:
    await save(world, place={"max_waiting": 1}, **DEBOUNCE)
    await triggered(world, "1", "a")
    assert not (await triggered(world, "2", "a")).created
    with pytest.raises(QueueFull):
        await triggered(world, "3", "b")
    with pytest.raises(QueueFull):
        await triggered(world, "4", "b")


# --------------------------------------------------------------------------------------------------------- keys


async def test_a_late_repeat_of_a_key_that_joined_brings_no_older_parameters_back(world: World) -> None:
    await save(world, **DEBOUNCE)
    for n in (1, 2, 3):
        last = await triggered(world, str(n), n=n)
        await world.elapse(SECOND)
    again = await triggered(world, "2", n=2)
    assert (again.run_id, again.created, again.stands_for) == (last.run_id, False, StandsFor.KEY)
    (run,) = await runs_of(world)
    assert (run.params, run.not_before) == ('{"customer":"a","n":3}', last.not_before), "and puts nothing off"


async def test_a_key_that_joined_has_its_run_when_that_has_begun(world: World) -> None:
    await save(world, **DEBOUNCE)
    first = await triggered(world, "1")
    await triggered(world, "2")
    await world.elapse(11 * SECOND)
    await (await Worker(world).register()).lease_one()
    again = await triggered(world, "2")
    assert (again.run_id, again.stands_for) == (first.run_id, StandsFor.KEY)
    assert len(await runs_of(world)) == 1


async def test_what_each_key_asked_is_kept_whatever_the_run_has_by_now(world: World) -> None:
    await save(world, **DEBOUNCE)
    for n in (1, 2, 3):
        assert (await triggered(world, str(n), n=n, asked=f"hash-{n}")).asked is None, "it is no repeat"
    assert [(await triggered(world, str(n), n=n)).asked for n in (1, 2, 3)] == ["hash-1", "hash-2", "hash-3"]


async def test_a_throttled_key_has_its_run_when_the_window_is_closed(world: World) -> None:
    await save(world, throttle="1/1m")
    first = await world.store.runs.trigger(ask(key="1"))
    assert (await world.store.runs.trigger(ask(key="2", asked="h"))).stands_for is StandsFor.THROTTLE
    await world.elapse(2 * MINUTE)
    again = await world.store.runs.trigger(ask(key="2"))
    assert (again.run_id, again.stands_for, again.asked) == (first.run_id, StandsFor.KEY, "h")
    assert (await world.store.runs.trigger(ask(key="3"))).created


async def test_one_key_at_two_servers_joins_once(world: World) -> None:
    other = await world.open()
    await save(world, **DEBOUNCE)
    await triggered(world, "1")
    stores = (world.store, other)
    request = ask(key="2", params='{"customer":"a","n":2}')
    answers = await asyncio.gather(*(stores[n % 2].runs.trigger(request) for n in range(8)))
    assert sorted(answer.stands_for or "" for answer in answers) == ["debounce"] + ["key"] * 7


async def test_a_key_is_known_though_the_job_has_no_window_any_more(world: World) -> None:
    await save(world, **DEBOUNCE)
    first = await triggered(world, "1")
    await triggered(world, "2")
    await save(world)
    again = await triggered(world, "2")
    assert (again.run_id, again.stands_for) == (first.run_id, StandsFor.KEY)


async def test_a_key_that_found_no_room_is_not_kept(world: World) -> None:
    await save(world, place={"max_waiting": 1}, **DEBOUNCE)
    first = await triggered(world, "1", "a")
    with pytest.raises(QueueFull):
        await triggered(world, "2", "b")
    await world.store.runs.cancel([first.run_id], by=ask().by)
    assert (await triggered(world, "2", "b")).created


async def test_keys_are_forgotten_a_day_after_their_window(world: World) -> None:
    await save(world, debounce={"quiet": "1d", "at_most": "3d"})
    first = await world.store.runs.trigger(ask(key="1"))
    await world.store.runs.trigger(ask(key="2"))
    await world.elapse(23 * HOUR)
    await world.store.runs.trigger(ask(key="3"))
    for passed in (2 * DAY, 22 * HOUR):  # the window may last three days
        await world.elapse(passed)
        await world.store.runs.forget(before=0, after_id=0, limit=100)
        assert (await world.store.runs.trigger(ask(key="2"))).run_id == first.run_id
    await world.elapse(2 * DAY)
    await world.store.runs.forget(before=0, after_id=0, limit=100)
    assert (await world.store.runs.trigger(ask(key="2"))).created
    assert (await world.store.runs.trigger(ask(key="1"))).run_id == first.run_id, "the run itself has this one"


async def test_more_keys_than_one_step_deletes_are_forgotten_in_one_round(world: World) -> None:
    await save(world, throttle="1/1s")
    first = await world.store.runs.trigger(ask(key="first"))
    for n in range(5):
        await world.store.runs.trigger(ask(key=str(n)))
    await world.elapse(2 * DAY)
    await world.store.runs.forget(before=0, after_id=0, limit=2)
    answers = [await world.store.runs.trigger(ask(key=str(n))) for n in range(5)]
    assert first.run_id not in {answer.run_id for answer in answers}


async def test_a_key_whose_run_is_deleted_is_free_and_is_kept_again(world: World) -> None:
    await save(world, throttle="1/1d")
    first = await world.store.runs.trigger(ask(key="1"))
    await world.store.runs.trigger(ask(key="2"))
    await world.store.runs.cancel([first.run_id], by=ask().by)
    await world.elapse(SECOND)
    await world.store.runs.forget(before=await world.now(), after_id=0, limit=100)
    second = await world.store.runs.trigger(ask(key="3"))
    assert second.created
    assert (await world.store.runs.trigger(ask(key="2"))).stands_for is StandsFor.THROTTLE
    again = await world.store.runs.trigger(ask(key="2"))
    assert (again.run_id, again.stands_for) == (second.run_id, StandsFor.KEY)


async def test_what_a_key_asked_of_a_deleted_run_is_nothing_to_its_next_run(world: World) -> None:
    await save(world, throttle="1/1m")
    first = await world.store.runs.trigger(ask(key="1"))
    await world.store.runs.trigger(ask(key="2", asked="before"))
    await world.store.runs.cancel([first.run_id], by=ask().by)
    await world.elapse(2 * MINUTE)
    await world.store.runs.forget(before=await world.now(), after_id=0, limit=100)
    made = await world.store.runs.trigger(ask(key="2", asked="now"))
    again = await world.store.runs.trigger(ask(key="2", asked="now"))
    assert (made.created, again.run_id, again.asked) == (True, made.run_id, None)


async def test_closed_windows_are_forgotten(world: World) -> None:
    await save(world, throttle="1/1m")
    await world.store.runs.trigger(ask(key="1"))
    await world.store.runs.forget(before=0, after_id=0, limit=100)
    assert not (await world.store.runs.trigger(ask(key="2"))).created, "an open one stays"
    await world.elapse(HOUR)
    await world.store.runs.forget(before=0, after_id=0, limit=100)
    assert (await world.store.runs.trigger(ask(key="3"))).created
