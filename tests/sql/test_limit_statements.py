"""What limits cost: as many statements for forty runs as for four, in a lease and in an end; none for jobs without."""

from typing import Any

import pytest

from foliot.domain.instants import SECOND
from foliot.domain.limits import LimitKind
from foliot.domain.rates import Bucket, Rate
from foliot.ports.worker_link import LeasedRun
from tests.conformance.building import save
from tests.conformance.working import Worker, trigger, worker
from tests.sql.asked import Asked
from tests.sql.statements import statements
from tests.sql.world import World

FEW, MANY = 4, 40
PLACES: dict[str, dict[str, Any]] = {
    "job": {"max_running": 100},
    "weights": {"concurrency": {"db": 100}, "takes": {"db": 2}},
    "rate": {"rate": "1000/s", "rate_burst": 1000},
    "worker": {"max_per_worker": 100},
    "key": {"concurrency_by": "customer", "max_per_key": 100},
    "rate of a key": {"rate": "1000/s", "rate_by": "customer", "rate_burst": 1000},
    "all": {
        "max_running": 100,
        "concurrency": {"db": 100},
        "max_per_worker": 100,
        "concurrency_by": "customer",
        "max_per_key": 100,
    },
}
FILES = ("leasing/limits.py", "leasing/scopes.py", "leasing/key_limits.py", "leasing/key_waiters.py")


async def lease(world: World, anne: Worker, n: int) -> tuple[LeasedRun, ...]:
    await trigger(world, n=n, params='{"customer": "a"}')
    leased = await anne.lease(MANY)
    assert len(leased) == n
    return leased


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
async def test_forty_runs_with_limits_cost_as_many_statements_as_four(
    world: World, place: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, "tick", place=place)
    anne = await worker(world)
    await anne.complete(*await lease(world, anne, 1))  # rows of keys are made, and lanes are known
    asked = Asked(monkeypatch)
    spent: dict[int, tuple[int, int]] = {}
    for n in (FEW, MANY):
        await trigger(world, n=n, params='{"customer": "a"}')
        asked.forget()
        leased = await anne.lease(MANY)
        of_lease = asked.times.total()
        asked.forget()
        await anne.complete(*leased)
        spent[n] = (of_lease, asked.times.total())
        assert len(leased) == n
    assert spent[MANY] == spent[FEW]


async def test_a_job_without_limits_asks_nothing_about_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though other jobs have limits of every kind, and another group has one."""
    await save(world, "limited", run="python:jobs:limited", place=PLACES["all"])
    await world.store.limits.set_scope(
        LimitKind.GROUP, "etl", max_=5, bucket=Bucket.of(Rate(100, SECOND)), is_rate_kept=False
    )
    await save(world, "tick")
    anne = await worker(world)
    await anne.complete(*await lease(world, anne, 1))  # the limits of groups are known
    asked = Asked(monkeypatch)
    await anne.complete(*await lease(world, anne, FEW))
    about = [one.constant for one in statements() if one.file in FILES and one.statement in asked.times]
    assert about == []
