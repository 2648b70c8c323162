"""Rounds of alerts in SQL (`ports.store.alert_rounds.AlertRoundStore`)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from foliot.domain.alerts.decision import Decision
from foliot.domain.instants import Instant, Micros
from foliot.ports.store.alert_rounds import (
    AlertsRecorded,
    AnomalySeen,
    EndedLately,
    FailureQuestion,
    JobPolicy,
    LiveRuns,
    RoundLook,
    SubjectJob,
)
from foliot.store.sql.alerts import looks, questions
from foliot.store.sql.alerts.record import Outrun, record
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.jobs import job_alerts
from foliot.store.sql.kernel.database import Database, Pool, Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

OLD: Final = Statement(
    """
    SELECT a.id, 1 AS is_alert FROM (
      SELECT id FROM alerts WHERE resolved_at < :before ORDER BY resolved_at, id LIMIT :rows
    ) a
    UNION ALL
    SELECT s.id, 0 FROM (SELECT id FROM silences WHERE until < :before ORDER BY until, id LIMIT :rows) s
    """
)
FORGET_SUBJECTS: Final = Statement(
    "DELETE FROM alert_subjects WHERE alert_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)
FORGET: Final = Statement("DELETE FROM alerts WHERE id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT))
FORGET_SILENCES: Final = Statement("DELETE FROM silences WHERE id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT))


class SqlAlertRounds:
    """`ports.store.alert_rounds.AlertRoundStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def look(self, *, asks_jobs: bool, signs_max: int) -> RoundLook:
        work = partial(looks.look, asks_jobs=asks_jobs, signs_max=signs_max)
        return await self._database.read(work, pool=Pool.CONTROL)

    async def live(self, *, late_us: Micros | None, slower_us: Micros | None) -> Sequence[LiveRuns]:
        work = partial(looks.live, late_us=late_us, slower_us=slower_us)
        return await self._database.read(work, pool=Pool.CONTROL)

    async def undecided(self) -> Sequence[LiveRuns]:
        return await self._database.read(looks.undecided, pool=Pool.CONTROL)

    async def jobs(self, job_ids: Sequence[int]) -> Mapping[int, SubjectJob]:
        return await self._database.read(partial(looks.jobs, job_ids=job_ids), pool=Pool.CONTROL)

    async def silent(self, *, for_us: Micros, now: Instant) -> Sequence[tuple[int, Instant | None]]:
        return await self._database.read(partial(questions.silent, for_us=for_us, now=now), pool=Pool.CONTROL)

    async def anomalies(self, *, limit: int) -> Sequence[AnomalySeen]:
        return await self._database.read(partial(looks.anomalies, limit=limit), pool=Pool.CONTROL)

    async def failures(self, asked: Sequence[FailureQuestion]) -> Mapping[FailureQuestion, int]:
        return await self._database.read(partial(questions.failures, asked=asked), pool=Pool.CONTROL)

    async def percentiles(
        self, job_ids: Sequence[int], *, since: Instant, now: Instant
    ) -> Mapping[int, Mapping[int, Micros]]:
        work = partial(questions.percentiles, job_ids=job_ids, since=since, now=now)
        return await self._database.read(work, pool=Pool.CONTROL)

    async def ended_lately(self, names: Sequence[str], *, now: Instant) -> Sequence[EndedLately]:
        return await self._database.read(partial(questions.ended_lately, names=names, now=now), pool=Pool.CONTROL)

    async def policies(self) -> Sequence[JobPolicy]:
        return await self._database.read(questions.policies, pool=Pool.CONTROL)

    async def repair_policies(self, *, after: int, window: int, term: int) -> int | None:
        def work(tx: Tx) -> int | None:
            return job_alerts.repair(tx, after=after, window=window, may_write=lambda: holds_term(tx, term))

        return await self._database.transact(work)

    async def acted_lately(self, rules: Sequence[str]) -> Mapping[str, int]:
        return await self._database.read(partial(questions.acted_lately, rules=rules), pool=Pool.CONTROL)

    async def record(self, decision: Decision, *, signs: Sequence[int], term: int) -> AlertsRecorded:
        try:
            ids = await self._database.transact(partial(record, decision=decision, signs=signs, term=term))
        except Outrun:
            return AlertsRecorded(is_kept=False)
        return AlertsRecorded(is_kept=True, ids=ids)

    async def forget(self, *, before: Instant, limit: int, term: int) -> int:
        return await self._database.transact(partial(_forget, before=before, limit=limit, term=term))


def _forget(tx: Tx, *, before: Instant, limit: int, term: int) -> int:
    found = tx.tuples(OLD, {"before": before, "rows": limit})
    old = sorted(int(one) for one, is_alert in found if is_alert)
    silences = sorted(int(one) for one, is_alert in found if not is_alert)
    if not (old or silences) or not holds_term(tx, term):
        return 0
    if old:
        tx.change(FORGET_SUBJECTS, d=keys(old))
        tx.change(FORGET, d=keys(old))
    if silences:
        tx.change(FORGET_SILENCES, d=keys(silences))
    return len(old) + len(silences)
