"""The store: the one truth. Claims and outcomes, not rows."""

from collections.abc import Callable, Mapping
from typing import Protocol

from foliot.domain.drills import Faults
from foliot.domain.duration_tally import DurationTally
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.alert_rounds import AlertRoundStore
from foliot.ports.store.alerts import AlertStore
from foliot.ports.store.backfills import BackfillStore
from foliot.ports.store.calendars import CalendarStore
from foliot.ports.store.callbacks import CallbackStore
from foliot.ports.store.channels import ChannelStore
from foliot.ports.store.checkup import CheckupStore
from foliot.ports.store.code import CodeStore
from foliot.ports.store.drills import DrillStore
from foliot.ports.store.failovers import FailoverStore
from foliot.ports.store.firing import FiringStore
from foliot.ports.store.gauges import GaugeStore
from foliot.ports.store.heartbeats import HeartbeatStore
from foliot.ports.store.jobs import JobStore
from foliot.ports.store.journal import Journal
from foliot.ports.store.limits import LimitStore
from foliot.ports.store.locks import LockStore
from foliot.ports.store.lookups import Lookups
from foliot.ports.store.nodes import NodeStore
from foliot.ports.store.replies import ReplyStore
from foliot.ports.store.reports import ReportStore
from foliot.ports.store.runs import RunStore
from foliot.ports.store.statistics import StatisticsStore
from foliot.ports.store.tokens import TokenStore
from foliot.ports.store.views import ViewStore
from foliot.ports.wakeups import Wakeups


class Store(Protocol):
    """All of it.

    Each method is one transaction (or a bounded series of them) in store time. Stores keep, they never decide: where
    a policy is needed the caller hands in a pure function that runs inside the transaction. Every write is guarded
    (R1) and says how it landed. An answer that was lost raises `OutcomeUnknown`: repeat the same call (R5). A store
    that cannot be reached raises `StoreUnavailable`; a tick given up after R3's retries raises `StoreBusy`, nothing
    changed. `term`: the leader's, whose writes land only while it lasts (R16); None: the caller does not act as leader.
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
    def code(self) -> CodeStore: ...
    @property
    def lookups(self) -> Lookups: ...
    @property
    def backfills(self) -> BackfillStore: ...
    @property
    def calendars(self) -> CalendarStore: ...
    @property
    def limits(self) -> LimitStore: ...
    @property
    def tokens(self) -> TokenStore: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def replies(self) -> ReplyStore: ...
    @property
    def callbacks(self) -> CallbackStore: ...
    @property
    def locks(self) -> LockStore: ...
    @property
    def failovers(self) -> FailoverStore: ...
    @property
    def checkup(self) -> CheckupStore: ...
    @property
    def drills(self) -> DrillStore: ...
    @property
    def views(self) -> ViewStore: ...
    @property
    def statistics(self) -> StatisticsStore: ...
    @property
    def reports(self) -> ReportStore: ...
    @property
    def alerts(self) -> AlertStore: ...
    @property
    def alert_rounds(self) -> AlertRoundStore: ...
    @property
    def channels(self) -> ChannelStore: ...
    @property
    def heartbeats(self) -> HeartbeatStore: ...
    @property
    def gauges(self) -> GaugeStore: ...

    @property
    def wakeups(self) -> Wakeups | None:
        """How its database wakes other servers; None: it cannot, and they go by their pulse."""
        ...

    @property
    def schema(self) -> str:
        """The newest schema that this program knows. The store may have an older or a newer one in an upgrade."""
        ...

    @property
    def troubles(self) -> Mapping[str, int]:
        """How many calls went wrong so far, by kind; it is counted on."""
        ...

    @property
    def calls(self) -> Mapping[str, DurationTally]:
        """How long calls took so far, by pool of connections; it is counted on."""
        ...

    async def close(self) -> None: ...


class OpenStore(Protocol):
    """How a store is opened on its URL; it refuses one whose schema or settings do not fit."""

    async def __call__(
        self,
        url: str,
        *,
        clock: Clock,
        chance: Chance,
        point: Callable[[str], None] | None = None,
        faults: Faults | None = None,
    ) -> Store:
        """`point`: called at the named places of its transactions, where tests break a server.

        `faults`: what drills break; None: the server takes no part in them.
        """
        ...
