"""Wake-ups between servers: hints that something is due or ready. They only save time; all works without them (R15)."""

from collections.abc import Callable
from typing import Protocol


class Wakeups(Protocol):
    """A way to nudge the other servers of the cluster. `domain.wakeups` has the topics, and how often each is sent."""

    def send(self, topic: str) -> None:
        """Nudge the others. It never waits and never fails."""
        ...

    async def listen(self, woken: Callable[[str], None]) -> None:
        """Begin to listen to others: `woken(topic)` is called in this loop. Lost connections are made again.

        After each new connection the topic is `MISSED`: what others sent before was not heard.
        """
        ...

    async def close(self) -> None: ...
