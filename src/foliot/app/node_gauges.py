"""Nodes as the leader shows and keeps them: each with its band, its score, its restarts and its load."""

from collections.abc import Callable, Iterable

from foliot.domain.health import Health, HealthRules
from foliot.domain.instants import Instant
from foliot.domain.restarts import Restarts
from foliot.engine.pulse import Tide
from foliot.observability.node_figures import NodeGauge
from foliot.operations.nodes import cause_of, health_of
from foliot.ports.store.node_row import NodeRow


def node_gauges(nodes: Iterable[NodeRow], now: Instant, rules: HealthRules) -> list[NodeGauge]:
    """The nodes that are not dead, as the leader saw them."""
    return [
        NodeGauge(
            row.name,
            row.kind,
            row.handle,
            health_of(row, now, rules),
            row.load.get("score"),
            Restarts.of(row.load).count,
            cause_of(row, now, rules),
            row.slots,
            row.busy,
            row.load,
        )
        for row in nodes
        if row.state != "dead"
    ]


def band_of(tide: Tide, rules: HealthRules) -> Callable[[NodeRow], Health]:
    """What says in which band a node is now."""
    return lambda row: health_of(row, tide.store_now(), rules)
