"""The facts of a report: sums over points of statistics, some twelve statements for any number of jobs and runs.

Jobs are added up and ranked in the database; what comes out are the leaders of each ranking, with the sums of all
beside them. Percentiles are read for these few alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from foliot.domain.alerts.level import AlertLevel
from foliot.domain.instants import Instant
from foliot.domain.reports.facts import CrowdedPoint, JobTally, NodeTally, ReportFacts, RunTally
from foliot.domain.statistics.figures import EVERY_JOB, EVERY_NODE, RunFigures
from foliot.domain.statistics.node_load import WHOLE_CLUSTER, NodeLoad
from foliot.ports.store.anomalies import AnomalyFilter
from foliot.ports.store.reports import ReportQuestion
from foliot.store.sql.alerts.alert_rows import COLUMNS, COUNTS, alert_of, is_known
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys
from foliot.store.sql.statistics import anomalies
from foliot.store.sql.statistics.figure_rows import VALUES, FigureRow, by_set_first, figures_of
from foliot.store.sql.statistics.node_loads import TOTALS
from foliot.store.sql.statistics.node_loads import figures_of as load_of

NODES_MAX: Final = 500
CROWDED_LOOKED_AT: Final = 60

_POINTS: Final = RowSet("d", period=BIGINT, resolution=BIGINT, start_at=BIGINT)
_HIGHEST: Final = ("took_max_us", "delay_max_us")
_PERIODS: Final = ("now", "before")  # 0 and 1 in a row of points
_WITHIN: Final = "AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = :namespace)"


def _joined_first(text: str) -> Mapping[str, str]:
    """As `by_set_first`, for joins of points with any table, and of jobs with what they have."""
    in_order = {"mysql": "STRAIGHT_JOIN", "sqlite": "CROSS JOIN"}
    return {
        name: text.replace("} JOIN", f"}} {join}").replace("own JOIN", f"own {join}") for name, join in in_order.items()
    }


class _Asked(NamedTuple):
    """A question about one namespace, and the same about all of them."""

    own: Statement
    every: Statement

    def of(self, namespace: str | None) -> Statement:
        return self.every if namespace is None else self.own


def _asked(text: str, *sets: RowSet, within: str = _WITHIN) -> _Asked:
    own, every = text.replace("{{within}}", within), text.replace("{{within}}", "")
    return _Asked(Statement(own, *sets, **_joined_first(own)), Statement(every, *sets, **_joined_first(every)))


def _of_period(function: str, column: str, nth: int) -> str:
    return f"{function}(CASE WHEN d.period = {nth} THEN s.{column} ELSE 0 END) AS {column}_{_PERIODS[nth]}"


_BY_JOB: Final = ", ".join(
    _of_period("max" if column in _HIGHEST else "sum", column, nth)
    for nth in range(len(_PERIODS))
    for column in RunTally._fields
)
_EACH: Final = ", ".join(f"f.{column}_{period}" for period in _PERIODS for column in RunTally._fields)
_TOTAL: Final = ", ".join(
    f"{'max' if column in _HIGHEST else 'sum'}(f.{column}_{period}) OVER () AS all_{column}_{period}"
    for period in _PERIODS
    for column in RunTally._fields
)
_RANKED: Final = {
    "failing": "f.failed_now",
    "slow": "f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END",
    "late": "f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END",
    "grown": "CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END",
}
_RANKS: Final = ", ".join(
    f"row_number() OVER (ORDER BY {by} DESC, f.job_id) AS by_{name}" for name, by in _RANKED.items()
)
JOBS: Final = _asked(
    f"""
    SELECT q.*, j.namespace, j.name FROM (
      SELECT f.job_id, {_EACH}, {_TOTAL},
        sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
        sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, {_RANKS}
      FROM (
        SELECT s.job_id, {_BY_JOB} FROM {{d}} JOIN stats s
        ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > {EVERY_JOB}
        WHERE s.is_part = 0 {{{{within}}}}
        GROUP BY s.job_id
      ) f
    ) q JOIN jobs j ON j.id = q.job_id
    WHERE {" OR ".join(f"q.by_{name} <= :top" for name in _RANKED)}
    """,
    _POINTS,
)
_FIGURES: Final = f"""
    SELECT {VALUES} FROM {{d}} JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0
