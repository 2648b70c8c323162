"""Reports on SQL (`ports.store.reports.ReportStore`)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from foliot.domain.alerts.alert import Notice
from foliot.domain.instants import Instant
from foliot.domain.reports.facts import ReportFacts
from foliot.domain.reports.schedule import ReportSchedule
from foliot.ports.store.actor import Actor
from foliot.ports.store.reports import KeptSchedule, ReportQuestion
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.statistics import report_facts
from foliot.store.sql.statistics import report_schedules as kept


class SqlReports:
    """On the connections of the API: a report can wait, firing and leasing cannot."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def facts(self, asked: ReportQuestion) -> ReportFacts:
        found = await self._database.read(lambda tx: report_facts.facts(tx, asked))
        job_ids = [one.job_id for one in found.leaders]
        if not job_ids:
            return found
        rows = await self._database.read(lambda tx: report_facts.figures_of_leaders(tx, asked, job_ids))
        return replace(found, figures=await asyncio.to_thread(report_facts.merged, rows))

    async def schedules(self, *, namespace: str | None) -> Sequence[KeptSchedule]:
        return await self._database.read(lambda tx: kept.schedules(tx, namespace))

    async def find_schedule(self, name: str, *, namespace: str | None) -> KeptSchedule | None:
        return await self._database.read(lambda tx: kept.find(tx, name, namespace))

    async def save_schedule(self, schedule: ReportSchedule, *, next_at: Instant | None, by: Actor) -> KeptSchedule:
        return await self._database.transact(lambda tx: kept.save(tx, schedule, next_at=next_at, by=by), pool=Pool.API)

    async def remove_schedule(self, name: str, *, namespace: str | None) -> bool:
        return await self._database.transact(lambda tx: kept.remove(tx, name, namespace), pool=Pool.API)

    async def next_report_at(self) -> Instant | None:
        found = await self._database.read(lambda tx: tx.value(kept.NEXT))
        return None if found is None else int(found)

    async def due_schedules(self, *, until: Instant, limit: int) -> Sequence[KeptSchedule]:
        return await self._database.read(lambda tx: kept.due(tx, until, limit))

    async def send_report(
        self,
        seen: KeptSchedule,
        *,
        next_at: Instant | None,
        last_at: Instant,
        notices: Sequence[Notice],
        term: int | None,
    ) -> bool:
        def work(tx: Tx) -> bool:
            return kept.send(tx, seen, next_at=next_at, last_at=last_at, notices=notices, term=term)

        return await self._database.transact(work, pool=Pool.API)
