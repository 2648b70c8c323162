"""The end of alerts in SQL: their key is free again, what they touch is well, and those who were told hear of it."""

from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.alerts.alert import Alert, Notice, NoticeKind
from foliot.domain.alerts.level import AlertLevel
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.alerts.alert_rows import told_of
from foliot.store.sql.alerts.notices import put
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

CLOSE: Final = Statement(
    """
    UPDATE alerts SET ver = alerts.ver + 1, state = 'resolved', resolved_at = :now, open_key = d.open_key
    FROM {d} WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, open_key=TEXT),
)
END_SUBJECTS: Final = Statement(
    """
    UPDATE alert_subjects SET ended_at = :now
    FROM {d} WHERE alert_subjects.alert_id = d.id AND alert_subjects.ended_at IS NULL
    """,
    RowSet("d", id=BIGINT),
)


def close(tx: Tx, rows: Sequence[Any], *, with_notices: bool = True) -> int:
    """Resolve these open rows of `COLUMNS` if nobody changed them meanwhile; how many were."""
    now = tx.now()
    by_id = sorted(rows, key=lambda row: int(row.id))
    closing = [(row.id, row.ver, closed_key(row.open_key, row.id)) for row in by_id]
    closed = tx.change(CLOSE, {"now": now}, d=closing)
    tx.change(END_SUBJECTS, {"now": now}, d=keys([row.id for row in by_id]))
    if with_notices:
        put(tx, [notice for row in by_id for notice in _over(row)])
    return closed


def closed_key(open_key: str, alert_id: int) -> str:
    """The key of a resolved alert: the next trouble of this kind has the other."""
    return f"{open_key}:{alert_id}"


def _over(row: Any) -> list[Notice]:
    """The same channels hear that it is over which heard of it."""
    if row.told_at is None:
        return []
    return [
        Notice(
            key=f"alert:{row.id}:resolved:{namespace}/{channel}",
            kind=NoticeKind.RESOLVED,
            channel=channel,
            namespace=namespace or None,
            level=AlertLevel(row.level),
            alert_id=row.id,
            data={},
        )
        for namespace, channel in told_of(row.channels).told
    ]


def tell(tx: Tx, kind: str, alerts: Sequence[Alert], *, by: Actor | None = None, term: int | None = None) -> None:
    """Note it in the journal, in the transaction in which it happened."""
    note(tx, [_happening(kind, alert, by) for alert in alerts], term=term)


def _happening(kind: str, alert: Alert, by: Actor | None) -> Happening:
    data: dict[str, Any] = {
        "alert": alert.id,
        "condition": str(alert.kind),
        "level": str(alert.level),
        "cause": alert.cause.key,
    }
    if alert.open_count or alert.subject_count:
        data["subjects"] = alert.subject_count
    if by is not None and by.reason:
        data["reason"] = by.reason
    return Happening(
        key=f"{kind}:{alert.id}:{alert.step if kind == 'alert.escalated' else 0}",
        topic=Topic.CLUSTER,
        kind=kind,
        subject=alert.rule,
        by="" if by is None else by.name,
        namespace=alert.namespace,
        data=data,
    )
