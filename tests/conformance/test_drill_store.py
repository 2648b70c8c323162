"""Drills in the store: at most one is open, its node gets the order with a beat, and it is closed once."""

import asyncio
from dataclasses import replace

import pytest

from foliot.domain.drills import DrillOrder, DrillState, DrillType, DrillUnderWay
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.verdict import judge
from foliot.ports.store.drills import Drill, DrillAsk, DrillStore
from foliot.ports.worker_link import Beat, BeatAnswer, Hello
from tests.conformance.world import World

SESSION = "s" * 32
OTHER = "o" * 32
ASK = DrillAsk(type=DrillType.HANG, node="w-1", session=SESSION, for_us=5 * SECOND, by="anne", reason="friday")


@pytest.fixture
def drills(world: World) -> DrillStore:
    return world.store.drills


@pytest.fixture(autouse=True)
async def nodes(world: World) -> None:
    for session, types in ((SESSION, ("crash", "hang")), (OTHER, ())):
        hello = Hello(session=session, name=session[:1], group="default", slots=1, handlers=(), drills=types)
        await world.store.nodes.register(hello, kind="worker", ttl_us=15 * SECOND)


class Beats:
    """One node's beats."""

    def __init__(self, world: World, session: str = SESSION) -> None:
        self._world, self._session = world, session
        self._number = 0

    async def __call__(self, drill: int = 0, *, over: bool = False, noticed_us: int | None = None) -> BeatAnswer:
        self._number += 1
        beat = Beat(
            session=self._session, beat_no=self._number, settled=0, held=(),
            drill=drill, drill_over=over, drill_noticed_us=noticed_us,
        )  # fmt: skip
        return await self._world.store.nodes.beat(beat, ttl_us=15 * SECOND, judge=judge)


async def found(drills: DrillStore, drill: Drill) -> Drill:
    seen = await drills.find(drill.id)
    assert seen is not None
    return seen


async def test_a_drill_goes_from_its_order_to_its_report(world: World, drills: DrillStore) -> None:
    beat = Beats(world)
    assert (await beat()).drill is None
    asked = await drills.ask(ASK)
    assert (asked.state, asked.node, asked.reason, asked.is_open) == (DrillState.ASKED, "w-1", "friday", True)
    assert (await beat()).drill == DrillOrder(id=asked.id, type="hang", for_us=5 * SECOND)
    answer = await beat(asked.id)
    assert (answer.drill, answer.drill_begin) == (None, asked.id)
    assert (await beat(asked.id)).drill_begin == asked.id, "the answer was lost: it is said again"
    begun = await found(drills, asked)
    assert (begun.state, begun.began_at is not None, begun.over_at) == (DrillState.RUNNING, True, None)
    await beat(asked.id, over=True, noticed_us=7)
    over = await found(drills, asked)
    assert (over.over_at is not None, over.noticed_us, over.state) == (True, 7, DrillState.RUNNING)
    assert (await beat(asked.id)).drill_begin == 0, "what is over does not begin again"
    closed = await asyncio.gather(*(drills.settle(asked.id, DrillState.ENDED, {"n": n}) for n in range(4)))
    assert sorted(closed) == [False, False, False, True]
    ended = await found(drills, asked)
    assert (ended.state, ended.is_open, ended.report) == (DrillState.ENDED, False, {"n": closed.index(True)})


async def test_at_most_one_is_open(world: World, drills: DrillStore) -> None:
    del world
    several = await asyncio.gather(*(drills.ask(ASK) for _ in range(4)), return_exceptions=True)
    (first,) = [one for one in several if isinstance(one, Drill)]
    refused = [one for one in several if isinstance(one, DrillUnderWay)]
    assert len(refused) == 3
    assert [one.id for one in await drills.open()] == [first.id]
    await drills.settle(first.id, DrillState.LOST, {})
    assert await drills.open() == []
    second = await drills.ask(ASK)
    assert [one.id for one in await drills.list(limit=10)] == [second.id, first.id]
    assert [one.id for one in await drills.list(limit=10, before_id=second.id)] == [first.id]
    assert await drills.list(type_=DrillType.CRASH, limit=10) == []


