"""Where claims wait for their lock: a duty of a server, as its operations see it."""

from collections.abc import Sequence
from typing import Protocol

from foliot.ports.store.locks import LockAnswer


class LockDesk(Protocol):
    """Keeps claims that wait at this server."""

    async def wait(self, claim: str, *, for_s: float) -> LockAnswer:
        """How far a claim is, once it does not wait any more or the time is over."""
        ...

    def granted(self, claims: Sequence[str]) -> None:
        """These claims hold their lock now: let those who wait know, here and at other servers."""
        ...
