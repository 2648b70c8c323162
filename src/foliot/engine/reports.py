"""Reports that are due: the leader makes each once and puts it into the outbox, from where it is sent (R20).

The schedule moves on in the transaction that writes the notices: a leader that dies before leaves the report to the
next one, a leader that dies after has made it. Of reports that were missed the latest is made.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

import structlog

from foliot.domain.instants import SECOND, Instant
from foliot.domain.reports.notices import addresses_of, report_notices
from foliot.domain.reports.period import Period
from foliot.domain.reports.schedule import last_due, next_due, period_due
from foliot.engine.upkeep import BelievedNow
from foliot.ports.store.channels import ChannelStore
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.reports import KeptSchedule, ReportStore

EVERY_S: Final = 60.0
BATCH: Final = 20

log = structlog.get_logger("foliot.reports")


class ComposeReport(Protocol):
    """Reads the facts of a period and composes them: the report as data for a notice."""

    def __call__(self, period: Period, *, namespace: str | None, now: Instant) -> Awaitable[dict[str, Any]]: ...


class Reporting:
    """The duty."""

    def __init__(
        self,
        store: ReportStore,
        channels: ChannelStore,
        compose: ComposeReport,
        *,
        believed_now: BelievedNow,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        """`told`: something waits in the outbox."""
        self._store = store
        self._channels = channels
        self._compose = compose
        self._believed_now = believed_now
        self._told = told

    async def report(self, term: int) -> float | None:
        """One round. Nothing is due: one statement."""
        now = self._believed_now()
        if now is None:
            return None
        next_at = await self._store.next_report_at()
        if next_at is None:
            return None
        if next_at > now:
            return min(EVERY_S, (next_at - now) / SECOND)
        due = await self._store.due_schedules(until=now, limit=BATCH)
        for one in due:
            await self._send(one, now, term)
        return 0 if len(due) == BATCH else None

    async def _send(self, one: KeptSchedule, now: Instant, term: int) -> None:
        schedule = one.schedule
        said = {"report": schedule.name, "namespace": schedule.namespace}
        due_at = last_due(schedule, now)
        period = period_due(schedule, due_at)
        try:
            data = await self._compose(period, namespace=schedule.namespace, now=now)
        except (StoreUnavailable, StoreBusy):
            raise
        except Exception:  # one report that cannot be made must not keep the others back
            log.exception("report.not_made", **said)
            return
        known = frozenset(channel.key for channel in await self._channels.list(namespace=schedule.namespace))
        notices = report_notices(schedule, period, data, addresses_of(schedule, known))
        is_sent = await self._store.send_report(
            one, next_at=next_due(schedule, now), last_at=due_at, notices=notices, term=term
        )
        if is_sent:
            log.info("report.made", **said, date=period.date, channels=len(notices))
            self._told()
