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
        """Return the parameters of a lane's offer, as the newest worker describes them; None: no worker does.

        Only workers that may run the lane count: another's worker must not decide what a job takes (SEC-25).
        """
        workers = await self.fitting(lane)
        describing = [worker for worker in workers if worker.handlers[lane.offer] is not None]
        newest = max(describing, key=_started, default=None)
        return None if newest is None else newest.handlers[lane.offer]

    def forget(self) -> None:
        """Let the next call read the workers anew."""
        self._forgotten += 1
        self._read_at = float("-inf")


def _started(worker: NodeRow) -> int:
    return worker.started_at
