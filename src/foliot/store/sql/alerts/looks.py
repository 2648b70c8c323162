"""The looks of a round of alerts: what there is to read, signs of failures, open alerts, runs that wait or run long."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from foliot.domain.alerts.decision import KnownAlert, KnownSubject
from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.instants import Micros
from foliot.domain.job import DEFAULT_GROUP
from foliot.ports.store.alert_rounds import (
    LIVE_MAX,
    AlertMarks,
    AnomalySeen,
    FailureSeen,
    LiveRuns,
    RoundLook,
    SubjectJob,
)
from foliot.ports.store.heartbeats import DOWN_MAX
from foliot.store.sql.alerts import heartbeat_rows
from foliot.store.sql.alerts.alert_rows import COLUMNS, SUBJECT_COLUMNS, alert_of, is_known, told_of
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

KNOWN_PAGE: Final = 5000  # rows of open alerts and their subjects, ten times what one alert can have

MARKS: Final = Statement(
    """
    SELECT {now} AS now,
      (SELECT count(*) FROM alert_rules) AS rules, (SELECT coalesce(max(updated_at), 0) FROM alert_rules) AS rules_at,
      (SELECT count(*) FROM silences WHERE until > {now} AND ended_by IS NULL) AS silences,
      (SELECT coalesce(max(id), 0) FROM silences) AS silence_id,
      (SELECT count(*) FROM channels) AS channels, (SELECT coalesce(max(updated_at), 0) FROM channels) AS channels_at,
      (SELECT count(*) FROM job_alerts) AS jobs, (SELECT coalesce(max(saved_at), 0) FROM job_alerts) AS jobs_at,
      (SELECT count(*) FROM (SELECT 1 AS one FROM failure_signs LIMIT 1) s) AS signs,
      (SELECT count(*) FROM (SELECT 1 AS one FROM alerts WHERE resolved_at IS NULL LIMIT 1) a) AS known,
      (SELECT count(*) FROM (SELECT 1 AS one FROM heartbeats WHERE alarm_at <= {now} LIMIT 1) h) AS down
    """
)
SIGNS: Final = Statement(
    """
    SELECT s.run_id, s.job_id, s.at, r.kind, r.error_type, r.error, n.name AS node
    FROM failure_signs s LEFT JOIN runs r ON r.id = s.run_id LEFT JOIN nodes n ON n.id = r.session_id
    ORDER BY s.run_id LIMIT :rows
    """
)
KNOWN: Final = Statement(
    f"""
    SELECT {COLUMNS}, 0 AS subject_count, 0 AS open_count, {
        SUBJECT_COLUMNS.replace("s.namespace", "s.namespace AS own")
        .replace("s.job_id", "s.job_id AS own_job")
        .replace("s.last_at", "s.last_at AS seen_at")
    },
      CASE WHEN a.kind = 'failed' AND s.ended_at IS NULL THEN
        CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.job_id = s.job_id AND r.id > s.run_id AND r.shard = -1
                                                AND r.state = 'SUCCEEDED')
               OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.deleted_at > 0) THEN 1 ELSE 0 END
      ELSE 0 END AS is_well
    FROM alerts a LEFT JOIN alert_subjects s ON s.alert_id = a.id
    WHERE a.resolved_at IS NULL AND a.id >= :from_id ORDER BY a.resolved_at, a.id, s.subject_key LIMIT :rows
    """
)
"""In the order of `alerts_resolved`: by the id alone PostgreSQL walks over every alert that ever was."""
_LIVE: Final = """
    SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
           min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
           min(r.parked) AS parked
