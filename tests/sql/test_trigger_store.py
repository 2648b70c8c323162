"""Triggers in the tables."""

from functools import partial
from typing import Any

import pytest

from foliot.domain.instants import MINUTE
from foliot.domain.late_work import ON_TIME, SURPLUS, SURPLUS_AFTER
from foliot.ports.store.runs import Triggered
from foliot.store.sql.firing import triggers
from foliot.store.sql.jobs.definitions import Definitions
from tests.conformance.building import ask, save
from tests.conformance.working import trigger, worker
from tests.sql.rows import cursor_of, runs_of
from tests.sql.world import World


async def test_a_trigger_makes_a_run_now(world: World) -> None:
    job = await save(world, place={"priority": 4})
    before = await world.now()
    triggered = await world.store.runs.trigger(ask(params='{"dry_run":true}'))
    assert triggered.created
    assert before <= triggered.not_before <= await world.now()
    (run,) = await runs_of(world)
    assert (run["id"], run["fire_key"], run["state"], run["place"]) == (triggered.run_id, "m:k", "PENDING", 2)
    assert (run["params"], run["priority"], run["triggered_by"], run["reason"]) == (
        '{"dry_run":true}',
        4,
        "someone",
        "a test",
    )
    assert (await cursor_of(world, job))["cursor_ver"] == 2


@pytest.mark.parametrize(
    "wish",
    [
        {"key": ""},
        {"key": "k" * 201},
        {"key": "结" * 67},
        {"key": "a\0b"},
        {"key": "a\ud800b"},
        {"priority": 0},
        {"priority": 11},
        {"priority": 2**40},
        {"at": -1},
        {"at": 2**62},
        {"delay_us": -1},
        {"delay_us": 2**62},
        {"at": MINUTE, "delay_us": MINUTE},
    ],
    ids=str,
)
async def test_what_the_operation_refuses_is_a_bug_here_and_changes_nothing(world: World, wish: dict[str, Any]) -> None:
    job = await save(world)
    with pytest.raises(AssertionError):
        await world.store.runs.trigger(ask(**wish))
    assert await runs_of(world) == []
    assert (await cursor_of(world, job))["cursor_ver"] == 1


@pytest.mark.parametrize("policy", [{"debounce": "1h"}, {"throttle": "1/1h"}], ids=["debounce", "throttle"])
async def test_one_key_twice_in_a_batch_has_one_answer_where_triggers_share_a_run(
    world: World, policy: dict[str, str]
) -> None:
    await save(world, **policy)
    requests = [ask(key=key, params=f"[{n}]", asked=f"hash-{n}") for n, key in enumerate("aabcba")]
    work = partial(triggers.trigger, definitions=world.store.definitions, requests=requests)
    answers = await world.database.transact(work)
    assert all(isinstance(answer, Triggered) for answer in answers), answers
    told = [(answer.stands_for, answer.asked) for answer in answers if isinstance(answer, Triggered)]
    (shared,) = policy
    is_kept = shared == "debounce"  # what made a throttled run stands in the run
    first = "hash-0" if is_kept else None
    assert told == [(None, None), ("key", first), (shared, None), (shared, None), ("key", "hash-2"), ("key", first)]
    assert [run["params"] for run in await runs_of(world)] == ["[3]" if is_kept else "[0]"]


@pytest.mark.parametrize("policy", [{"debounce": "1h"}, {"throttle": "1/1h"}], ids=["debounce", "throttle"])
async def test_a_key_that_nobody_can_repeat_is_not_kept(world: World, policy: dict[str, str]) -> None:
    await save(world, **policy)
    for key in "ab":
        await world.store.runs.trigger(ask(key=key, is_drawn=True))
    assert await world.value("SELECT count(*) FROM trigger_keys") == 0


async def test_a_job_without_a_window_keeps_no_key(world: World) -> None:
    await save(world)
    await world.store.runs.trigger(ask(key="a", asked="h"))
    await world.store.runs.trigger(ask(key="a", asked="h"))
    assert await world.value("SELECT count(*) FROM trigger_keys") == 0


async def crowded(world: World, job: str, n: int, **wish: Any) -> None:
    """So many runs of a job wait. They are made in one go: the line is looked at before them."""
    requests = [ask(job, f"{job}-{number}", **wish) for number in range(n)]
    work = partial(triggers.trigger, definitions=Definitions(), requests=requests)
    await world.database.transact(work)


async def classes_of(world: World, job: str) -> list[int]:
    return [row["class"] for row in await runs_of(world, job)]


async def test_what_a_job_has_waiting_beyond_a_hundred_is_surplus(world: World) -> None:
    await save(world, "many")
    await crowded(world, "many", SURPLUS_AFTER - 1)
    ids = await trigger(world, "many", 3)
    assert (await classes_of(world, "many"))[-3:] == [ON_TIME, SURPLUS, SURPLUS]
    surplus = await world.store.lookups.run(ids[-1])
    assert surplus is not None
    assert not surplus.catch_up, "it was not late when it was asked for"
    (tested,) = await trigger(world, "many", is_test=True)
    assert await world.value("SELECT class FROM runs WHERE id = :id", id=tested) == ON_TIME
    anne = await worker(world)
    await anne.lease(4)
    await trigger(world, "many", 2)
    assert (await classes_of(world, "many"))[-2:] == [ON_TIME, SURPLUS], "what runs does not wait"


async def test_serial_jobs_have_no_surplus_and_catch_up_does_not_count(world: World) -> None:
    await save(world, "serial", overlap="queue_all")
    await save(world, "late")
    for job in ("serial", "late"):
        await crowded(world, job, SURPLUS_AFTER + 5)
    await world.change("UPDATE runs SET class = 1 WHERE serial = 0")
    for job in ("serial", "late"):
        await trigger(world, job)
        assert (await classes_of(world, job))[-1] == ON_TIME, job
