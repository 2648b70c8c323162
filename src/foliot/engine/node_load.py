"""Load of nodes over time: the leader adds up what each of its looks sees, and writes it down once a minute.

The minute that is under way stays in memory. A leader that dies takes some looks with it, and never a count: how much
each server had counted by the last kept minute stands in the store, and the next leader goes on from there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from foliot.domain.health import Health
from foliot.domain.instants import HOUR, Instant, Micros
from foliot.domain.statistics.node_load import (
    GAUGES,
    WHOLE_CLUSTER,
    NodeLoad,
    NodeSample,
    look_at_cluster,
    tallies_of,
    tally_growth,
)
from foliot.domain.statistics.resolution import KEPT_US, Resolution
from foliot.engine.failovers import LatestNodes
from foliot.engine.upkeep import STEPS_APART_S, BelievedNow
from foliot.ports.store.node_loads import LoadProgress, NodeLoadStore
from foliot.ports.store.node_row import NodeRow

EVERY_S: Final = 10.0
"""How often the leader looks. Another duty has read the nodes a moment before, so a look costs no statement."""
FORGET_STEP: Final = 5000
AHEAD_US: Final[Micros] = HOUR
"""A kept minute so far ahead is from before the clock stepped back: the present minute counts again."""

BandOf: TypeAlias = Callable[[NodeRow], Health]


class LoadKeeping:
    """Adds up the looks of a minute, and keeps it when it is over."""

    def __init__(self, store: NodeLoadStore, nodes: LatestNodes, *, believed_now: BelievedNow, band_of: BandOf) -> None:
        self._store = store
        self._nodes = nodes
        self._believed_now = believed_now
        self._band_of = band_of
        self._minute_at: Instant = 0
        self._figures: dict[str, NodeLoad] = {}
        self._tallies: dict[str, dict[str, int]] = {}  # by session, as the last beat said them
        self._names: dict[str, str] = {}  # of sessions that count
        self._whole: tuple[Instant, Mapping[str, NodeLoad]] | None = None  # a minute that is over

    async def keep(self, term: int) -> None:
        """Look at every node. When a minute is over, write it down: five statements, for any number of nodes."""
        nodes = await self._nodes()
        now = self._believed_now()
        if now is None:
            return
        self._begin(Resolution.MINUTE.start_of(now))
        if self._whole is not None:
            await self._write(*self._whole, term=term)
            self._whole = None
        self._see(nodes)

    def _see(self, nodes: Sequence[NodeRow]) -> None:
        samples = list(self._samples(nodes))
        for sample in samples:
            figures = self._figures.get(sample.node)
            if figures is None:
                figures = self._figures[sample.node] = NodeLoad(sample.kind)
            figures.add(sample)
        look_at_cluster(self._figures[WHOLE_CLUSTER], samples)

    async def _write(self, minute_at: Instant, figures: Mapping[str, NodeLoad], *, term: int) -> None:
        before = await self._store.load_progress()
        if before.minute_at - AHEAD_US < minute_at <= before.minute_at:
            return  # another leader has kept it
        counted = self._counted(figures, before)
        progress = LoadProgress(minute_at, self._tallies)
        await self._store.add_minute(progress, counted, since=before.minute_at, term=term)

    def _begin(self, minute_at: Instant) -> None:
        """Begin a minute; the one before is over."""
        if minute_at == self._minute_at:
            return
        if self._minute_at:
            self._whole = (self._minute_at, self._figures)
        self._minute_at = minute_at
        self._figures = {WHOLE_CLUSTER: NodeLoad()}

    def _samples(self, nodes: Sequence[NodeRow]) -> Iterator[NodeSample]:
        self._tallies, self._names = {}, {}
        for row in nodes:
            if row.kind == "server" and (tallies := tallies_of(row.load)):
                self._tallies[row.session] = tallies  # also of a server that died: its last counts are not yet kept
                self._names[row.session] = row.name
            band = self._band_of(row)
            if not band.is_gone:
                yield NodeSample(row.name, row.kind, band, gauges_of(row))

    def _counted(self, figures: Mapping[str, NodeLoad], before: LoadProgress) -> Mapping[str, NodeLoad]:
        """The minute with what servers counted since the last kept one."""
        counted = dict(figures)
        for session, tallies in self._tallies.items():
            growth = tally_growth(before.tallies.get(session), tallies)
            name = self._names[session]
            for owner in (name, WHOLE_CLUSTER):
                one = counted.setdefault(owner, NodeLoad("server"))
                for tally, count in growth.items():
                    one.tallies[tally] += count
        return counted


class ForgettingLoads:
    """Old load goes, in small steps."""

    def __init__(
        self, store: NodeLoadStore, believed_now: BelievedNow, *, kept_us: Mapping[Resolution, Micros] = KEPT_US
    ) -> None:
        self._store = store
        self._believed_now = believed_now
        self._kept_us = kept_us

    async def forget(self, term: int) -> float | None:
        now = self._believed_now()
        if now is None:
            return None
        has_more = False
        for resolution, kept_us in self._kept_us.items():
            has_more |= await self._store.forget_loads(resolution, before=now - kept_us, limit=FORGET_STEP, term=term)
        return STEPS_APART_S if has_more else None


def gauges_of(row: NodeRow) -> dict[str, float]:
    """The figures of a node's last beat that are kept. Of runs and slots the store itself knows the number."""
    gauges = {name: row.load[name] for name in GAUGES if name in row.load}
    gauges.pop("running", None)
    gauges.pop("slots", None)
    if row.kind != "server":
        gauges["running"] = float(row.running)
        gauges["slots"] = float(row.slots)
    return gauges
