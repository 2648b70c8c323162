"""Reports in the store: the facts of a period, in sums; and schedules of reports, each of which is due once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foliot.domain.alerts.alert import Notice
from foliot.domain.instants import Instant
from foliot.domain.reports.facts import ReportFacts
from foliot.domain.reports.schedule import ReportSchedule
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuestion:
    """Which period, and which points of statistics make it up."""

    namespace: str | None  # None: all of them
    from_at: Instant
    to_at: Instant
    points: Sequence[tuple[Resolution, Instant]]
    points_before: Sequence[tuple[Resolution, Instant]]
    crowded_by: Resolution
    with_loads: bool  # the load of nodes
    top: int  # jobs of each ranking, crowded points, alerts, anomalies


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSchedule:
    """A schedule, and how far it is."""

    schedule: ReportSchedule
    next_at: Instant | None  # when the next report is to be sent; None: it is off
    last_at: Instant | None  # when the last one was to be sent
    updated_at: Instant
    updated_by: str


class ReportStore(Protocol):
    """Reads what reports say, and keeps their schedules."""

    async def facts(self, asked: ReportQuestion) -> ReportFacts:
        """The facts, by a number of statements that does not depend on the number of jobs, and without reading runs."""
        ...

    async def schedules(self, *, namespace: str | None) -> Sequence[KeptSchedule]:
        """Those of a namespace; None: of all of them and of the cluster, by namespace and name."""
        ...

    async def find_schedule(self, name: str, *, namespace: str | None) -> KeptSchedule | None:
        """`namespace` None: one of the cluster."""
        ...

    async def save_schedule(self, schedule: ReportSchedule, *, next_at: Instant | None, by: Actor) -> KeptSchedule:
        """Keep it, new or in the place of the one that has its name."""
        ...

    async def remove_schedule(self, name: str, *, namespace: str | None) -> bool:
        """Forget it. False: there is none."""
        ...

    async def next_report_at(self) -> Instant | None:
        """When the next report of all is to be sent; None: none is. One statement."""
        ...

    async def due_schedules(self, *, until: Instant, limit: int) -> Sequence[KeptSchedule]:
        """Those whose report is to be sent by then, the oldest first."""
        ...

    async def send_report(
        self,
        seen: KeptSchedule,
        *,
        next_at: Instant | None,
        last_at: Instant,
        notices: Sequence[Notice],
        term: int | None,
    ) -> bool:
        """Put the notices of a due report into the outbox, and move its schedule on, in one transaction.

        False: another leader did so since the schedule was read, a person changed it, or the term is over; then nothing
        was written.
        """
        ...
