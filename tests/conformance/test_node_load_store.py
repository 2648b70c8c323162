"""The load of nodes in the store: a minute counts once, whoever leads, and adds to its hour and its day."""

import pytest

from foliot.domain.health import Health
from foliot.domain.instants import DAY, HOUR, MINUTE
from foliot.domain.statistics.node_load import WHOLE_CLUSTER, NodeLoad, NodeSample
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.node_loads import LoadProgress
from tests.conformance.working import lead
from tests.conformance.world import World


def load(*cpu: float, node: str = "w-1", running: float = 2, band: Health = Health.ONLINE, **tallies: int) -> NodeLoad:
    figures = NodeLoad("worker")
    for share in cpu:
        figures.add(NodeSample(node, "worker", band, {"cpu": share, "running": running, "slots": 4}))
    figures.tallies.update(tallies)
    return figures


async def points(world: World, resolution: Resolution, node: str = "w-1") -> list[NodeLoad]:
    now = await world.now()
    starts = resolution.starts(now - DAY, now + DAY)
    return [point.figures for point in await world.store.statistics.load_of(node, resolution, starts)]


async def test_a_minute_adds_to_its_hour_and_its_day(world: World) -> None:
    store = world.store.statistics
    noon = Resolution.DAY.start_of(await world.now()) + 12 * HOUR
    first, second = LoadProgress(noon, {"s": {"scheduled": 5}}), LoadProgress(noon + MINUTE, {"s": {"scheduled": 9}})
    assert await store.load_progress() == LoadProgress(0, {})
    assert await store.add_minute(first, {"w-1": load(0.2, 0.4), WHOLE_CLUSTER: load(scheduled=5)}, since=0, term=None)
    minute = {"w-1": load(0.9, running=4, band=Health.WARNING), WHOLE_CLUSTER: load(scheduled=4)}
    assert await store.add_minute(second, minute, since=noon, term=None)
    assert await store.load_progress() == second
    assert [figures.samples for figures in await points(world, Resolution.MINUTE)] == [2, 1]
    for resolution in (Resolution.HOUR, Resolution.DAY):
        (figures,) = await points(world, resolution)
        assert (figures.kind, figures.samples, figures.bands[Health.WARNING]) == ("worker", 3, 1)
        assert (figures.mean("cpu"), figures.most("cpu")) == (0.5, 0.9)
        assert (figures.most("running"), figures.mean("memory")) == (4, None)
        (cluster,) = await points(world, resolution, WHOLE_CLUSTER)
        assert cluster.tallies["scheduled"] == 9
    hours = Resolution.HOUR.starts(noon, noon + 1)
    assert [*await store.loads(Resolution.HOUR, hours, limit=10)] == [WHOLE_CLUSTER, "w-1"]


async def test_of_two_leaders_that_keep_the_same_minute_one_counts(world: World) -> None:
    store, other = world.store.statistics, (await world.open()).statistics
    at = Resolution.MINUTE.start_of(await world.now())
    minute = LoadProgress(at, {})
    assert await other.add_minute(minute, {"w-1": load(0.5)}, since=0, term=None)
    assert not await store.add_minute(minute, {"w-1": load(0.5)}, since=0, term=None)
    assert not await other.add_minute(minute, {"w-1": load(0.5)}, since=0, term=None), "an answer that was lost"
    assert [figures.samples for figures in await points(world, Resolution.HOUR)] == [1]


async def test_a_leader_whose_term_is_over_keeps_nothing(world: World) -> None:
    store = world.store.statistics
    term = await lead(world)
    minute = LoadProgress(Resolution.MINUTE.start_of(await world.now()), {})
    assert not await store.add_minute(minute, {"w-1": load(0.5)}, since=0, term=term + 1)
    assert await store.add_minute(minute, {"w-1": load(0.5)}, since=0, term=term)


async def test_old_load_goes_in_steps_and_new_load_stays(world: World) -> None:
    store = world.store.statistics
    term = await lead(world)
    began = Resolution.MINUTE.start_of(await world.now())
    since = 0
    for n in range(3):
        at = began + n * MINUTE
        assert await store.add_minute(LoadProgress(at, {}), {"w-1": load(0.1)}, since=since, term=term)
        since = at
    before = began + 2 * MINUTE
    assert not await store.forget_loads(Resolution.MINUTE, before=before, limit=1, term=term + 1), "not the leader"
    assert len(await points(world, Resolution.MINUTE)) == 3
    assert await store.forget_loads(Resolution.MINUTE, before=before, limit=1, term=term)
    assert not await store.forget_loads(Resolution.MINUTE, before=before, limit=1, term=term)
    assert len(await points(world, Resolution.MINUTE)) == 1
    assert len(await points(world, Resolution.HOUR)) == 1, "hours have their own time"


@pytest.mark.parametrize("nodes", [500])
async def test_many_nodes_are_kept_in_one_minute(world: World, nodes: int) -> None:
    store = world.store.statistics
    at = Resolution.MINUTE.start_of(await world.now())
    minute = {f"w-{n}": load(0.1) for n in range(nodes)}
    assert await store.add_minute(LoadProgress(at, {}), minute, since=0, term=None)
    assert len(await store.loads(Resolution.HOUR, Resolution.HOUR.starts(at, at + 1), limit=1000)) == nodes
