"""The leader's look at every node: one read of the store serves all duties that want to know them."""

from collections.abc import Sequence
from typing import Final

from foliot.ports.clock import Clock
from foliot.ports.store.lookups import Lookups
from foliot.ports.store.node_row import NodeRow

FRESH_S: Final = 7.0
"""Somewhat longer than the rest between two looks."""


class NodeLook:
    """Keeps what was seen last. When nobody looked lately, who asks looks itself."""

    def __init__(self, lookups: Lookups, clock: Clock) -> None:
        self._lookups = lookups
        self._clock = clock
        self._nodes: Sequence[NodeRow] = ()
        self._seen_at = float("-inf")

    def learn(self, nodes: Sequence[NodeRow]) -> None:
        """These nodes were read just now."""
        self._nodes = nodes
        self._seen_at = self._clock.monotonic()

    async def latest(self) -> Sequence[NodeRow]:
        if self._clock.monotonic() - self._seen_at > FRESH_S:
            self.learn(await self._lookups.nodes(include_dead_since=None))
        return self._nodes
