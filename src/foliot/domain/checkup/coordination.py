"""Checks of the coordination service beside the store, as the servers see it."""

from collections.abc import Iterator

from foliot.domain.checkup.facts import Facts, NodeFigures
from foliot.domain.checkup.findings import Measure
from foliot.domain.instants import DAY, SECOND


def reachable(facts: Facts) -> Iterator[Measure]:
    """Servers that do not reach their coordination service: the store holds elections for them."""
    servers = list(_electing(facts))
    for name in sorted({server.coordinator or "" for server in servers}):
        own = [server for server in servers if server.coordinator == name]
        away = sum(not server.load.get("coordinator_up", 1) for server in own)
        yield Measure(
            value=away,
            subject=name,
            case="" if away else "none",
            said={"name": name, "away": away, "servers": len(own)},
        )


def latency(facts: Facts) -> Iterator[Measure]:
    """How long the coordination service took for its last answer to each server."""
    for server in _electing(facts):
        took_s = server.load.get("coordinator_latency_s")
        if took_s is not None:
            said = {"node": server.name, "name": server.coordinator, "took": round(took_s * SECOND)}
            yield Measure(value=took_s, subject=server.name, said=said)


def outages(facts: Facts) -> Iterator[Measure]:
    """How often a day the coordination service fell silent for longer than a term, since each server's start."""
    for server in _electing(facts):
        count = int(server.load.get("coordinator_outages", 0))
        days = max(1.0, server.uptime_us / DAY)
        said = {"node": server.name, "name": server.coordinator, "count": count}
        yield Measure(value=count / days, subject=server.name, said=said)


def _electing(facts: Facts) -> Iterator[NodeFigures]:
    return (node for node in facts.nodes if node.coordinator is not None and not node.is_gone)
