"""How many runs of a job wait, of jobs that limit that (`max_waiting`).

Asked after the job's cursor was bumped or locked in the same transaction: whoever makes runs of the job stands behind
that write, so what is counted can only shrink until the transaction ends, and two servers never pass a limit together.
A run waits until a worker took it for the first time. Tests and the runs of backfills, which are paced, do not count.
"""

from collections.abc import Mapping
from typing import Final

from foliot.domain.job import LoadedJob
from foliot.store.sql.firing.line import IS_OPEN, IS_WAITING
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

_HEAD: Final = """
    SELECT h.place FROM runs h
    WHERE h.job_id = d.job_id AND h.state IN ('PENDING', 'RUNNING') AND h.shard = -1 AND h.place IS NOT NULL
    ORDER BY h.place, h.id LIMIT 1
"""
_NONE_TAKEN: Final = "NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = r.id AND c.attempt > 0)"
_SERIAL_PARENT: Final = f"{IS_OPEN} AND r.open_children > 0 AND r.serial <> 0"
_PARENTS_WAITING_MARIADB: Final = f"""
    sum({_SERIAL_PARENT}) - coalesce(min(CASE WHEN {_SERIAL_PARENT} THEN r.place END) = min(r.place), 0)
    + sum({IS_OPEN} AND r.open_children > 0 AND r.serial = 0 AND {_NONE_TAKEN})
"""

QUEUED: Final = Statement(
    f"""
    SELECT d.job_id, (
      SELECT count(*) FROM (
        SELECT 1 AS one FROM runs r
        WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.parent_id IS NULL
              AND {IS_OPEN} AND (({IS_WAITING}) OR (r.open_children > 0 AND CASE WHEN r.serial = 0 THEN {_NONE_TAKEN}
                                                                                 ELSE r.place > ({_HEAD}) END))
        LIMIT :most
      ) q
    ) FROM {{d}}
    """,
    RowSet("d", job_id=BIGINT),
    mysql=f"""
    SELECT d.job_id,
      coalesce((SELECT sum({IS_OPEN} AND {IS_WAITING}) + {_PARENTS_WAITING_MARIADB}
                FROM runs r WHERE r.line_job = d.job_id AND r.parent_id IS NULL), 0)
      + coalesce(later.runs, 0)
    FROM {{d}}
    LEFT JOIN (SELECT r.job_id, count(*) AS runs FROM runs r FORCE INDEX (runs_later)
               WHERE :with_later = 1 AND r.waits = 2 AND r.shard = -1 AND {IS_OPEN} AND r.attempt = 0
               GROUP BY r.job_id) later ON later.job_id = d.job_id
    """,
)
"""A sharded run is RUNNING from its first moment. One of a serial job waits as long as it is not the head of its line,
one that may overlap until a worker took one of its shards. Runs for later of serial and sharded jobs stand outside the
line: on MariaDB in an index of their own, which is read once for all jobs. An index of them by job would cost an entry
for every run that ever was, for a few jobs that are limited and serial or sharded."""


class Queues:
    """The waiting runs of limited jobs, and whether one more may join them."""

    def __init__(self, most: Mapping[int, int], waiting: dict[int, int]) -> None:
        self._most = most
        self.waiting = waiting

    @classmethod
    def of(cls, tx: Tx, jobs: Mapping[int, LoadedJob]) -> "Queues":
        """Of those of these jobs that have a limit; the others cost nothing."""
        most: dict[int, int] = {}
        with_later = False
        for job_id, job in jobs.items():
            definition = job.definition
            if definition.max_waiting is not None:
                most[job_id] = definition.max_waiting
                with_later |= definition.is_serial or definition.shards != 0
        if not most:
            return cls({}, {})
        values = {"most": max(most.values()), "with_later": int(with_later)}
        found = tx.pairs(QUEUED, values, d=keys(most))
        waiting = {job_id: int(count) for job_id, count in found.items()}
        return cls(most, waiting)

    def full_at(self, job_id: int) -> int | None:
        """The limit that keeps another run of this job from waiting; None: there is room."""
        most = self._most.get(job_id)
        return most if most is not None and self.waiting.get(job_id, 0) >= most else None

    def join(self, job_id: int) -> None:
        """One more waits."""
        if job_id in self._most:
            self.waiting[job_id] = self.waiting.get(job_id, 0) + 1