async def test_another_session_neither_gets_the_order_nor_speaks_of_it(world: World, drills: DrillStore) -> None:
    drill = await drills.ask(ASK)
    other = Beats(world, OTHER)
    assert (await other()).drill is None
    assert (await other(drill.id)).drill_begin == 0
    await other(drill.id, over=True)
    assert (await found(drills, drill)).state is DrillState.ASKED


async def test_a_drill_that_has_not_begun_is_stopped_and_one_that_has_is_told(world: World, drills: DrillStore) -> None:
    beat = Beats(world)
    first = await drills.ask(ASK)
    stopped = await drills.stop(first.id)
    assert stopped is not None
    assert (stopped.state, stopped.is_open) == (DrillState.STOPPED, False)
    answer = await beat(first.id)
    assert (answer.drill, answer.drill_begin) == (None, 0)
    second = await drills.ask(ASK)
    await beat(second.id)
    told = await drills.stop(second.id)
    assert told is not None
    assert told.state is DrillState.RUNNING
    order = (await beat()).drill
    assert order == DrillOrder(id=second.id, type="hang", for_us=5 * SECOND, stop=True)
    await beat(second.id, over=True)
    assert (await beat()).drill is None
    assert await drills.stop(999_999) is None


async def test_a_drill_that_begins_while_a_server_gives_it_up_is_not_lost(world: World, drills: DrillStore) -> None:
    beat = Beats(world)
    drill = await drills.ask(ASK)
    await beat(drill.id)
    assert not await drills.settle(drill.id, DrillState.LOST, {})
    assert [one.id for one in await drills.open()] == [drill.id]
    assert await drills.settle(drill.id, DrillState.ENDED, {})


async def test_nobody_who_speaks_late_of_one_drill_takes_the_order_of_the_next(
    world: World, drills: DrillStore
) -> None:
    beat = Beats(world)
    first = await drills.ask(ASK)
    await drills.stop(first.id)
    second = await drills.ask(ASK)
    await beat(first.id)  # its node had said that it is ready
    assert not await drills.settle(first.id, DrillState.LOST, {})
    await beat(first.id, over=True)
    assert (await beat()).drill == DrillOrder(id=second.id, type="hang", for_us=5 * SECOND)
    await beat(second.id)
    await drills.stop(second.id)
    assert (await beat(second.id)).drill_begin == second.id, "the answer was lost: it is said again"
    order = (await beat()).drill
    assert order is not None
    assert order.stop, "and the wish to stop waits for it"


async def test_the_size_of_a_drill_is_kept_and_reaches_its_node(world: World, drills: DrillStore) -> None:
    beat = Beats(world)
    back = replace(ASK, type=DrillType.CLOCK_STEP, size_us=-90 * SECOND)
    first = await drills.ask(back)
    assert first.size_us == -90 * SECOND
    wanted = DrillOrder(id=first.id, type="clock_step", for_us=5 * SECOND, size_us=-90 * SECOND)
    assert (await beat()).drill == wanted
    assert (await beat(first.id)).drill_begin == first.id
    await drills.stop(first.id)
    assert (await beat()).drill == replace(wanted, stop=True)
    await beat(first.id, over=True)
    assert (await beat()).drill is None, "the order with its size was taken back"
    await drills.settle(first.id, DrillState.ENDED, {})
    for size_us in (None, HOUR):
        usual = await drills.ask(replace(back, size_us=size_us))
        assert usual.size_us == HOUR
        assert (await beat()).drill == DrillOrder(id=usual.id, type="clock_step", for_us=5 * SECOND), "as ever"
        await drills.stop(usual.id)
    assert [one.size_us for one in await drills.list(limit=9)] == [HOUR, HOUR, -90 * SECOND]


async def test_the_ledger_is_read_for_many_jobs_at_once(
    world: World, drills: DrillStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    del world
    seen = await drills.fires([], from_at=0, to_at=10)
    assert (list(seen.runs), list(seen.skips)) == ([], [])
    seen = await drills.fires([1, 2], from_at=0, to_at=10)
    assert (list(seen.runs), list(seen.skips), seen.is_cut) == ([], [], False)
    monkeypatch.setattr("foliot.store.sql.cluster.drills.SEEN_MAX", 0)
    assert (await drills.fires([1, 2], from_at=0, to_at=10)).is_cut
