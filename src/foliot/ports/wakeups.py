"""Wake-ups between servers: hints that something is due or ready. They only save time; all works without them (R15)."""

from collections.abc import Callable
from typing import Protocol


class Wakeups(Protocol):
    """A way to nudge the other servers of the cluster."""

    def send(self, topic: str) -> None:
        """Nudge the others, at most ten times a second; never waits, never fails."""
        ...

    async def listen(self, woken: Callable[[str], None]) -> None:
        """Begin to listen to others: `woken(topic)` is called in this loop. Lost connections are made again."""
        ...

    async def close(self) -> None: ...
