"""How the latest runs of jobs ended: those that failed most often in the last hour, beside their own past."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.checkup.facts import JobOutcomes
from foliot.domain.instants import HOUR
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

NEWEST_LOOKED_AT: Final = 2000
RUNS_OF_A_JOB: Final = 500

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


def outcomes(tx: Tx, *, limit: int) -> Sequence[JobOutcomes]:
    """The jobs that failed most often in the last hour, with the outcomes of their latest runs."""
    found: list[JobOutcomes] = []
    for job in tx.rows(FAILING, {"rows": limit}):
        ended = tx.rows(ENDED, {"job": job.job_id})
        runs = {(row.state, int(row.recent)): int(row.runs) for row in ended}
        found.append(
            JobOutcomes(
                namespace=job.namespace,
                name=job.name,
                succeeded=runs.get(("SUCCEEDED", 1), 0),
                failed=runs.get(("FAILED", 1), 0),
                succeeded_before=runs.get(("SUCCEEDED", 0), 0),
                failed_before=runs.get(("FAILED", 0), 0),
            )
        )
    return found
