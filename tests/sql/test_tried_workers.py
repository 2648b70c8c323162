"""A worker counts as tried only if it let a run wait that it could have taken; after three such, anyone may have it."""

from typing import Any

import pytest

from foliot.domain.instants import HOUR, SECOND
from foliot.domain.limits import LimitKind
from foliot.domain.rates import Bucket, Rate
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.leasing.assignment import EXCUSES_MAX, Assignment
from foliot.store.sql.leasing.route_step import ASSIGNED_FOR_US, TRIES_MAX
from tests.conformance.building import PERSON, save
from tests.conformance.routing import assign, lease, routed_poll, team
from tests.conformance.working import JOIN, TICK, Worker, lead, trigger
from tests.sql.world import World

FIRST: dict[str, Any] = {"route": "first"}
STEP_US = 4 * SECOND
OVER_US = ASSIGNED_FOR_US + SECOND


async def tried(world: World, run_id: int) -> list[str]:
    """The sessions that let a run wait."""
    text = await world.value("SELECT assigned_before FROM runs WHERE id = :id", id=run_id)
    return text.split(",") if text else []


async def meant_for(world: World, run_id: int) -> str | None:
    found: str | None = await world.value("SELECT assigned_to FROM runs WHERE id = :id", id=run_id)
    return found


