"""The check of replicas that answer reads while the store is away, as the servers see them."""

from collections.abc import Iterator

from foliot.domain.checkup.facts import Facts
from foliot.domain.checkup.findings import Measure
from foliot.domain.instants import SECOND


def reads(facts: Facts) -> Iterator[Measure]:
    """Servers whose replica cannot answer. A cluster without replicas is not measured."""
    loads = [node.load for node in facts.nodes if "replica_fit" in node.load and not node.is_gone]
    if not loads:
        return
    ages_s = [load["replica_age_s"] for load in loads if "replica_age_s" in load]
    unfit = len(loads) - len(ages_s)
    said = {"unfit": unfit, "servers": len(loads), "age": round(max(ages_s, default=0) * SECOND)}
    yield Measure(value=unfit, subject="replica", case="" if unfit else "none", said=said)
