"""What live workers offer: handlers, the JSON Schemas of their parameters, labels. Known for some seconds."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.handler import kind_of
from foliot.domain.instants import Instant
from foliot.domain.job import DEFAULT_GROUP, Lane
from foliot.domain.why.facts import WorkerFacts
from foliot.ports.clock import Clock
from foliot.ports.store.lookups import Lookups
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import Hello, KindOffer, StatedKinds, stated_kinds

FRESH_S: Final = 3.0
VERSIONS_MAX: Final = 10  # of one kind that live workers have; older ones are not looked at


class OfferingWorker(NamedTuple):
    """A worker that is alive, and what it offers."""

    name: str
    namespace: str | None  # the only one it serves; None: every
    group: str
    labels: Mapping[str, str]
    handlers: Mapping[str, Mapping[str, Any] | None]  # name -> JSON Schema of its parameters
    kinds: StatedKinds
    started_at: Instant
    slots: int = 0
    is_draining: bool = False  # it takes no more runs

    def facts(self) -> WorkerFacts:
        """What explanations need to know of it; what it executes at this moment is not known here."""
        return WorkerFacts(
            name=self.name,
            group=self.group or DEFAULT_GROUP,
            handlers=frozenset(self.handlers),
            labels=self.labels,
            slots=self.slots,
            running=0,
            is_draining=self.is_draining,
        )

    def kind(self, name: str) -> KindOffer | None:
        """What the worker says of a kind; None: it does not have it."""
        return next((stated for stated in self.kinds.loaded if stated.kind == name), None)


class Offers:
    """The live workers, read again when what is known is older than `FRESH_S`. Questions share a read."""

    def __init__(self, lookups: Lookups, clock: Clock) -> None:
        self._lookups = lookups
        self._clock = clock
        self._known: dict[str, OfferingWorker] = {}  # by session
        self._came: dict[str, OfferingWorker] = {}  # since the last read began: it may not have seen them
        self._reading: asyncio.Task[None] | None = None
        self._read_at = float("-inf")
        self._forgotten = 0  # how often
        self._read_after = 0  # so much was forgotten when the last read began

    async def workers(self, namespace: str | None) -> Sequence[OfferingWorker]:
        """Workers that are alive, draining ones too, and may serve this namespace; None: some namespace."""
        forgotten = self._forgotten
        while self._read_after < forgotten or self._clock.monotonic() - self._read_at > FRESH_S:
            await self._next_read()
        known = self._known.values()
        return [worker for worker in known if namespace is None or worker.namespace in (None, namespace)]

    async def fitting(self, lane: Lane) -> Sequence[OfferingWorker]:
        """Workers that may run what is in this lane: by namespace, group, offer and labels."""
        assert lane.namespace is not None, lane
        return [
            worker
            for worker in await self.workers(lane.namespace)
            if lane.fits(group=worker.group, offers=worker.handlers.keys(), labels=worker.labels)
        ]

    async def versions_of(self, lane: Lane) -> Sequence[KindOffer]:
        """What live workers say of the kind of a lane's offer: each version once, the newest worker's first.

        Only workers of the lane's namespace, group and labels count, as in `schema_of`. Which connection or language
        they offer does not: the options of a kind are the same for each.
        """
        assert lane.namespace is not None, lane
        name = kind_of(lane.offer)
        by_version: dict[str, KindOffer] = {}
        for worker in sorted(await self.workers(lane.namespace), key=_started, reverse=True):
            stated = worker.kind(name)
            if stated is not None and lane.fits(group=worker.group, offers=(lane.offer,), labels=worker.labels):
                by_version.setdefault(stated.version, stated)
        return list(by_version.values())[:VERSIONS_MAX]

    async def schema_of(self, lane: Lane) -> Mapping[str, Any] | None:
        """Return the parameters of a lane's offer, as the newest worker describes them; None: no worker does.

        Only workers that may run the lane count: another's worker must not decide what a job takes (SEC-25).
        """
        workers = await self.fitting(lane)
        describing = [worker for worker in workers if worker.handlers[lane.offer] is not None]
        newest = max(describing, key=_started, default=None)
        return None if newest is None else newest.handlers[lane.offer]

    def learn(self, hello: Hello, *, now: Instant) -> None:
        """A worker has registered with this server: what it offers is known at once, and nothing is read for it.

        When nobody has asked for long, nothing is kept: workers come and go, and the next question reads them again.
        """
        if not self._is_of_use:
            self._known, self._came = {}, {}
            return
        known = self._known.get(hello.session)
        worker = OfferingWorker(
            name=hello.name,
            namespace=hello.namespace,
            group=hello.group,
            labels=hello.labels,
            handlers={offer.name: offer.parameters for offer in hello.handlers},
            kinds=stated_kinds(hello.kinds, hello.failed_kinds, [offer.name for offer in hello.handlers]),
            started_at=now if known is None else known.started_at,
            slots=hello.slots,
        )
        self._known[hello.session] = self._came[hello.session] = worker

    @property
    def _is_of_use(self) -> bool:
        """Whether a question could be answered with what is known, or a read goes on."""
        is_reading = self._reading is not None and not self._reading.done()
        return is_reading or self._clock.monotonic() - self._read_at <= FRESH_S

    def forget(self) -> None:
        """Let the next question read the workers again."""
        self._forgotten += 1

    async def _next_read(self) -> None:
        """Wait for the read that goes on, or for a new one. Who stops waiting does not stop it for the others."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read(), name="offers")
            self._reading.add_done_callback(_look_at)
        await asyncio.shield(self._reading)

    async def _read(self) -> None:
        forgotten = self._forgotten
        self._came = {}
        nodes = await self._lookups.nodes()
        read = {node.session: _offering(node) for node in nodes if node.kind != "server"}
        self._known = read | self._came
        self._read_after = forgotten
        self._read_at = self._clock.monotonic()


def _look_at(read: asyncio.Task[None]) -> None:
    """Nobody may wait for it any more: asyncio would complain of an error that nobody looked at."""
    if not read.cancelled():
        read.exception()


def _offering(node: NodeRow) -> OfferingWorker:
    return OfferingWorker(
        name=node.name,
        namespace=node.namespace,
        group=node.group,
        labels=node.labels,
        handlers=node.handlers,
        kinds=node.kinds,
        started_at=node.started_at,
        slots=node.slots,
        is_draining=node.draining_at is not None,
    )


def _started(worker: OfferingWorker) -> Instant:
    return worker.started_at
