"""The end of alerts in SQL: their key is free again, what they touch is well, and those who were told hear of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from foliot.domain.alerts.alert import Alert, Notice, NoticeKind
from foliot.domain.alerts.decision import KnownAlert, KnownSubject
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.alerts.voice import NAMES_TOLD, message_data
from foliot.domain.instants import Instant
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.alerts.alert_rows import FIRST_SUBJECTS, alert_of, told_of
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


def close(tx: Tx, rows: Sequence[Any], *, by: Actor) -> int:
    """Resolve these open rows of `COLUMNS` if nobody changed them meanwhile; how many were."""
    now = tx.now()
    by_id = sorted(rows, key=lambda row: int(row.id))
    notices = _over(tx, [row for row in by_id if row.told_at is not None], by)
    closing = [(row.id, row.ver, closed_key(row.open_key, row.id)) for row in by_id]
    closed = tx.change(CLOSE, {"now": now}, d=closing)
    tx.change(END_SUBJECTS, {"now": now}, d=keys([row.id for row in by_id]))
    put(tx, notices)
    return closed


def closed_key(open_key: str, alert_id: int) -> str:
    """The key of a resolved alert: the next trouble of this kind has the other."""
    return f"{open_key}:{alert_id}"


def _over(tx: Tx, told: Sequence[Any], by: Actor) -> list[Notice]:
    """The same channels hear that it is over which heard of it, with what it was and who says so."""
    if not told:
        return []
    touched: dict[int, dict[str, KnownSubject]] = defaultdict(dict)
    for row in tx.rows(FIRST_SUBJECTS, {"most": NAMES_TOLD}, d=keys([row.id for row in told])):
        touched[row.alert_id][row.subject_key] = _subject(row)
    return [notice for row in told for notice in _notices(row, touched[row.id], by, tx.now())]


def _subject(row: Any) -> KnownSubject:
    return KnownSubject(
        key=row.subject_key,
        subject=row.subject,
        namespace=row.namespace,
        job_id=row.job_id,
        run_id=row.run_id,
        count=row.count,
        first_at=row.first_at,
        last_at=row.last_at,
        ended_at=row.ended_at,
        data=msgspec.json.decode(row.data),
    )


def _notices(row: Any, subjects: Mapping[str, KnownSubject], by: Actor, now: Instant) -> list[Notice]:
    over = replace(alert_of(row), state=AlertState.RESOLVED, resolved_at=now)
    data = {
        **message_data(KnownAlert(alert=over, subjects=subjects)),
        "subject_count": int(row.subject_count),
        "open_count": int(row.open_count),
        "by": by.name,
        "reason": by.reason,
    }
    return [
        Notice(
            key=f"alert:{row.id}:resolved:{namespace}/{channel}",
            kind=NoticeKind.RESOLVED,
            channel=channel,
            namespace=namespace or None,
            level=AlertLevel(row.level),
            alert_id=row.id,
            data=data,
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
    if alert.subjects:
        data["of"] = alert.subjects[0].subject
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
