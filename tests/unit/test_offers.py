"""Offers: what a server knows of the workers that registered with it, between two reads of the store."""

from collections.abc import Sequence
from typing import cast

from foliot.operations.offers import FRESH_S, Offers
from foliot.ports.store.lookups import Lookups
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import HandlerOffer, Hello
from tests.clocks import DrivenClock


class NoNodes:
    """The store's list of nodes, with nobody in it; it counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0

    async def nodes(self) -> Sequence[NodeRow]:
        self.reads += 1
        return []


def hello(number: int) -> Hello:
    offers = (HandlerOffer(name="python:jobs:tick"),)
    return Hello(session=f"s{number}", name="w", group="default", slots=1, handlers=offers)


async def test_workers_that_come_while_nobody_asks_are_not_kept() -> None:
    """A server that only fires schedules may live for months, and see many thousands of workers."""
    clock, store = DrivenClock(), NoNodes()
    offers = Offers(cast("Lookups", store), clock)
    for number in range(100):
        offers.learn(hello(number), now=number)
    assert not offers._known
    await offers.workers("default")
    offers.learn(hello(100), now=100)
    assert [worker.started_at for worker in await offers.workers("default")] == [100], "known at once"
    assert store.reads == 1
    await clock.advance(FRESH_S + 1)
    for number in range(101, 200):
        offers.learn(hello(number), now=number)
    assert not offers._known
