"""Notices on their way into the outbox, in the transaction that decides them: each key once, for ever."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from foliot.domain.alerts.alert import Notice
from foliot.domain.instants import Instant
from foliot.store.sql.alerts.alert_rows import json_text
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.kernel.tables_of_alerts import NO_NAMESPACE

KEY_MAX: Final = 250

PUT: Final = Statement(
    """
    {insert_ignore} outbox (notice_key, delivery_id, kind, level, namespace, channel, alert_id, data, state, attempt,
                            is_repeat, created_at, next_at)
    SELECT d.notice_key, d.delivery_id, d.kind, d.level, d.namespace, d.channel, d.alert_id, d.data, 'waiting', 0, 0,
           :now, CASE WHEN d.not_before > :now THEN d.not_before ELSE :now END
    FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", notice_key=TEXT, delivery_id=TEXT, kind=TEXT, level=TEXT, namespace=TEXT, channel=TEXT,
           alert_id=BIGINT, data=TEXT, not_before=BIGINT),
)  # fmt: skip


def put(tx: Tx, notices: Sequence[Notice]) -> int:
    """Write those whose key is not there yet; how many. Their ids stay the same over every try."""
    if not notices:
        return 0
    now = tx.now()
    return tx.change(PUT, {"now": now}, d=[_row(one, now) for one in sorted(notices, key=lambda one: one.key)])


def _row(notice: Notice, now: Instant) -> tuple[Any, ...]:
    """The id for receivers has the instant in it: two clusters may tell one receiver, and both have an alert 7."""
    key = notice_key(notice.key)
    return (
        key,
        sha256(f"{key}:{now}".encode()).hexdigest()[:32],
        str(notice.kind),
        str(notice.level),
        notice.namespace or NO_NAMESPACE,
        notice.channel,
        notice.alert_id,
        json_text(notice.data),
        notice.not_before,
    )


def notice_key(key: str) -> str:
    """A key as the table has it; one that is too long keeps what tells it from others."""
    if len(key) <= KEY_MAX:
        return key
    return f"{key[: KEY_MAX - 33]}:{sha256(key.encode()).hexdigest()[:32]}"
