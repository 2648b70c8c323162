"""The look at the replica: a server that has one knows beforehand whether it can answer while the store is away."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

EVERY_S: Final = 5.0


class ReplicaLooking:
    """A duty of a server with a replica. It asks the replica alone, one statement each time."""

    name = "replica look"

    def __init__(self, look: Callable[[], Awaitable[None]]) -> None:
        self.wake = asyncio.Event()
        self._look = look

    async def step(self) -> float:
        await self._look()
        return EVERY_S
