"""Rows of checks: what was heard of one, and those that are down, for a round of alerts."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import structlog

from foliot.domain.errors import InvalidInput
from foliot.domain.heartbeats.check import CheckTrouble, HeartbeatCheck, PingKind
from foliot.domain.heartbeats.document import check_from
from foliot.domain.heartbeats.life import Heard
from foliot.ports.store.alert_rounds import CheckDown
from foliot.ports.store.heartbeats import WatchedCheck
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

INSTANTS: Final = ("started_at", "due_at", "deadline_at", "alarm_at")
COLUMNS: Final = (
    "h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, "
    "h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, "
    "h.updated_at, h.updated_by, h.reason"
)
DOWN: Final = Statement(
    f"""
    SELECT {COLUMNS}, {{now}} AS now FROM heartbeats h WHERE h.alarm_at <= {{now}} ORDER BY h.alarm_at, h.id LIMIT :rows
    """
)

log = structlog.get_logger("foliot.store")


def heard_in(row: Any) -> Heard:
    """What was heard, as the row has it."""
    return Heard(
        pings=int(row.pings),
        last_at=row.last_at,
        last_kind=None if row.last_kind is None else PingKind(row.last_kind),
        last_text=row.last_text,
        exit_code=row.exit_code,
        ok_at=row.ok_at,
        started_at=row.started_at,
        took_us=row.took_us,
        due_at=row.due_at,
        deadline_at=row.deadline_at,
        trouble=None if row.trouble is None else CheckTrouble(row.trouble),
        alarm_at=row.alarm_at,
    )


def watched(check: HeartbeatCheck, row: Any) -> WatchedCheck:
    """A check, and what was heard of it."""
    return WatchedCheck(
        check=check,
        heard=heard_in(row),
        is_paused=bool(row.is_paused),
        created_at=int(row.created_at),
        updated_at=int(row.updated_at),
        updated_by=row.updated_by,
        reason=row.reason,
        now=int(row.now),
    )


def down(tx: Tx, *, limit: int) -> Sequence[CheckDown]:
    """Checks that are down, the oldest trouble first. One of a newer Foliot is told of by its bare name."""
    return [_down(row) for row in tx.rows(DOWN, {"rows": limit})]


def _down(row: Any) -> CheckDown:
    try:
        check = check_from(msgspec.json.decode(row.document), name=row.name, namespace=row.namespace)
    except (InvalidInput, msgspec.DecodeError) as trouble:
        log.warning("check.unreadable", check=row.name, namespace=row.namespace, why=str(trouble))
        check = HeartbeatCheck(name=row.name, namespace=row.namespace)
    return CheckDown(int(row.id), watched(check, row))
