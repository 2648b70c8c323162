"""A replica of the store: a copy that the database keeps, some time behind. It is read, and never decided by (R9)."""

from dataclasses import dataclass
from typing import Protocol

from foliot.domain.instants import Instant, Micros
from foliot.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How far a replica has followed its primary."""

    epoch: int  # of the store, as the replica knows it
    seen_at: Instant  # the newest time that servers wrote and that has come through
    now: Instant  # by the replica's clock

    @property
    def age_us(self) -> Micros:
        """How old its answers are at most. Servers write the time every few seconds, so it is rarely 0."""
        return max(0, self.now - self.seen_at)


class Replica(Protocol):
    """A second, read-only way to the store's data."""

    @property
    def store(self) -> Store:
        """The data. Whatever would write raises `StoreUnavailable`."""
        ...

    async def freshness(self) -> Freshness:
        """Look how far the replica has followed; `StoreUnavailable` when it does not answer."""
        ...

    async def close(self) -> None: ...
