"""Declaring many jobs: counted statements, and the rows they leave."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from foliot.ports.store.jobs import SaveOutcome
from foliot.store.sql.jobs.declaration import BATCH_MAX
from foliot.store.sql.kernel.database import Tx
from tests.conformance.declaring import CodeWorker, declare, draft
from tests.sql.world import World


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """How many statements read and how many write, while it is open."""
    spent = {"rows": 0, "change": 0}
    rows, change = Tx.rows, Tx.change

    def reading(tx: Tx, *asked: Any, **sets: Any) -> Any:
        spent["rows"] += 1
        return rows(tx, *asked, **sets)

    def writing(tx: Tx, *asked: Any, **sets: Any) -> Any:
        spent["change"] += 1
        return change(tx, *asked, **sets)

    with monkeypatch.context() as patched:
        patched.setattr(Tx, "rows", reading)
        patched.setattr(Tx, "change", writing)
        yield spent


async def test_a_batch_of_jobs_costs_as_many_statements_as_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.now()  # the connection is greeted
    jobs = [draft(f"job-{n}") for n in range(BATCH_MAX)]
    with counted(monkeypatch) as spent:
        landed = await declare(world, *jobs)
    assert {one.outcome for one in landed} == {SaveOutcome.CREATED}
    assert spent["change"] <= 6, spent
    assert spent["rows"] <= 8, spent
    assert await world.value("SELECT count(*) FROM cursors") == BATCH_MAX
    assert await world.value("SELECT count(*) FROM lanes") == BATCH_MAX
    with counted(monkeypatch) as spent:
        landed = await declare(world, *jobs)
    assert {one.outcome for one in landed} == {SaveOutcome.SAME}
    assert spent == {"rows": 1, "change": 0}, "what is the same costs one read for all"


async def test_a_second_worker_with_the_same_code_writes_its_session_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"job-{n}" for n in range(20)]
    await CodeWorker(world).load(*names)
    with counted(monkeypatch) as spent:
        await CodeWorker(world).load(*names)
    assert spent["change"] == 3, "the use of its code; whether its session is known; its session"
    assert await world.value("SELECT count(*) FROM code_jobs") == 20
