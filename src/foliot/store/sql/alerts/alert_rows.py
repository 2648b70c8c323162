"""Rows of alerts and of what they touch, read."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from foliot.domain.alerts.alert import Alert, AlertCause, AlertSubject
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

COLUMNS: Final = (
    "a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, "
    "a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, "
    "a.escalates_from, a.told_at, a.acted, a.seen, a.ver"
)
COUNTS: Final = (
    "(SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, "
    "(SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count"
)
SUBJECT_COLUMNS: Final = (
    "s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, "
    "s.ended_at, s.recent, s.data"
)
OF_IDS: Final = Statement(
    f"SELECT {COLUMNS}, {COUNTS} FROM alerts a WHERE a.id IN (SELECT d.id FROM {{d}})", RowSet("d", id=BIGINT)
)
SUBJECTS_OF: Final = Statement(
    f"SELECT {SUBJECT_COLUMNS} FROM alert_subjects s WHERE s.alert_id = :alert ORDER BY s.subject_key LIMIT :rows"
)
FIRST_SUBJECTS: Final = Statement(
    f"""
    SELECT q.* FROM (
      SELECT {SUBJECT_COLUMNS}, row_number() OVER (PARTITION BY s.alert_id ORDER BY s.subject_key) AS nth
      FROM alert_subjects s WHERE s.alert_id IN (SELECT d.id FROM {{d}})
    ) q WHERE q.nth <= :most
    """,
    RowSet("d", id=BIGINT),
)
"""The first subjects of some alerts."""

_KINDS: Final = frozenset(map(str, ConditionKind))
_LEVELS: Final = frozenset(map(str, AlertLevel))
_STATES: Final = frozenset(map(str, AlertState))


class ToldChannels(msgspec.Struct, frozen=True):
    """The column `channels`: whom the rule names, and which channels were told (their namespace first)."""

    to: tuple[str, ...] = ()
    told: tuple[tuple[str, str], ...] = ()


def is_known(row: Any) -> bool:
    """Whether every word of a row of `COLUMNS` is one of this version: while servers are updated, newer ones write."""
    return row.kind in _KINDS and row.level in _LEVELS and row.state in _STATES


def alert_of(row: Any, subjects: Sequence[AlertSubject] = ()) -> Alert:
    """A row of `COLUMNS` and `COUNTS`."""
    cause = msgspec.json.decode(row.cause)
    told = told_of(row.channels)
    return Alert(
        id=row.id,
        key=row.open_key,
        rule=row.rule,
        kind=ConditionKind(row.kind),
        namespace=row.namespace,
        level=AlertLevel(row.level),
        state=AlertState(row.state),
        cause=AlertCause(key=cause["key"], data=cause["data"]),
        to=told.to,
        began_at=row.began_at,
        fired_at=row.fired_at,
        last_at=row.last_at,
        resolved_at=row.resolved_at,
        acked_at=row.acked_at,
        acked_by=row.acked_by or "",
        ack_note=row.ack_note or "",
        silence_id=row.silence_id,
        step=row.step,
        escalates_from=row.escalates_from,
        told_at=row.told_at,
        seen=row.seen,
        subjects=subjects,
        subject_count=int(row.subject_count),
        open_count=int(row.open_count),
        job_id=row.job_id,
        runbook=row.runbook,
        ver=row.ver,
    )


def subject_of(row: Any) -> AlertSubject:
    """A row of `SUBJECT_COLUMNS`."""
    data: Mapping[str, Any] = msgspec.json.decode(row.data)
    return AlertSubject(
        subject=row.subject,
        namespace=row.namespace,
        job_id=row.job_id,
        run_id=row.run_id,
        count=row.count,
        first_at=row.first_at,
        last_at=row.last_at,
        ended_at=row.ended_at,
        data=data,
    )


def told_of(channels: str) -> ToldChannels:
    """The column `channels`, read."""
    return msgspec.json.decode(channels, type=ToldChannels)


def json_text(value: object) -> str:
    """A value as a column of text keeps it."""
    return msgspec.json.encode(value).decode()
