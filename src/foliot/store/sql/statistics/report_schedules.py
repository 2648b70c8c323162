"""Schedules of reports in SQL: a due one moves on in the transaction that puts its report into the outbox (R20)."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from foliot.domain.alerts.alert import Notice
from foliot.domain.instants import Instant
from foliot.domain.reports.schedule import ReportSchedule, schedule_from, written_schedule
from foliot.ports.store.actor import Actor
from foliot.ports.store.reports import KeptSchedule
from foliot.store.sql.alerts.notices import put
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.kernel.tables_of_alerts import NO_NAMESPACE

SCHEDULES_MAX: Final = 1000
_COLUMNS: Final = "namespace, name, version, document, next_at, last_at, updated_at, updated_by"

ALL: Final = Statement(f"SELECT {_COLUMNS} FROM report_schedules ORDER BY namespace, name LIMIT {SCHEDULES_MAX}")
OF: Final = Statement(
    f"SELECT {_COLUMNS} FROM report_schedules WHERE namespace = :namespace ORDER BY name LIMIT {SCHEDULES_MAX}"
)
FIND: Final = Statement(f"SELECT {_COLUMNS} FROM report_schedules WHERE namespace = :namespace AND name = :name")
ADD: Final = Statement(
    """
    {insert_ignore} report_schedules (namespace, name, version, document, next_at, updated_at, updated_by, reason)
    SELECT d.namespace, d.name, 1, d.document, d.next_at, {now}, d.made_by, d.reason FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, document=TEXT, next_at=BIGINT, made_by=TEXT, reason=TEXT),
)
CHANGE: Final = Statement(
    """
    UPDATE report_schedules SET version = version + 1, document = :document, next_at = :next_at, updated_at = {now},
                                updated_by = :made_by, reason = :reason
    WHERE namespace = :namespace AND name = :name
    """
)
REMOVE: Final = Statement("DELETE FROM report_schedules WHERE namespace = :namespace AND name = :name")
NEXT: Final = Statement("SELECT min(next_at) FROM report_schedules WHERE next_at > 0")
DUE: Final = Statement(
    f"SELECT {_COLUMNS} FROM report_schedules WHERE next_at <= :until ORDER BY next_at, namespace, name LIMIT :rows"
)
MOVE: Final = Statement(
    """
    UPDATE report_schedules SET next_at = :next_at, last_at = :last_at
    WHERE namespace = :namespace AND name = :name AND next_at = :seen AND version = :version
    """
)


def schedules(tx: Tx, namespace: str | None) -> Sequence[KeptSchedule]:
    """Those of a namespace, or all."""
    rows = tx.rows(ALL) if namespace is None else tx.rows(OF, {"namespace": namespace})
    return [_kept(row) for row in rows]


def find(tx: Tx, name: str, namespace: str | None) -> KeptSchedule | None:
    """One by its name."""
    rows = tx.rows(FIND, {"name": name, "namespace": namespace or NO_NAMESPACE})
    return _kept(rows[0]) if rows else None


def save(tx: Tx, schedule: ReportSchedule, *, next_at: Instant | None, by: Actor) -> KeptSchedule:
    """Change the row, or make it."""
    values = {
        "namespace": schedule.namespace or NO_NAMESPACE,
        "name": schedule.name,
        "document": msgspec.json.encode(written_schedule(schedule), order="sorted").decode(),
        "next_at": next_at,
        "made_by": by.name,
        "reason": by.reason,
    }
    if not tx.change(CHANGE, values) and not tx.change(ADD, d=[tuple(values.values())]):
        raise TryAgain("somebody else made the same schedule")
    kept = find(tx, schedule.name, schedule.namespace)
    assert kept is not None
    return kept


def remove(tx: Tx, name: str, namespace: str | None) -> bool:
    """Forget it."""
    return tx.change(REMOVE, {"name": name, "namespace": namespace or NO_NAMESPACE}) == 1


def due(tx: Tx, until: Instant, limit: int) -> Sequence[KeptSchedule]:
    """Those that are due."""
    return [_kept(row) for row in tx.rows(DUE, {"until": until, "rows": limit})]


def send(
    tx: Tx,
    seen: KeptSchedule,
    *,
    next_at: Instant | None,
    last_at: Instant,
    notices: Sequence[Notice],
    term: int | None,
) -> bool:
    """Move it on from where it was seen, and tell of its report: both, or neither."""
    if not holds_term(tx, term):
        return False
    schedule = seen.schedule
    moved = {
        "namespace": schedule.namespace or NO_NAMESPACE,
        "name": schedule.name,
        "version": schedule.version,
        "seen": seen.next_at,
        "next_at": next_at,
        "last_at": last_at,
    }
    if not tx.change(MOVE, moved):
        return False
    tx.point("report.moved")
    put(tx, notices)
    return True


def _kept(row: Any) -> KeptSchedule:
    """What users wrote was checked when it was saved."""
    document = msgspec.json.decode(row.document)
    return KeptSchedule(
        schedule=schedule_from(row.name, document, namespace=row.namespace or None, version=row.version),
        next_at=row.next_at,
        last_at=row.last_at,
        updated_at=row.updated_at,
        updated_by=row.updated_by,
    )
