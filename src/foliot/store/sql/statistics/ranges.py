"""Figures read for people, for forecasts and for routes.

The key of `stats` begins with the time, so that new figures stand together and old ones go together. The starts of a
range are known, so a job's figures are found by their keys, one look for each start.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Micros
from foliot.domain.statistics.figures import EVERY_JOB, EndedRun, Minutes, count
from foliot.domain.statistics.pace import HOURS, WorkerHour, pace_us
from foliot.domain.statistics.resolution import Resolution
from foliot.ports.store.statistics import FigurePoint, FigurePoints
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.statistics.figure_rows import VALUES, FigureRow, by_set_first, figures_of
from foliot.store.sql.statistics.uncounted_runs import progress, uncounted

UNCOUNTED_MAX: Final = 2000
"""The newest runs of a job, not counted yet, that an answer adds."""
TRIES: Final = 3

_OF_JOB: Final = f"""
    SELECT {VALUES} FROM {{d}} JOIN stats s
    ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = :job_id LIMIT :rows
"""
OF_JOB: Final = Statement(_OF_JOB, RowSet("d", start_at=BIGINT), **by_set_first(_OF_JOB))

_OF_NODE: Final = f"""
    SELECT {VALUES} FROM {{d}} JOIN stats s
    ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = {EVERY_JOB} AND s.is_part = 0
       AND s.node = :node
"""
OF_NODE: Final = Statement(_OF_NODE, RowSet("d", start_at=BIGINT), **by_set_first(_OF_NODE))

_PACES: Final = f"""
    SELECT s.job_id, s.node, s.start_at, s.succeeded, s.failed, s.took, s.took_us, s.delays, s.delay_us
    FROM {{d}} JOIN stats s
    ON s.resolution = {int(Resolution.HOUR)} AND s.start_at = d.start_at AND s.job_id = d.job_id
    WHERE s.took > 0 AND s.node > ''
"""
PACES: Final = Statement(_PACES, RowSet("d", start_at=BIGINT, job_id=BIGINT), **by_set_first(_PACES))

USUAL_DAYS: Final = 7

_SLOT_TIMES: Final = f"""
    SELECT s.job_id, sum(CASE WHEN s.is_part = 0 THEN s.runs ELSE 0 END) AS runs,
           sum(CASE WHEN s.node > '' THEN s.took_us ELSE 0 END) AS busy_us
    FROM {{d}} JOIN stats s
    ON s.resolution = {int(Resolution.DAY)} AND s.start_at = d.start_at AND s.job_id = d.job_id
    GROUP BY s.job_id
"""
SLOT_TIMES: Final = Statement(_SLOT_TIMES, RowSet("d", start_at=BIGINT, job_id=BIGINT), **by_set_first(_SLOT_TIMES))
"""Of a sharded run the shards have slots, and the run itself has none."""


class JobRows(NamedTuple):
    """What the store has of a job: rows of figures, and the runs that ended since the last round of counting."""

    rows: Sequence[Sequence[Any]]
    fresh: Sequence[EndedRun]


def of_job(tx: Tx, job_id: int, resolution: Resolution, starts: range, *, limit: int) -> JobRows:
    """A job's figures as they stand in the store, one more than `limit` at most.

    A round between two of the statements would count a run twice, or not at all. Then all is read again.
    """
    asked = {"resolution": int(resolution), "job_id": job_id, "rows": limit + 1}
    seen = progress(tx)
    for tries_left in reversed(range(TRIES)):
        rows = tx.tuples(OF_JOB, asked, d=keys(starts))
        fresh = uncounted(tx, job_id, after_id=seen.counted_id, limit=UNCOUNTED_MAX)
        before, seen = seen, progress(tx)
        if before.ver == seen.ver or not tries_left:
            break
    return JobRows(rows, fresh)


def points_of(found: JobRows, resolution: Resolution, starts: range, *, limit: int) -> FigurePoints:
    """The figures of a job; none when there are more than the limit. It takes long: call it beside the event loop."""
    if len(found.rows) > limit:
        return FigurePoints((), is_whole=False)
    points = [_point(FigureRow._make(row)) for row in found.rows]
    minutes: Minutes = {}
    asked = (run for run in found.fresh if starts and starts[0] <= run.ended_at < starts[-1] + resolution.length_us)
    count(minutes, asked)
    for key, figures in minutes.items():
        start_at = resolution.start_of(key.start_at)
        points.append(FigurePoint(start_at, bool(key.is_part), key.node, figures))
    return FigurePoints(points, is_whole=True)


def of_node(tx: Tx, node: str, resolution: Resolution, starts: range) -> Sequence[FigurePoint]:
    """A node's figures."""
    asked = {"resolution": int(resolution), "node": node}
    return [_point(FigureRow._make(row)) for row in tx.tuples(OF_NODE, asked, d=keys(starts))]


def paces(tx: Tx, job_ids: Collection[int]) -> dict[int, dict[str, Micros]]:
    """The pace of each worker at these jobs, by job and by its name."""
    this_hour = Resolution.HOUR.start_of(tx.now())
    hour_us = Resolution.HOUR.length_us
    wanted = [(this_hour - back * hour_us, job_id) for back in range(HOURS) for job_id in sorted(job_ids)]
    hours: dict[tuple[int, str], list[WorkerHour]] = defaultdict(list)
    for job_id, node, start_at, *sums in tx.tuples(PACES, d=wanted) if wanted else ():
        hours[job_id, node].append(WorkerHour((this_hour - start_at) // hour_us, *sums))
    found: dict[int, dict[str, Micros]] = {job_id: {} for job_id in job_ids}
    for (job_id, node), known in hours.items():
        pace = pace_us(known)
        if pace is not None:
            found[job_id][node] = pace
    return found


def slot_times(tx: Tx, job_ids: Collection[int]) -> dict[int, Micros]:
    """How long a run of each of these jobs keeps slots, its shards together: the mean of the last days."""
    day_us = Resolution.DAY.length_us
    today = Resolution.DAY.start_of(tx.now())
    wanted = [(today - back * day_us, job_id) for back in range(USUAL_DAYS) for job_id in sorted(job_ids)]
    rows = tx.tuples(SLOT_TIMES, d=wanted) if wanted else ()
    return {job_id: int(busy_us) // int(runs) for job_id, runs, busy_us in rows if runs}


def _point(row: FigureRow) -> FigurePoint:
    return FigurePoint(row.start_at, bool(row.is_part), row.node, figures_of(row))
