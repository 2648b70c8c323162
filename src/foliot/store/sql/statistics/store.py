"""Statistics on SQL (`ports.store.statistics.StatisticsStore`)."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from foliot.domain.anomalies.anomaly import Anomaly
from foliot.domain.instants import Instant, Micros
from foliot.domain.statistics.node_load import LoadPoint, NodeLoad
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.anomalies import AnomalyFilter, JudgingPage, JudgingProgress
from foliot.ports.store.node_loads import LoadProgress
from foliot.ports.store.statistics import (
    Counted,
    CountProgress,
    FigurePoint,
    FigurePoints,
    LeftPage,
    RunsPassed,
)
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.statistics import anomalies, figure_rows, node_loads, ranges, uncounted_runs


class SqlStatistics:
    """All of it on the connections of the API: counting can wait, firing and leasing cannot."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def progress(self) -> CountProgress:
        return await self._database.read(uncounted_runs.progress)

    async def passed(self, *, after_id: int, until_id: int, limit: int) -> RunsPassed:
        return await self._database.read(
            lambda tx: uncounted_runs.passed(tx, after_id=after_id, until_id=until_id, limit=limit)
        )

    async def left(self, *, limit: int) -> Sequence[LeftPage]:
        return await self._database.read(lambda tx: uncounted_runs.left(tx, limit=limit))

    async def found(self, run_ids: Sequence[int]) -> RunsPassed:
        return await self._database.read(lambda tx: uncounted_runs.found(tx, run_ids))

    async def add(self, seen: CountProgress, counted: Counted, *, term: int | None) -> bool:
        return await self._database.transact(lambda tx: figure_rows.add(tx, seen, counted, term=term), pool=Pool.API)

    async def forget(self, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
        return await self._database.transact(
            lambda tx: figure_rows.forget(tx, resolution, before=before, limit=limit, term=term), pool=Pool.API
        )

    async def of_job(self, job_id: int, resolution: Resolution, starts: range, *, limit: int) -> FigurePoints:
        found = await self._database.read(lambda tx: ranges.of_job(tx, job_id, resolution, starts, limit=limit))
        return await asyncio.to_thread(ranges.points_of, found, resolution, starts, limit=limit)

    async def of_node(self, node: str, resolution: Resolution, starts: range) -> Sequence[FigurePoint]:
        return await self._database.read(lambda tx: ranges.of_node(tx, node, resolution, starts))

    async def paces(self, job_ids: Sequence[int]) -> Mapping[int, Mapping[str, Micros]]:
        return await self._database.read(lambda tx: ranges.paces(tx, job_ids))

    async def slot_times(self, job_ids: Sequence[int]) -> Mapping[int, Micros]:
        return await self._database.read(lambda tx: ranges.slot_times(tx, job_ids))

    async def load_progress(self) -> LoadProgress:
        return await self._database.read(node_loads.progress)

    async def add_minute(
        self, progress: LoadProgress, nodes: Mapping[str, NodeLoad], *, since: Instant, term: int | None
    ) -> bool:
        return await self._database.transact(
            lambda tx: node_loads.add_minute(tx, progress, nodes, since=since, term=term), pool=Pool.API
        )

    async def load_of(self, node: str, resolution: Resolution, starts: range) -> Sequence[LoadPoint]:
        return await self._database.read(lambda tx: node_loads.of_node(tx, node, resolution, starts))

    async def loads(self, resolution: Resolution, starts: range, *, limit: int) -> Mapping[str, NodeLoad]:
        return await self._database.read(lambda tx: node_loads.of_all(tx, resolution, starts, limit=limit))

    async def forget_loads(self, resolution: Resolution, *, before: Instant, limit: int, term: int | None) -> bool:
        return await self._database.transact(
            lambda tx: node_loads.forget(tx, resolution, before=before, limit=limit, term=term), pool=Pool.API
        )

    async def judging_progress(self) -> JudgingProgress:
        return await self._database.read(anomalies.progress)

    async def judging_page(self, hour_at: Instant, *, after_id: int, limit: int, excused_since: Instant) -> JudgingPage:
        def work(tx: Tx) -> Sequence[Sequence[Any]]:
            return anomalies.page(tx, hour_at, after_id=after_id, limit=limit, excused_since=excused_since)

        rows = await self._database.read(work)
        return await asyncio.to_thread(anomalies.page_of, rows, limit=limit)

    async def keep_course(
        self,
        seen: JudgingProgress,
        *,
        hour_at: Instant,
        after_id: int,
        opened: Sequence[Anomaly],
        changed: Sequence[Anomaly],
        term: int | None,
    ) -> bool:
        def work(tx: Tx) -> bool:
            return anomalies.keep(
                tx, seen, hour_at=hour_at, after_id=after_id, opened=opened, changed=changed, term=term
            )

        return await self._database.transact(work, pool=Pool.API)

    async def anomalies(self, wanted: AnomalyFilter, *, before_id: int | None, limit: int) -> Sequence[Anomaly]:
        return await self._database.read(lambda tx: anomalies.listed(tx, wanted, before_id=before_id, limit=limit))

    async def forget_anomalies(self, *, before: Instant, limit: int, term: int | None) -> int:
        return await self._database.transact(
            lambda tx: anomalies.forget(tx, before=before, limit=limit, term=term), pool=Pool.API
        )
