"""The leader keeps the load of nodes: a minute at a time, and what servers counted is neither lost nor doubled."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from foliot.domain.health import Health
from foliot.domain.instants import HOUR, MINUTE, SECOND, Instant
from foliot.domain.statistics.node_load import WHOLE_CLUSTER, NodeLoad
from foliot.engine.node_load import LoadKeeping
from foliot.ports.store.node_loads import LoadProgress, NodeLoadStore
from foliot.ports.store.node_row import NodeRow
from tests.unit.engine.test_journal_and_backfills import node

BEGAN: Instant = 20_514 * 24 * HOUR


class Kept:
    """A store that remembers minutes."""

    def __init__(self) -> None:
        self.progress = LoadProgress(0, {})
        self.minutes: list[tuple[Instant, Mapping[str, NodeLoad]]] = []
        self.asked = 0

    async def load_progress(self) -> LoadProgress:
        self.asked += 1
        return self.progress

    async def add_minute(
        self, progress: LoadProgress, nodes: Mapping[str, NodeLoad], *, since: Instant, term: int
    ) -> bool:
        assert term == 7
        if since != self.progress.minute_at:
            return False
        self.progress = progress
        self.minutes.append((progress.minute_at, nodes))
        return True


class Leader:
    """A leader whose clock the test moves."""

    def __init__(self, store: Kept, nodes: list[NodeRow]) -> None:
        self.now: Instant = BEGAN
        self.nodes = nodes
        self._keeping = LoadKeeping(
            cast("NodeLoadStore", store),
            self._latest,
            believed_now=lambda: self.now,
            band_of=lambda row: Health.DEAD if row.state == "dead" else row.band,
        )

    async def _latest(self) -> list[NodeRow]:
        return self.nodes

    async def look(self, times: int = 1) -> None:
        for _ in range(times):
            await self._keeping.keep(7)
            self.now += 10 * SECOND


def worker(name: str, running: int = 0, **load: float) -> NodeRow:
    return replace(node(name), kind="worker", slots=4, running=running, load=load)


def server(name: str, session: str | None = None, **load: Any) -> NodeRow:
    return replace(node(session or name), name=name, load=load)


async def test_a_minute_is_written_when_it_is_over_and_costs_nothing_before() -> None:
    leader = Leader(store := Kept(), [worker("w-1", 1, cpu=0.2), worker("w-2", 3, cpu=0.6, memory=0.5)])
    await leader.look(6)
    assert (store.asked, store.minutes) == (0, [])
    await leader.look()
    ((at, figures),) = store.minutes
    assert (at, sorted(figures)) == (BEGAN, [WHOLE_CLUSTER, "w-1", "w-2"])
    assert (figures["w-2"].samples, figures["w-2"].mean("memory"), figures["w-1"].mean("memory")) == (6, 0.5, None)
    cluster = figures[WHOLE_CLUSTER]
    assert (cluster.samples, cluster.mean("cpu"), cluster.mean("running"), cluster.mean("slots")) == (6, 0.4, 4, 8)
    assert cluster.bands[Health.ONLINE] == 12


async def test_what_servers_counted_goes_on_with_the_next_leader() -> None:
    store = Kept()
    first = Leader(store, [server("s-1", scheduled=10.0, leased=4.0)])
    await first.look(7)
    first.nodes = [server("s-1", scheduled=15.0, leased=9.0)]
    next_ = Leader(store, [server("s-1", scheduled=40.0, skipped=2.0, leased=9.0)])
    next_.now = first.now
    await next_.look(7)
    assert [figures["s-1"].tallies for _, figures in store.minutes] == [
        {"scheduled": 10, "skipped": 0, "leased": 4},
        {"scheduled": 30, "skipped": 2, "leased": 5},
    ]
    assert sum(figures[WHOLE_CLUSTER].tallies["scheduled"] for _, figures in store.minutes) == 40


async def test_a_restarted_server_counts_from_nothing_and_a_dead_one_keeps_its_last_counts() -> None:
    leader = Leader(store := Kept(), [server("s-1", scheduled=10.0)])
    await leader.look(7)
    leader.nodes = [replace(server("s-1", scheduled=12.0), state="dead"), server("s-1", "another", scheduled=3.0)]
    await leader.look(6)
    assert store.minutes[1][1]["s-1"].tallies["scheduled"] == 5


async def test_a_minute_that_another_leader_kept_is_not_kept_again() -> None:
    leader = Leader(store := Kept(), [worker("w-1", cpu=0.2)])
    await leader.look(6)
    store.progress = LoadProgress(BEGAN, {})
    await leader.look()
    assert store.minutes == []
    await leader.look(6)
    assert [at for at, _ in store.minutes] == [BEGAN + MINUTE]


async def test_after_a_step_back_of_the_clock_minutes_are_kept_again() -> None:
    leader = Leader(store := Kept(), [worker("w-1", cpu=0.2)])
    store.progress = LoadProgress(BEGAN + 2 * HOUR, {})
    await leader.look(7)
    assert [at for at, _ in store.minutes] == [BEGAN]


async def test_a_dead_node_has_no_load() -> None:
    leader = Leader(store := Kept(), [replace(worker("w-1", cpu=0.2), state="dead")])
    await leader.look(7)
    assert [sorted(figures) for _, figures in store.minutes] == [[WHOLE_CLUSTER]]