"""
FIGURES: Final = Statement(
    _FIGURES, RowSet("d", resolution=BIGINT, start_at=BIGINT, job_id=BIGINT), **by_set_first(_FIGURES)
)
_CROWDED: Final = f"""
    SELECT s.start_at FROM {{d}} JOIN stats s
    ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = {EVERY_JOB} AND s.is_part = 0
       AND s.node = '{EVERY_NODE}'
    ORDER BY s.runs DESC, s.start_at LIMIT :rows
"""
CROWDED: Final = Statement(_CROWDED, RowSet("d", start_at=BIGINT), **by_set_first(_CROWDED))
CROWD: Final = _asked(
    f"""
    SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
    FROM {{d}} JOIN stats s
    ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id > {EVERY_JOB}
    WHERE s.is_part = 0 {{{{within}}}}
    GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT :rows
    """,
    RowSet("d", start_at=BIGINT),
)
_NODES: Final = f"""
    SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
    FROM {{d}} JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id {{{{of}}}} {EVERY_JOB}
    WHERE d.period = 0 AND s.node > '' {{{{within}}}}
    GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT :rows
"""
NODES: Final = _Asked(
    _asked(_NODES.replace("{{of}}", ">"), _POINTS).own,
    _asked(_NODES.replace("{{of}}", "="), _POINTS).every,  # the figures of nodes over all jobs
)
_LOADS: Final = f"""
    SELECT s.node, max(s.kind) AS kind, {TOTALS} FROM {{d}} JOIN node_loads s
    ON s.resolution = d.resolution AND s.start_at = d.start_at
    WHERE d.period = 0 GROUP BY s.node ORDER BY s.node LIMIT :rows
"""
LOADS: Final = Statement(_LOADS, _POINTS, **_joined_first(_LOADS))

# A row of skips is a range. What a period has of it is taken to be as large as its part of the range.
_SHARE: Final = """
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < :until THEN s.to_at ELSE :until END)
                     - (CASE WHEN s.from_at > :since THEN s.from_at ELSE :since END)) / (s.to_at - s.from_at) END
"""
_SKIPS: Final = f"""
    SELECT s.reason, sum(s.count * ({_SHARE})) AS instants
    FROM jobs own JOIN skips s ON s.job_id = own.id AND s.to_at >= :since
    WHERE s.from_at < :until {{{{within}}}} GROUP BY s.reason
