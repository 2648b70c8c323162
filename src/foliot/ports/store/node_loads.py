"""The load of nodes in the store: the leader adds a minute at a time, and any stretch of it is read."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from foliot.domain.instants import Instant
from foliot.domain.statistics.node_load import LoadPoint, NodeLoad
from foliot.domain.statistics.resolution import Resolution


class LoadProgress(NamedTuple):
    """Up to which minute load is kept, and what each server had counted by then."""

    minute_at: Instant  # the start of the last minute; 0: there is none
    tallies: Mapping[str, Mapping[str, int]]  # by session


class NodeLoadStore(Protocol):
    """Keeps the load of nodes by resolution, start and node; the node `WHOLE_CLUSTER` is all of them together."""

    async def load_progress(self) -> LoadProgress:
        """Up to which minute load is kept."""
        ...

    async def add_minute(
        self, progress: LoadProgress, nodes: Mapping[str, NodeLoad], *, since: Instant, term: int | None
    ) -> bool:
        """Add the load of a minute to it, its hour and its day, and put down how far load is kept.

        `since`: the minute that was seen as the last one. False: another leader kept one meanwhile, or the term is
        over; then nothing was added. So a minute counts once, also when two servers believe that they lead.
        """
        ...

    async def load_of(self, node: str, resolution: Resolution, starts: range) -> Sequence[LoadPoint]:
        """The load of a node, in the order of time."""
        ...

    async def loads(self, resolution: Resolution, starts: range, *, limit: int) -> Mapping[str, NodeLoad]:
        """The load of each node over a whole range, by name; at most `limit` nodes, in the order of names."""
        ...

    async def forget_loads(self, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
        """Delete about `limit` of the oldest figures that begin before an instant; whether there are more."""
        ...
