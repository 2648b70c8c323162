"""A checkup of the store alone, for the hour in which no server answers: the same checks, without a server's help."""

from dataclasses import dataclass, replace
from typing import Final

from foliot.domain.access import INTERNAL
from foliot.domain.checkup import examine
from foliot.domain.checkup.facts import Facts
from foliot.domain.health import USUAL_RULES, HealthRules
from foliot.domain.instants import to_instant
from foliot.operations.checkup import Checkup, gather
from foliot.operations.nodes import cluster_nodes
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store import Store
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.store.sql.checkup.alone import StoreAlone, look_alone, why_away

RULES: Final = USUAL_RULES
"""Which other rules the servers have, they alone know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """`operations.services.Looking` without a server."""

    store: Store
    clock: Clock
    health: HealthRules = RULES


async def check_up_store(url: str, *, clock: Clock, chance: Chance) -> Checkup:
    """What the checks find in a store. It is only read: nobody is told that somebody looked."""
    async with look_alone(url, clock=clock, chance=chance) as alone:
        facts = await _facts(alone, clock)
        return Checkup(at=to_instant(clock.now()), findings=examine(facts))


async def _facts(alone: StoreAlone, clock: Clock) -> Facts:
    of_database = Facts(
        readings=alone.readings, unreachable=alone.unreachable, is_store_alone=True, is_cluster_known=False
    )
    if alone.store is None:
        return of_database
    try:
        return await _of_cluster(_Look(store=alone.store, clock=clock), alone)
    except (StoreUnavailable, StoreBusy) as away:  # a damaged file, or a database that went meanwhile
        return replace(of_database, unreachable=why_away(away))


async def _of_cluster(look: _Look, alone: StoreAlone) -> Facts:
    cluster = await cluster_nodes(look, INTERNAL)
    clock_here_us = to_instant(look.clock.now()) - cluster.row.now
    facts = await gather(look, cluster, alone.readings)
    return replace(facts, is_store_alone=True, clock_here_us=clock_here_us)
