"""A node session as people see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from foliot.domain.health import FellBy, Health
from foliot.domain.instants import Instant, Micros
from foliot.domain.job import DEFAULT_GROUP
from foliot.domain.life import Life
from foliot.domain.roles import Role
from foliot.domain.why.facts import WorkerFacts
from foliot.ports.worker_link import NO_KINDS, PROTOCOL_MAINTENANCE, StatedKinds


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A node session as people see it."""

    session: str
    name: str
    kind: str
    state: str
    until: Instant
    started_at: Instant
    last_beat_at: Instant
    ended_at: Instant | None
    group: str
    slots: int
    version: str
    host: str
    pid: int
    clock_offset_us: Micros | None  # its wall clock is so far ahead of the store's
    labels: Mapping[str, str]
    handlers: Mapping[str, Mapping[str, Any] | None]  # name -> JSON Schema of its parameters
    code_hashes: Mapping[str, str]
    load: Mapping[str, float]
    drained_by: str | None
    running: int = 0
    namespace: str | None = None  # the only one a worker serves; None: every
    kinds: StatedKinds = NO_KINDS
    protocol: int = 1
    address: str | None = None  # of a server: where workers reach it
    band: Health = Health.ONLINE  # by what its beats said
    band_at: Instant | None = None  # since when
    fell_by: FellBy | None = None  # why it is in WARNING
    begun_at: Instant | None = None  # its process
    asked_at: Instant | None = None  # it asked to register; `started_at`: it was taken in
    ready_at: Instant | None = None  # it first took work
    draining_at: Instant | None = None
    drills: tuple[str, ...] = ()  # types that it takes part in
    role: Role | None = None  # of a server
    role_at: Instant | None = None  # when it was promoted or demoted
    weight: int = 1  # of a worker: its share of work beside other workers

    @property
    def life(self) -> Life:
        """How far it is."""
        if self.state == "dead":
            return Life.GONE
        if self.state == "draining":
            return Life.DRAINING
        return Life.SYNCING if self.ready_at is None else Life.READY

    @property
    def life_times(self) -> Mapping[Life, Instant]:
        """When it came how far, in this order; what an older Foliot did not write down is left out."""
        times = {
            Life.STARTING: self.begun_at,
            Life.REGISTERING: self.asked_at,
            Life.SYNCING: self.started_at,
            Life.READY: self.ready_at,
            Life.DRAINING: self.draining_at,
            Life.GONE: self.ended_at,
        }
        return {life: at for life, at in times.items() if at is not None}

    def serves(self, namespace: str) -> bool:
        """Whether it is a worker that is given runs of this namespace."""
        return self.kind != "server" and self.namespace in (None, namespace)

    @property
    def ignores_maintenance(self) -> bool:
        """Whether it is a server of a version that goes on deciding in a maintenance."""
        return self.is_server_before(PROTOCOL_MAINTENANCE)

    def is_server_before(self, protocol: int) -> bool:
        """Whether it is a server of a version from before this protocol, and nobody declared it dead."""
        return self.kind == "server" and self.protocol < protocol and self.state != "dead"

    @property
    def coordinator(self) -> str | None:
        """The coordination service by which a server elects; None: the store alone, or it is a worker."""
        return self.labels.get("coordinator") if self.kind == "server" else None

    @property
    def reaches_coordinator(self) -> bool:
        """Whether its coordination service answered within the last term, as its last beat said."""
        return bool(self.load.get("coordinator_up", 1))

    @property
    def coordinator_outages(self) -> int:
        """How often its coordination service has fallen silent."""
        return int(self.load.get("coordinator_outages", 0)) if self.kind == "server" else 0

    def as_worker(self) -> WorkerFacts:
        """What explanations need to know of it."""
        return WorkerFacts(
            name=self.name,
            group=self.group or DEFAULT_GROUP,
            handlers=frozenset(self.handlers),
            labels=self.labels,
            slots=self.slots,
            running=self.busy,
            is_draining=self.state == "draining",
        )

    @property
    def busy(self) -> int:
        """Slots that are taken: runs that wait for others have none."""
        return max(0, self.running - int(self.load.get("waiting", 0)))

    @property
    def handle(self) -> str:
        """What people call this session by. Its id stays between worker and server: it is part of their trust."""
        return f"n-{sha256(self.session.encode()).hexdigest()[:12]}"

    @property
    def has_left(self) -> bool:
        """It ended in order, before its time was up: nobody had to declare it dead."""
        return self.ended_at is not None and self.ended_at <= self.until
