"""What the present version of a job wants people to be told of (`alert=`), kept beside it for the leader's rounds.

A server of an older Foliot saves jobs without writing here. So the leader walks over all jobs when its term begins and
each hour after that, some thousand in a round, and writes what is missing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from foliot.domain.errors import InvalidInput
from foliot.domain.job import Definition
from foliot.domain.payload import canonical_json
from foliot.domain.policies.alert import AlertPolicy, alert_from, written_alert
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

FORGET: Final = Statement(
    "DELETE FROM job_alerts WHERE job_id IN (SELECT d.job_id FROM {d})", RowSet("d", job_id=BIGINT)
)
KEEP: Final = Statement(
    """
    INSERT INTO job_alerts (job_id, version, document, late_us, slower_us, saved_at)
    SELECT d.job_id, d.version, d.document, d.late_us, d.slower_us, :now FROM {d}
    """,
    RowSet("d", job_id=BIGINT, version=BIGINT, document=TEXT, late_us=BIGINT, slower_us=BIGINT),
)
MISSED: Final = Statement(
    """
    SELECT l.last_id, m.id, m.version, m.definition
    FROM (SELECT coalesce(max(id), 0) AS last_id FROM jobs) l LEFT JOIN (
      SELECT j.id, j.version, v.definition
      FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
      LEFT JOIN job_alerts a ON a.job_id = j.id
      WHERE j.id > :after AND j.id <= :until AND j.deleted_at = 0 AND v.definition LIKE '%"alert":%'
            AND (a.job_id IS NULL OR a.version <> j.version)
    ) m ON m.id <= l.last_id
    """
)
"""The last job of all comes along, also when nothing is missing."""


def keep(tx: Tx, wishes: Iterable[tuple[int, int, Definition]], *, are_new: bool) -> None:
    """Remember what these versions of jobs ask for: job, version, definition."""
    said = list(wishes)
    if not are_new:
        tx.change(FORGET, d=keys(sorted(job_id for job_id, _, _ in said)))
    rows = [_row(job_id, version, one.alert) for job_id, version, one in said if one.alert is not None]
    if rows:
        tx.change(KEEP, {"now": tx.now()}, d=sorted(rows))


def repair(tx: Tx, *, after: int, window: int, may_write: Callable[[], bool]) -> int | None:
    """Write what is missing of the next jobs by id; where to go on, None: these were the last.

    One statement where nothing is missing: whether this leader may write is asked when it has something to write.
    """
    until = after + window
    found = tx.rows(MISSED, {"after": after, "until": until})
    missed = sorted((row for row in found if row.id is not None), key=lambda row: row.id)
    if missed and not may_write():
        return None
    rows = [row for row in map(_of_definition, missed) if row is not None]
    if missed:
        tx.change(FORGET, d=keys([row.id for row in missed]))
    if rows:
        tx.change(KEEP, {"now": tx.now()}, d=rows)
    return until if int(found[0].last_id) > until else None


def _of_definition(row: Any) -> tuple[Any, ...] | None:
    """A definition that only a newer Foliot understands is left to that one."""
    try:
        policy = alert_from(msgspec.json.decode(row.definition).get("alert"))
    except (InvalidInput, msgspec.DecodeError):
        return None
    return None if policy is None else _row(row.id, row.version, policy)


def _row(job_id: int, version: int, alert: AlertPolicy) -> tuple[Any, ...]:
    slower_us = alert.slower if isinstance(alert.slower, int) else None
    return job_id, version, canonical_json(written_alert(alert)), alert.late_us, slower_us


def forget(tx: Tx, job_ids: Sequence[int]) -> None:
    """These jobs are gone."""
    tx.change(FORGET, d=keys(sorted(job_ids)))
