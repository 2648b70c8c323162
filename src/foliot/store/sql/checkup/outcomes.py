"""How the latest runs of jobs ended: those that failed most often in the last hour, beside their own past.

The past is that of the statistics: the days before today. A young job has more of it in its newest runs.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from foliot.domain.checkup.facts import JobOutcomes
from foliot.domain.instants import HOUR
from foliot.domain.statistics.resolution import Resolution
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement
from foliot.store.sql.statistics.figure_rows import by_set_first

NEWEST_LOOKED_AT: Final = 2000
RUNS_OF_A_JOB: Final = 500
DAYS_BEFORE: Final = 28

FAILING: Final = Statement(
    f"""
    SELECT n.job_id, j.namespace, j.name, count(*) AS failed FROM (
      SELECT job_id, state, ended_at FROM runs ORDER BY id DESC LIMIT {NEWEST_LOOKED_AT}
    ) n JOIN jobs j ON j.id = n.job_id
    WHERE n.state = 'FAILED' AND n.ended_at >= {{now}} - {HOUR} AND j.deleted_at = 0
    GROUP BY n.job_id, j.namespace, j.name ORDER BY failed DESC, n.job_id LIMIT :rows
    """
)
"""Among the newest runs of all jobs: there is no index by the end of a run, and none is worth its price."""

ENDED: Final = Statement(
    f"""
    SELECT n.state, n.recent, count(*) AS runs FROM (
      SELECT state, CASE WHEN ended_at >= {{now}} - {HOUR} THEN 1 ELSE 0 END AS recent
      FROM runs WHERE job_id = :job ORDER BY id DESC LIMIT {RUNS_OF_A_JOB}
    ) n WHERE n.state IN ('SUCCEEDED', 'FAILED')
    GROUP BY n.state, n.recent
    """
)


_USUAL: Final = f"""
    SELECT s.job_id, sum(s.succeeded) AS succeeded, sum(s.failed) AS failed FROM {{d}} JOIN stats s
    ON s.resolution = {int(Resolution.DAY)} AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0
    GROUP BY s.job_id
"""
USUAL: Final = Statement(_USUAL, RowSet("d", start_at=BIGINT, job_id=BIGINT), **by_set_first(_USUAL))


class _Ends(NamedTuple):
    succeeded: int
    failed: int


def outcomes(tx: Tx, *, limit: int) -> Sequence[JobOutcomes]:
    """The jobs that failed most often in the last hour, with the outcomes of their latest runs and of their past."""
    failing = tx.rows(FAILING, {"rows": limit})
    usual = _usual(tx, [job.job_id for job in failing])
    found: list[JobOutcomes] = []
    for job in failing:
        ended = tx.rows(ENDED, {"job": job.job_id})
        runs = {(row.state, int(row.recent)): int(row.runs) for row in ended}
        newest_before = _Ends(runs.get(("SUCCEEDED", 0), 0), runs.get(("FAILED", 0), 0))
        before = max(usual.get(job.job_id, newest_before), newest_before, key=sum)
        found.append(
            JobOutcomes(
                namespace=job.namespace,
                name=job.name,
                succeeded=runs.get(("SUCCEEDED", 1), 0),
                failed=runs.get(("FAILED", 1), 0),
                succeeded_before=before.succeeded,
                failed_before=before.failed,
            )
        )
    return found


def _usual(tx: Tx, job_ids: Collection[int]) -> Mapping[int, _Ends]:
    """How the runs of these jobs ended on the days before today, by the statistics."""
    if not job_ids:
        return {}
    today = Resolution.DAY.start_of(tx.now())
    days = [today - back * Resolution.DAY.length_us for back in range(1, DAYS_BEFORE + 1)]
    wanted = [(day, job_id) for day in days for job_id in job_ids]
    return {row.job_id: _Ends(int(row.succeeded), int(row.failed)) for row in tx.rows(USUAL, d=wanted)}
