"""Metrics of nodes: bands, scores and loads, as the leader saw them last."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from prometheus_client.registry import Collector

from foliot.domain.metric_bounds import NODES_SHOWN
from foliot.observability.families import Family, gauges

FIGURES: Final = {
    "cpu": "foliot_node_cpu_ratio",
    "memory": "foliot_node_memory_ratio",
    "disk": "foliot_node_disk_ratio",
    "threads": "foliot_node_threads",
}
"""What a beat says, and where it is shown."""


class NodeGauge(NamedTuple):
    """A node as the leader saw it last."""

    node: str
    kind: str
    id: str
    band: str
    score: float | None
    restarts: int = 0  # by its supervisor
    cause: str | None = None  # why it is not ONLINE
    slots: int = 0
    running: int = 0
    load: Mapping[str, float] = {}


class NodeFiguresShown(Collector):
    """A node that does not say a figure has no series of it."""

    def __init__(self, nodes: Callable[[], Iterable[NodeGauge]]) -> None:
        self._nodes = nodes

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        bands, causes = gauges("foliot_node_band"), gauges("foliot_node_band_cause")
        scores, restarts = gauges("foliot_node_score"), gauges("foliot_node_restarts")
        slots, running = gauges("foliot_node_slots"), gauges("foliot_node_running")
        loads = {figure: gauges(name) for figure, name in FIGURES.items()}
        for one in islice(self._nodes(), NODES_SHOWN):
            named = [one.node, one.kind, one.id]
            bands.add_metric([*named, one.band], 1)
            if one.cause is not None:
                causes.add_metric([*named, one.cause], 1)
            if one.score is not None:
                scores.add_metric(named, one.score)
            if one.restarts:
                restarts.add_metric(named, one.restarts)
            if one.slots:
                slots.add_metric(named, one.slots)
                running.add_metric(named, one.running)
            for figure, family in loads.items():
                if figure in one.load:
                    family.add_metric(named, one.load[figure])
        yield from (bands, causes, scores, restarts, slots, running, *loads.values())
