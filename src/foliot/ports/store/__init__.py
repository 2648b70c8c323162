"""The store: the one truth. Claims and outcomes, not rows."""

from typing import Protocol

from foliot.ports.store.firing import FiringStore
from foliot.ports.store.jobs import JobStore
from foliot.ports.store.nodes import NodeStore
from foliot.ports.store.queries import Queries
from foliot.ports.store.runs import RunStore


class Store(Protocol):
    """All of it.

    Each method is one transaction (or a bounded series of them) in store time. Stores keep, they never decide: where
    a policy is needed the caller hands in a pure function that runs inside the transaction. Every write is guarded
    (R1) and says how it landed. An answer that was lost raises `OutcomeUnknown`: repeat the same call (R5). A store
    that cannot be reached raises `StoreUnavailable`; a tick given up after R3's retries raises `StoreBusy`, nothing
    changed.
    """

    @property
    def firing(self) -> FiringStore: ...
    @property
    def jobs(self) -> JobStore: ...
    @property
    def runs(self) -> RunStore: ...
    @property
    def nodes(self) -> NodeStore: ...
    @property
    def queries(self) -> Queries: ...

    async def close(self) -> None: ...
