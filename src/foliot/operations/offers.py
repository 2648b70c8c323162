"""What live workers offer: handlers, the JSON Schemas of their parameters, labels, slots. Known for some seconds."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.domain.job import Lane
from foliot.ports.clock import Clock
from foliot.ports.store.lookups import Lookups, NodeRow

FRESH_S: Final = 3.0


class Offers:
    """The live workers, read again when what is known is older than `FRESH_S`."""

    def __init__(self, lookups: Lookups, clock: Clock) -> None:
        self._lookups = lookups
        self._clock = clock
        self._known: Sequence[NodeRow] = ()
        self._read_at = float("-inf")
        self._forgotten = 0

    async def workers(self, namespace: str) -> Sequence[NodeRow]:
        """Workers that are alive, draining ones too, and may serve this namespace."""
        if self._clock.monotonic() - self._read_at > FRESH_S:
            forgotten = self._forgotten
            self._known = tuple(await self._lookups.nodes())
            if forgotten == self._forgotten:  # else a worker may have registered just after it was read
                self._read_at = self._clock.monotonic()
        return [node for node in self._known if node.serves(namespace)]

    async def fitting(self, lane: Lane) -> Sequence[NodeRow]:
        """Workers that may run what is in this lane: by namespace, group, offer and labels."""
        assert lane.namespace is not None, lane
        return [
            worker
            for worker in await self.workers(lane.namespace)
            if lane.fits(group=worker.group, offers=frozenset(worker.handlers), labels=worker.labels)
        ]

    async def schema_of(self, lane: Lane) -> Mapping[str, Any] | None:
        """The parameters of a lane's offer as the newest worker that may run it says; None: nobody says.

        Who may not run it has no say in what it takes (SEC-25).
        """
        found = [worker for worker in await self.fitting(lane) if worker.handlers[lane.offer] is not None]
        newest = max(found, key=_started, default=None)
        return newest.handlers[lane.offer] if newest is not None else None

    def forget(self) -> None:
        """Read anew at the next question."""
        self._forgotten += 1
        self._read_at = float("-inf")


def _started(worker: NodeRow) -> int:
    return worker.started_at
