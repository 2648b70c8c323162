"""What operations work with, wired by the app."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from foliot.domain.alerts.channel import Channel
from foliot.domain.changes import Plans
from foliot.domain.drills import DrillState, DrillType
from foliot.domain.effective_settings import EffectiveSetting
from foliot.domain.failover import USUAL_TIMES, ClusterTimes
from foliot.domain.health import USUAL_RULES, HealthRules
from foliot.domain.instants import SECOND, Micros
from foliot.domain.routing import ROUTES
from foliot.domain.verdict import Judge
from foliot.operations.found_warnings import FoundWarnings
from foliot.operations.offers import Offers
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.handler import HandlerKinds
from foliot.ports.lock_desk import LockDesk
from foliot.ports.notifier import AlertMessage
from foliot.ports.spans import SpanSink
from foliot.ports.store import Store
from foliot.ports.worker_link import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTimes:
    """How long a session lives without a beat, and who stops how much earlier (defaults of guarantees (b))."""

    ttl_us: Micros = 15 * SECOND
    margin_us: Micros = 2 * SECOND

    @property
    def beat_every_us(self) -> Micros:
        return self.ttl_us // 3


REFUSALS_KEPT: Final = 1000


class Refusals:
    """Which jobs refused a trigger in this minute: a flood of them is one line in the journal."""

    def __init__(self) -> None:
        self._minute = 0
        self._jobs: set[tuple[str, str]] = set()

    def is_first(self, namespace: str, job: str, minute: int) -> bool:
        """Whether this is the first refusal of the job in this minute that this server tells of."""
        if minute != self._minute:
            self._minute = minute
            self._jobs.clear()
        if (namespace, job) in self._jobs or len(self._jobs) >= REFUSALS_KEPT:
            return False
        self._jobs.add((namespace, job))
        return True


class Looking(Protocol):
    """What is enough to look at a cluster, and changes nothing in it."""

    @property
    def store(self) -> Store: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def health(self) -> HealthRules: ...


async def _unknown(_channels: Sequence[Channel]) -> Sequence[str] | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The store and the policies, and how to wake the duties of this server."""

    store: Store
    clock: Clock
    chance: Chance
    plans: Plans
    judge: Judge
    times: SessionTimes
    offers: Offers  # what live workers offer
    kinds: HandlerKinds  # of handlers, as far as this server knows them
    lock_desk: LockDesk  # where claims wait for a lock
    runs_may_be_ready: Callable[[], None]  # something became leasable: look at once, here and elsewhere
    cursors_moved: Callable[[], None]  # a job may be due sooner than the last pulse said
    cluster_times: ClusterTimes = USUAL_TIMES  # which policies of failovers must fit
    cancels_asked: Callable[[], None] = lambda: None  # running runs are to stop: their workers should hear of it soon
    health: HealthRules = USUAL_RULES  # which node is in which band, and gets which share of work
    roles_changed: Callable[[], None] = lambda: None  # a server has another role: it should learn of it soon
    settings: Sequence[EffectiveSetting] = ()  # of this server, for users to see
    node_name: str = ""
    # A drill was asked for or closed here: its type, its state and its report.
    drill_told: Callable[[DrillType, DrillState, Mapping[str, Any]], None] = lambda _type, _state, _report: None
    route_names: Callable[[], Collection[str]] = lambda: ROUTES  # those that jobs may name
    runs_ended: Callable[[Sequence[Report]], None] = lambda _reports: None  # callbacks ended them
    spans: SpanSink | None = None  # of triggers; None: nobody wants any
    channel_kinds: Callable[[], Mapping[str, Mapping[str, Any]]] = dict  # by name, with the schema of their settings
    # What a message to a channel would look like on the line; nothing is sent.
    channel_body: Callable[[Channel, AlertMessage], Mapping[str, Any]] = lambda _channel, _message: {}
    # Which secrets of channels this server lacks; None: it does not send by itself.
    lacks_secrets: Callable[[Sequence[Channel]], Awaitable[Sequence[str] | None]] = _unknown
    public_url: str = ""  # where people reach the console; empty: unknown
    notices_wait: Callable[[], None] = lambda: None  # something is to be told: send it soon
    refusals: Refusals = field(default_factory=Refusals)  # of triggers, for the journal
    warnings: FoundWarnings = field(default_factory=FoundWarnings)  # of the schedules of saved jobs
