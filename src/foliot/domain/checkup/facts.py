"""What was measured of a cluster, before anything is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foliot.domain.instants import Micros
from foliot.domain.job import Lane
from foliot.domain.roles import SeenServers


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The rows that the database answered to one question about itself; none where the question does not apply."""

    rows: Sequence[Mapping[str, Any]] = ()
    grant: str | None = None  # what the store's user lacks, as the statement that gives it
    why: str | None = None  # the question could not be answered for another reason


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFigures:
    """A node as its last beats described it."""

    name: str
    kind: str
    is_gone: bool = False  # it died a short time ago
    is_silent: bool = False  # it missed several beats
    is_strained: bool = False  # it gets less work: a beat is late, or its load is high
    version: str = ""
    uptime_us: Micros = 0
    clock_offset_us: Micros | None = None
    coordinator: str | None = None
    load: Mapping[str, float] = field(default_factory=dict)
    schema: str = ""  # of a server: the newest that it knows


class ShortLimit(NamedTuple):
    """A limit of which each run of a lane takes more than there is."""

    name: str
    takes: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneWait:
    """A lane in which a run waits, or in which one will be due soon."""

    lane: Lane
    waited_us: Micros | None  # by the oldest ready run; None: none is ready
    has_worker: bool
    short: ShortLimit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcomes:
    """How the latest runs of a job ended: within the last hour, and before."""

    namespace: str
    name: str
    succeeded: int
    failed: int
    succeeded_before: int
    failed_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLife:
    """How long a token is still good."""

    name: str  # empty: who asks may not know it
    left_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalatedFailure:
    """A failure that needs a person, by its policy."""

    id: int
    type: str
    subject: str
    since_us: Micros  # its escalation


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that the checks look at."""

    engine: str = ""  # sqlite, postgresql, mysql
    unreachable: str | None = None  # why the store gave no answer; None: it did
    is_store_alone: bool = False  # no server was asked, or none answered
    is_cluster_known: bool = True  # False: the store's tables could not be read, only the database was looked at
    latency_us: Micros | None = None  # of the store's answers
    readings: Mapping[str, Reading] = field(default_factory=dict)
    has_leader: bool = True
    leaderless_us: Micros | None = None
    overdue_us: Micros | None = None  # how long the earliest due instant is undecided
    overdue_jobs: int = 0
    is_maintenance: bool = False  # a person wants nothing to be decided now
    ignoring_maintenance: Sequence[str] = ()  # servers of an old version, which decide all the same
    is_clock_suspect: bool = False
    clock_ahead_us: Micros | None = None
    clock_here_us: Micros | None = (
        None  # how far this machine's clock is ahead of the store's, where no server is asked
    )
    servers: SeenServers = field(default_factory=lambda: SeenServers(servers=()))
    escalations: Sequence[EscalatedFailure] = ()
    nodes: Sequence[NodeFigures] = ()
    lanes: Sequence[LaneWait] = ()
    outcomes: Sequence[JobOutcomes] = ()
    tokens: Sequence[TokenLife] = ()

    def reading(self, name: str) -> Reading:
        """What the database answered to a question; nothing to one that was not asked."""
        return self.readings.get(name, Reading())
