"""Where claims wait for their lock: a duty of a server, as its operations see it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from foliot.ports.store.locks import LockAnswer, LockStep


class LockDesk(Protocol):
    """Carries out what callers want of locks, and keeps claims that wait at this server."""

    @property
    def carry_out(self) -> Callable[[LockStep], Awaitable[LockAnswer]]:
        """Carry out a step, maybe together with those of others; claims that it grants are told of it."""
        ...

    async def wait(self, claim: str, *, for_s: float) -> LockAnswer:
        """How far a claim is, once it does not wait any more or the time is over."""
        ...

    def granted(self, claims: Sequence[str]) -> None:
        """These claims hold their lock now: let those who wait know, here and at other servers."""
        ...
