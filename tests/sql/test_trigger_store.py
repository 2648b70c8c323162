"""Triggers in the tables."""

from typing import Any

import pytest

from foliot.domain.instants import MINUTE
from tests.conformance.building import ask, save
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