"""
SKIPS: Final = _asked(_SKIPS, within="AND own.namespace = :namespace")

_FIRED: Final = "a.fired_at >= :since AND a.fired_at < :until {{within}}"
_OF_NAMESPACE: Final = "AND a.namespace = :namespace"
ALERT_COUNTS: Final = _asked(
    f"""
    SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
      SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
      WHERE a.resolved_at >= :since AND {_FIRED} GROUP BY a.level
      UNION ALL
      SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
      WHERE a.resolved_at IS NULL AND {_FIRED} GROUP BY a.level
    ) q GROUP BY q.level
    """,
    within=_OF_NAMESPACE,
)
_GRAVITY: Final = "CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"
ALERTS: Final = _asked(
    f"""
    SELECT {COLUMNS}, {COUNTS} FROM alerts a
    WHERE (a.resolved_at >= :since OR a.resolved_at IS NULL) AND {_FIRED}
    ORDER BY {_GRAVITY}, a.id DESC LIMIT :rows
    """,
    within=_OF_NAMESPACE,
)
COUNT_OF_JOBS: Final = _asked(
    """
    SELECT count(*) AS jobs,
           coalesce(sum(CASE WHEN own.created_at >= :since AND own.created_at < :until THEN 1 ELSE 0 END), 0) AS fresh
    FROM jobs own WHERE own.deleted_at = 0 {{within}}
    """,
    within="AND own.namespace = :namespace",
)


def facts(tx: Tx, asked: ReportQuestion) -> ReportFacts:
    """All of them, without the figures of the leaders: `with_figures` adds these."""
    found = _sums(tx, asked)
    counted = tx.rows(COUNT_OF_JOBS.of(asked.namespace), _values(asked))[0]
    fired = tx.rows(ALERT_COUNTS.of(asked.namespace), _values(asked))
    listed = tx.rows(ALERTS.of(asked.namespace), {**_values(asked), "rows": asked.top})
    wanted = AnomalyFilter(namespace=asked.namespace, since=asked.from_at, until=asked.to_at)
    return replace(
        found,
        jobs=int(counted.jobs),
        jobs_new=int(counted.fresh),
        crowded=_crowded(tx, asked),
        crowded_by=asked.crowded_by,
        nodes=_nodes(tx, asked),
        loads=_loads(tx, asked) if asked.with_loads else {},
        skips=_skips(tx, asked),
        alerts={AlertLevel(row.level): int(row.fired) for row in fired if row.level in _LEVELS},
        alerts_open=sum(int(row.still) for row in fired),
        alert_list=[alert_of(row) for row in listed if is_known(row)],
        anomalies=anomalies.listed(tx, wanted, before_id=None, limit=asked.top),
    )


_LEVELS: Final = frozenset(map(str, AlertLevel))


def figures_of_leaders(tx: Tx, asked: ReportQuestion, job_ids: Sequence[int]) -> Sequence[Sequence[Any]]:
    """Rows of figures of some jobs, for `merged`."""
    wanted = [(int(resolution), start_at, job_id) for resolution, start_at in asked.points for job_id in job_ids]
    rows: list[Sequence[Any]] = []
    for first in range(0, len(wanted), tx.dialect.max_rowset):
        rows += tx.tuples(FIGURES, d=wanted[first : first + tx.dialect.max_rowset])
    return rows


def merged(rows: Sequence[Sequence[Any]]) -> Mapping[int, RunFigures]:
    """Rows of figures, added up by job. It takes long: call it beside the event loop."""
    found: dict[int, RunFigures] = {}
    for row in map(FigureRow._make, rows):
        found.setdefault(row.job_id, RunFigures()).merge(figures_of(row))
    return found


def _sums(tx: Tx, asked: ReportQuestion) -> ReportFacts:
    """The sums of all jobs, and the jobs that lead a ranking."""
    rows = tx.rows(JOBS.of(asked.namespace), {**_values(asked), "top": asked.top}, d=_points(asked))
    if not rows:
        return ReportFacts()
    first = rows[0]
    return ReportFacts(
        now=_tally(first, "all_{}_now"),
        before=_tally(first, "all_{}_before"),
        jobs_ran=int(first.ran_now),
        jobs_ran_before=int(first.ran_before),
        leaders=[
            JobTally(int(row.job_id), row.namespace, row.name, _tally(row, "{}_now"), _tally(row, "{}_before"))
            for row in rows
        ],
    )


def _crowded(tx: Tx, asked: ReportQuestion) -> Sequence[CrowdedPoint]:
    """Of the points in which most runs of the cluster ended, those with most runs of the report's own jobs."""
    by = {"resolution": int(asked.crowded_by)}
    starts = asked.crowded_by.starts(asked.from_at, asked.to_at)
    found = tx.rows(CROWDED, {**by, "rows": CROWDED_LOOKED_AT}, d=keys(starts))
    looked_at = sorted(row.start_at for row in found)
    values = {**_values(asked), **by, "rows": asked.top}
    rows = tx.found(CROWD.of(asked.namespace), values, d=keys(looked_at))
    return [_crowded_point(row) for row in rows]


def _crowded_point(row: Any) -> CrowdedPoint:
    return CrowdedPoint(row.start_at, int(row.runs), int(row.jobs), int(row.delay_max_us))


def _nodes(tx: Tx, asked: ReportQuestion) -> Sequence[NodeTally]:
    rows = tx.rows(NODES.of(asked.namespace), {**_values(asked), "rows": NODES_MAX}, d=_points(asked))
    return [NodeTally(row.node, int(row.runs), int(row.failed), int(row.took_us)) for row in rows]


def _loads(tx: Tx, asked: ReportQuestion) -> Mapping[str, NodeLoad]:
    rows = tx.tuples(LOADS, {"rows": NODES_MAX}, d=_points(asked))
    return {str(node): load_of(str(kind), numbers) for node, kind, *numbers in rows if node != WHOLE_CLUSTER}


def _skips(tx: Tx, asked: ReportQuestion) -> Mapping[str, int]:
    rows = tx.rows(SKIPS.of(asked.namespace), _values(asked))
    return {str(row.reason): max(1, round(row.instants)) for row in rows}


def _values(asked: ReportQuestion) -> dict[str, Any]:
    """Values by name; a statement takes those that it names."""
    return {"namespace": asked.namespace, "since": asked.from_at, "until": asked.to_at}


def _points(asked: ReportQuestion) -> list[tuple[int, int, Instant]]:
    both = (asked.points, asked.points_before)
    return [(nth, int(resolution), start_at) for nth, points in enumerate(both) for resolution, start_at in points]


def _tally(row: Any, name: str) -> RunTally:
    return RunTally(*(int(getattr(row, name.format(column))) for column in RunTally._fields))
