"""Jobs by how their latest runs went: which failed most, which take longest.

Judged are the newest runs of the whole cluster, a bounded number of them, so a page costs the same for any history.
Tests among them do not count.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from foliot.domain.instants import Micros
from foliot.domain.statistics.sketch import percentile
from foliot.ports.store.lookups import JobRank
from foliot.store.sql.firing.follow import is_no_test
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.paging import from_cursor, to_cursor
from foliot.store.sql.kernel.statement import Statement

RUNS_JUDGED: Final = 10_000
SORTS: Final = ("fails", "p95")

LATEST: Final = Statement(
    f"""
    SELECT q.job_id, q.state, q.ended_at - q.started_at AS took FROM (
      SELECT job_id, state, started_at, ended_at, follow FROM runs ORDER BY id DESC LIMIT {RUNS_JUDGED}
    ) q
    WHERE q.state IN ('SUCCEEDED', 'FAILED') AND {is_no_test("q")}
    """
)


class Ranked(NamedTuple):
    """A job's place in a ranking: by `value`, the greatest first."""

    id: int
    value: int
    rank: JobRank


def ranked(tx: Tx, sort: str, look: int, cursor: str | None) -> Sequence[Ranked]:
    """The next jobs of a ranking; those the latest runs say nothing of are not in it."""
    every = [_ranked(job_id, rank, sort) for job_id, rank in _ranks(tx).items()]
    judged = [one for one in every if one.value > 0]
    in_order = sorted(judged, key=_order)
    key = from_cursor(cursor, sort, int, int)
    if key is not None:
        value, job_id = key
        in_order = [one for one in in_order if _order(one) > (-value, job_id)]
    return in_order[:look]


def cursor_of(sort: str, last: Ranked) -> str:
    """Go on behind this one."""
    return to_cursor(sort, last.value, last.id)


def _order(one: Ranked) -> tuple[int, int]:
    return -one.value, one.id


def _ranked(job_id: int, rank: JobRank, sort: str) -> Ranked:
    return Ranked(job_id, rank.failed if sort == "fails" else rank.p95_us or 0, rank)


def _ranks(tx: Tx) -> dict[int, JobRank]:
    took: dict[int, list[Micros]] = defaultdict(list)
    runs: dict[int, int] = defaultdict(int)
    failed: dict[int, int] = defaultdict(int)
    for row in tx.rows(LATEST):
        runs[row.job_id] += 1
        failed[row.job_id] += row.state == "FAILED"
        if row.took is not None:
            took[row.job_id].append(int(row.took))
    return {
        job_id: JobRank(runs=count, failed=failed[job_id], p95_us=percentile(took[job_id], 0.95))
        for job_id, count in runs.items()
    }