"""
OF_JOBS: Final = Statement(
    f"""
    {_LIVE} FROM job_alerts a JOIN runs r ON r.{{line_job}} = a.job_id AND r.state IN ('PENDING', 'RUNNING')
                                          AND r.shard = -1
    WHERE (r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < {{now}} - a.late_us)
       OR (r.state = 'RUNNING' AND r.started_at < {{now}} - a.slower_us)
    GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT :rows
    """
)
LIVE: Final = Statement(
    f"""
    {_LIVE} FROM runs r
    WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND ((r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < {{now}} - :late)
        OR (r.state = 'RUNNING' AND r.started_at < {{now}} - :slower))
    GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT :rows
    """
)
UNDECIDED: Final = Statement(
    """
    SELECT a.job_id, 'PENDING' AS state, 0 AS run_id, 1 AS runs, c.next_due_at AS since, 0 AS parked
    FROM job_alerts a JOIN cursors c ON c.job_id = a.job_id
    WHERE c.state = 'active' AND c.next_at IS NOT NULL AND c.next_due_at < {now} - a.late_us
    ORDER BY a.job_id LIMIT :rows
    """
)
JOBS: Final = Statement(
    """
    SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition
    FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE j.id IN (SELECT d.id FROM {d})
    """,
    RowSet("d", id=BIGINT),
)
ANOMALIES: Final = Statement(
    """
    SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition, a.kind, a.began_at, a.facts
    FROM anomalies a JOIN jobs j ON j.id = a.job_id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    WHERE a.is_open = 1 AND j.deleted_at = 0 ORDER BY a.id LIMIT :rows
    """
)
_NEVER_US: Final[Micros] = 10**17


def look(tx: Tx, *, asks_jobs: bool, signs_max: int) -> RoundLook:
    """What there is, and then only what there is of it."""
    mark = tx.rows(MARKS)[0]
    marks = AlertMarks(
        rules=(int(mark.rules), int(mark.rules_at)),
        silences=(int(mark.silences), int(mark.silence_id)),
        channels=(int(mark.channels), int(mark.channels_at)),
        jobs=(int(mark.jobs), int(mark.jobs_at)),
    )
    return RoundLook(
        now=int(mark.now),
        marks=marks,
        signs=_signs(tx, signs_max) if mark.signs else (),
        known=_known(tx) if mark.known else (),
        live=[_live(row) for row in tx.rows(OF_JOBS, {"rows": LIVE_MAX})] if asks_jobs else (),
        down=heartbeat_rows.down(tx, limit=DOWN_MAX) if mark.down else (),
    )


def live(tx: Tx, *, late_us: Micros | None, slower_us: Micros | None) -> Sequence[LiveRuns]:
    """Of any job."""
    bounds = {"late": late_us or _NEVER_US, "slower": slower_us or _NEVER_US, "rows": LIVE_MAX}
    return [_live(row) for row in tx.rows(LIVE, bounds)]


def undecided(tx: Tx) -> Sequence[LiveRuns]:
    """Instants that nobody decided."""
    return [_live(row) for row in tx.rows(UNDECIDED, {"rows": LIVE_MAX})]


def jobs(tx: Tx, job_ids: Sequence[int]) -> Mapping[int, SubjectJob]:
    """These jobs as rules ask of them."""
    return {row.id: _job(row) for row in tx.found(JOBS, d=keys(sorted(set(job_ids))))}


def anomalies(tx: Tx, *, limit: int) -> Sequence[AnomalySeen]:
    """Those that go on. The oldest first: what was told of stays among them when there are more."""
    return [
        AnomalySeen(_job(row), AnomalyKind(row.kind), row.began_at, msgspec.json.decode(row.facts))
        for row in tx.rows(ANOMALIES, {"rows": limit})
    ]


def _signs(tx: Tx, most: int) -> list[FailureSeen]:
    return [
        FailureSeen(
            run_id=row.run_id,
            job_id=row.job_id,
            at=row.at,
            kind=row.kind or "error",
            error_type=row.error_type or "",
            error=row.error or "",
            node=row.node or "",
        )
        for row in tx.rows(SIGNS, {"rows": most})
    ]


def _known(tx: Tx) -> list[KnownAlert]:
    """All of them. One that is left out would be opened again, and no round could be written any more."""
    found: dict[int, tuple[Any, dict[str, KnownSubject]]] = {}
    from_id = 0
    while True:
        rows = tx.rows(KNOWN, {"rows": KNOWN_PAGE, "from_id": from_id})
        for row in filter(is_known, rows):
            _, subjects = found.setdefault(row.id, (row, {}))
            if row.subject_key is not None:
                subjects[row.subject_key] = _subject(row)
        if len(rows) < KNOWN_PAGE:
            break
        from_id = rows[-1].id  # the rest of its subjects comes with the next page
    return [
        KnownAlert(alert=alert_of(row), subjects=subjects, told=told_of(row.channels).told, acted=row.acted)
        for row, subjects in found.values()
    ]


def _subject(row: Any) -> KnownSubject:
    return KnownSubject(
        key=row.subject_key,
        subject=row.subject,
        namespace=row.own,
        job_id=row.own_job,
        run_id=row.run_id,
        count=row.count,
        first_at=row.first_at,
        last_at=row.seen_at,
        ended_at=row.ended_at,
        recent=tuple(msgspec.json.decode(row.recent)),
        data=msgspec.json.decode(row.data),
        is_well=bool(row.is_well),
    )


def _live(row: Any) -> LiveRuns:
    return LiveRuns(
        job_id=int(row.job_id),
        is_running=row.state == "RUNNING",
        run_id=int(row.run_id),
        runs=int(row.runs),
        since=int(row.since),
        is_parked=int(row.parked) == 1,
        is_assigned=int(row.parked) == 2,
    )


def _job(row: Any) -> SubjectJob:
    try:
        document = msgspec.json.decode(row.definition)
    except msgspec.DecodeError:
        document = {}
    return SubjectJob(
        job_id=row.id,
        name=row.name,
        namespace=row.namespace,
        group=document.get("group") or DEFAULT_GROUP,
        tags=document.get("tags") or {},
        is_deleted=row.deleted_at > 0,
    )
