"""Upkeep costs little while there is nothing to keep up."""

from typing import Any, cast

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.verdict import judge
from foliot.engine.upkeep import STRAYS_EVERY, Reaping
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.runs import RunStore


class Runs:
    """So many runs are reaped at each round; an error is raised."""

    def __init__(self, *moved: int | Exception) -> None:
        self._moved = list(moved)
        self.strays: list[bool] = []

    async def reap(self, _judge: Any, *, strays: bool, **_: Any) -> int:
        self.strays.append(strays)
        moved = self._moved.pop(0) if self._moved else 0
        if isinstance(moved, Exception):
            raise moved
        return moved


def reaping(runs: Runs) -> Reaping:
    return Reaping(
        cast("RunStore", runs),
        judge,
        grace_us=SECOND,
        session_ttl_us=15 * SECOND,
        on_moved=lambda: None,
        believed_now=lambda: 0,
    )


async def test_strays_are_looked_for_in_every_third_round() -> None:
    duty = reaping(runs := Runs())
    for _ in range(2 * STRAYS_EVERY):
        assert await duty.reap(1) is None
    assert runs.strays == [True, False, False] * 2


async def test_where_runs_were_found_more_are_looked_for_at_once() -> None:
    duty = reaping(runs := Runs(0, 5, 0, 0))
    for _ in range(4):
        await duty.reap(1)
    assert runs.strays == [True, False, True, False]


async def test_what_fails_half_way_is_looked_for_again() -> None:
    duty = reaping(runs := Runs(0, StoreUnavailable("away")))
    await duty.reap(1)
    with pytest.raises(StoreUnavailable):
        await duty.reap(1)
    await duty.reap(1)
    assert runs.strays == [True, False, True]