async def pass_time(world: World, us: int, *workers: Worker, holds: LeasedRun | None = None) -> None:
    """Let time pass while these workers beat, the last of them with a run, and a server makes its steps."""
    for _ in range(-(-us // STEP_US)):
        await world.elapse(STEP_US)
        for one in workers[:-1]:
            await one.beat()
        await workers[-1].beat(*([holds] if holds is not None else []))
        await assign(world, again=True)


async def test_while_a_limit_is_full_no_route_is_asked(world: World) -> None:
    await save(world, "tick", place={**FIRST, "concurrency": {"db": 2}})
    anne, *_ = await team(world, 2)
    ids = await trigger(world, n=5)
    assert (await assign(world)).runs == 2
    granted = await world.store.runs.lease([await routed_poll(anne)], limit=10)
    one, two = granted.grants[0].runs
    step = await assign(world)
    assert (step.runs, step.more) == (0, False)
    assert [await meant_for(world, run_id) for run_id in ids[2:]] == [None] * 3
    await anne.complete(one)
    assert (await assign(world)).runs == 1
    await anne.complete(two)
    assert len(await lease(anne)) + (await assign(world)).runs == 2


@pytest.mark.parametrize("by", ["number", "rate"])
async def test_a_full_limit_is_no_fault_of_a_worker(world: World, by: str) -> None:
    """The run was meant for it when others took what there was."""
    shared: dict[str, Any] = {}
    if by == "number":
        shared = {"concurrency": {"db": 1}}
    else:
        bucket = Bucket(Rate(1, HOUR), 1)
        await world.store.limits.set_scope(LimitKind.GROUP, "default", max_=None, bucket=bucket, is_rate_kept=False)
    await save(world, "tick", place={**FIRST, **shared})
    await save(world, "other", run=JOIN, place=shared)
    anne, bert = await team(world, 2)
    cleo = await Worker(world).register(JOIN)
    (run_id,) = await trigger(world)
    await assign(world)
    assert await meant_for(world, run_id) == anne.session
    await trigger(world, "other")
    (other,) = await cleo.lease()
    for _ in range(TRIES_MAX + 1):
        await pass_time(world, OVER_US, anne, bert, cleo, holds=other)
        assert await tried(world, run_id) == []
        assert await meant_for(world, run_id) is None
        assert await lease(bert) == []


async def test_a_limit_that_was_full_for_a_part_of_the_time_is_no_fault_either(world: World) -> None:
    await save(world, "tick", place={**FIRST, "concurrency": {"db": 1}})
    await save(world, "other", run=JOIN, place={"concurrency": {"db": 1}})
    anne, bert = await team(world, 2)
    cleo = await Worker(world).register(JOIN)
    (run_id,) = await trigger(world)
    await assign(world)
    await trigger(world, "other")
    (other,) = await cleo.lease()
    await trigger(world)
    await pass_time(world, ASSIGNED_FOR_US - 2 * STEP_US, anne, bert, cleo, holds=other)
    await cleo.complete(other)
    await pass_time(world, 3 * STEP_US, anne, bert, cleo)
    assert await tried(world, run_id) == []
    await pass_time(world, OVER_US, anne, bert, cleo)
    assert await tried(world, run_id) == [anne.session], "and now it could have had it"


async def test_limits_that_are_short_now_and_then_excuse_a_worker_that_hangs_only_so_often(world: World) -> None:
    """Each time that there is room the run is meant for it again, and then others take what there is."""
    await save(world, "tick", place={**FIRST, "concurrency": {"db": 1}})
    await save(world, "other", run=JOIN, place={"concurrency": {"db": 1}})
    anne, bert = await team(world, 2)
    cleo = await Worker(world).register(JOIN)
    (run_id,) = await trigger(world)
    for excuses in range(EXCUSES_MAX + 1):
        assert await tried(world, run_id) == []
        await assign(world)
        assert await meant_for(world, run_id) == anne.session, excuses
        await trigger(world, "other")
        (other,) = await cleo.lease()
        await pass_time(world, OVER_US, anne, bert, cleo, holds=other)
        assert await meant_for(world, run_id) is None
        await cleo.complete(other)
    assert await tried(world, run_id) == [anne.session]
    await assign(world)
    assert await meant_for(world, run_id) == bert.session


async def test_a_transaction_that_is_tried_again_uses_up_no_excuse(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(world, "tick", place={**FIRST, "concurrency": {"db": 1}})
    await save(world, "other", run=JOIN, place={"concurrency": {"db": 1}})
    anne, bert = await team(world, 2)
    cleo = await Worker(world).register(JOIN)
    (run_id,) = await trigger(world)
    await assign(world)
    await trigger(world, "other")
    (other,) = await cleo.lease()
    take_back, tries = Assignment.take_back, []

    def often(self: Assignment, tx: Tx, limit: int) -> int:
        back = take_back(self, tx, limit)
        if back:
            tries.append(back)
            if len(tries) <= EXCUSES_MAX:
                raise TryAgain("somebody was quicker")
        return back

    monkeypatch.setattr(Assignment, "take_back", often)
    await pass_time(world, OVER_US, anne, bert, cleo, holds=other)
    await cleo.complete(other)
    for _ in range(EXCUSES_MAX - 1):
        await assign(world)
        assert await meant_for(world, run_id) == anne.session
        await trigger(world, "other")
        (other,) = await cleo.lease()
        await pass_time(world, OVER_US, anne, bert, cleo, holds=other)
        await cleo.complete(other)
    assert len(tries) > EXCUSES_MAX
    assert await tried(world, run_id) == []


async def test_a_maintenance_is_no_fault_of_a_worker(world: World) -> None:
    await save(world, "tick", place=FIRST)
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await assign(world)
    for _ in range(TRIES_MAX):
        await world.elapse(SECOND)
        await world.store.nodes.begin_maintenance(lasts_us=None, by=PERSON)
        await pass_time(world, OVER_US, anne, bert)
        assert await meant_for(world, run_id) == anne.session, "nobody decides meanwhile"
        await world.store.nodes.end_maintenance()
        await assign(world, again=True)
        assert await tried(world, run_id) == []
        assert await meant_for(world, run_id) == anne.session
    await pass_time(world, OVER_US, anne, bert)
    assert await tried(world, run_id) == [anne.session]


async def test_an_outage_of_the_store_is_no_fault_of_a_worker(world: World) -> None:
    """The leader's first tick after it grants an amnesty: who could not beat keeps what is meant for it."""
    await save(world, "tick", place=FIRST)
    anne, bert = await team(world, 2)
    (run_id,) = await trigger(world)
    await assign(world)
    await lead(world)
    await world.elapse(2 * OVER_US)
    assert await world.store.nodes.campaign("leader", ttl_us=SESSION_TTL_US) is not None
    await bert.beat()
    await assign(world, again=True)
    assert await tried(world, run_id) == []
    await anne.beat()
    await assign(world)
    assert await meant_for(world, run_id) == anne.session


async def test_workers_that_drain_one_after_the_other_are_not_tried(world: World) -> None:
    """As in a rolling restart: the route decides each time."""
    await save(world, "tick", place=FIRST)
    workers = await team(world, TRIES_MAX + 2)
    (run_id,) = await trigger(world)
    await assign(world)
    for one in workers[: TRIES_MAX + 1]:
        assert await meant_for(world, run_id) == one.session
        await world.store.nodes.drain(one.session, by=PERSON)
        await assign(world, again=True)
    assert await meant_for(world, run_id) == workers[-1].session


async def test_a_step_says_that_more_is_to_be_taken_back(world: World) -> None:
    await save(world, "tick", place=FIRST)
    anne, bert = await team(world, 2)
    await trigger(world, n=7)
    await assign(world)
    await world.store.nodes.drain(anne.session, by=PERSON)
    steps = [await assign(world, again=True, limit=5) for _ in range(2)]
    assert [step.again for step in steps] == [True, False]
    await assign(world)
    assert len(await lease(bert)) == 7


async def test_a_heavy_run_claims_what_comes_free_though_its_limit_is_short(world: World) -> None:
    await save(world, "heavy", place={**FIRST, "concurrency": {"db": 3}, "takes": {"db": 3}})
    await save(world, "light", run=JOIN, place={"concurrency": {"db": 3}})
    anne = await Worker(world).register(TICK, JOIN)
    await trigger(world, "light", 3)
    light = await anne.lease(3)
    await world.elapse(SECOND)
    (heavy,) = await trigger(world, "heavy")
    await world.elapse(SECOND)
    await trigger(world, "light", 3)
    await assign(world)
    assert await lease(anne) == []
    for run in light:
        await anne.complete(run)
        await assign(world)
        got = await lease(anne)
    assert got == [heavy], "light ones did not pass it"
