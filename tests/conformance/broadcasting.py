"""Broadcasts for tests: what workers get of them, and what the leader does meanwhile."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import Micros
from foliot.domain.verdict import judge
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.nodes import GRACE_US, SESSION_TTL_US
from foliot.ports.worker_link import LeasedRun
from tests.conformance.routing import routed_poll
from tests.conformance.working import BEAT_EVERY_US, Worker, lead
from tests.conformance.world import World

ALL: Final = {"shards": "each_worker"}

UNTIL_DEAD_US: Final = SESSION_TTL_US + GRACE_US
"""How long after its last beat a worker is declared dead."""


async def leased(one: Worker, free: int = 8) -> Sequence[LeasedRun]:
    """What a worker gets."""
    granted = await one.store.runs.lease([await routed_poll(one, free)], limit=1000)
    return granted.grants[0].runs


async def shards_of(world: World, run_id: int) -> list[RunRow]:
    return [run for run in await world.store.lookups.shards(run_id) if run.shard >= 0]


async def reap(world: World, term: int) -> int:
    """The leader's rounds until nothing moves."""
    moved = 0
    while step := await world.store.runs.reap(judge, limit=100, term=term):
        moved += step
    return moved + await world.store.runs.end_orphans(limit=100, term=term)


async def pass_time(world: World, us: Micros, *beating: Worker) -> None:
    """Let time pass while these workers beat, and the leader look at the end of it."""
    for _ in range(us // BEAT_EVERY_US):
        await world.elapse(BEAT_EVERY_US)
        for one in beating:
            await one.beat()
    await reap(world, await lead(world))
