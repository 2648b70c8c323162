"""Alerts for people, in SQL (`ports.store.alerts.AlertStore`): listed, acknowledged, resolved; rules and silences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from foliot.domain.alerts.alert import Alert
from foliot.domain.alerts.errors import AlertIsOver
from foliot.domain.alerts.level import AlertLevel, AlertState
from foliot.domain.alerts.rule import Rule
from foliot.domain.alerts.silence import Silence
from foliot.ports.store.actor import Actor
from foliot.ports.store.alerts import AlertFilter, AlertPage
from foliot.store.sql.alerts import rules, silences
from foliot.store.sql.alerts.alert_rows import (
    COLUMNS,
    COUNTS,
    FIRST_SUBJECTS,
    OF_IDS,
    SUBJECTS_OF,
    alert_of,
    is_known,
    subject_of,
)
from foliot.store.sql.alerts.resolution import close, tell
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import Statement, keys

LOOK_MAX: Final = 2000  # rows looked at for one page, whatever the filter lets through
SUBJECTS_TOLD: Final = 100
_ID_MAX: Final = 2**63 - 1

_OF_SUBJECT: Final = """
    (:subject = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = :subject))
"""
BEFORE: Final = Statement(
    f"""
    SELECT {COLUMNS}, {COUNTS} FROM alerts a WHERE a.id < :before AND {_OF_SUBJECT} ORDER BY a.id DESC LIMIT :rows
    """
)
OPEN_BEFORE: Final = Statement(
    f"""
    SELECT {COLUMNS}, {COUNTS} FROM alerts a WHERE a.resolved_at IS NULL AND a.id < :before AND {_OF_SUBJECT}
    ORDER BY a.id DESC LIMIT :rows
    """
)
FIRING: Final = Statement(
    "SELECT a.level, a.namespace, count(*) AS n FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL "
    "GROUP BY a.level, a.namespace"
)
ACKNOWLEDGE: Final = Statement(
    """
    UPDATE alerts SET state = 'acknowledged', acked_at = {now}, acked_by = :by, ack_note = :note, ver = ver + 1
    WHERE id = :id AND state = 'firing'
    """
)
OPEN_OF_RULE: Final = Statement(
    f"""
    SELECT {COLUMNS}, {COUNTS} FROM alerts a WHERE a.resolved_at IS NULL AND a.rule = :rule ORDER BY a.id LIMIT :rows
    """
)


class SqlAlerts:
    """`ports.store.alerts.AlertStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, wanted: AlertFilter, *, limit: int, before_id: int | None = None) -> AlertPage:
        before = _ID_MAX if before_id is None else before_id
        return await self._database.read(partial(_page, wanted=wanted, limit=limit, before=before))

    async def find(self, alert_id: int) -> Alert | None:
        return await self._database.read(partial(_find, alert_id=alert_id))

    async def counts(self, *, namespace: str | None) -> Mapping[AlertLevel, int]:
        rows = await self._database.read(lambda tx: tx.rows(FIRING))
        counts = dict.fromkeys(AlertLevel, 0)
        for row in rows:
            if namespace is None or row.namespace == namespace:
                counts[AlertLevel(row.level)] += int(row.n)
        return counts

    async def acknowledge(self, alert_id: int, *, by: Actor) -> Alert | None:
        return await self._database.transact(partial(_acknowledge, alert_id=alert_id, by=by), pool=Pool.API)

    async def resolve(self, alert_id: int, *, by: Actor) -> Alert | None:
        return await self._database.transact(partial(_resolve, alert_id=alert_id, by=by), pool=Pool.API)

    async def rules(self, *, namespace: str | None) -> Sequence[Rule]:
        return await self._database.read(partial(rules.rules, namespace=namespace))

    async def find_rule(self, name: str, *, namespace: str | None) -> Rule | None:
        return await self._database.read(partial(rules.find, name=name, namespace=namespace))

    async def save_rule(self, rule: Rule, *, by: Actor) -> Rule:
        return await self._database.transact(partial(rules.save, rule=rule, by=by), pool=Pool.API)

    async def remove_rule(self, name: str, *, namespace: str | None, by: Actor) -> bool:
        work = partial(_remove_rule, name=name, namespace=namespace, by=by)
        return await self._database.transact(work, pool=Pool.API)

    async def silences(self, *, namespace: str | None, with_ended: bool = False) -> Sequence[Silence]:
        return await self._database.read(partial(silences.silences, namespace=namespace, with_ended=with_ended))

    async def silence(self, silence: Silence, *, by: Actor) -> Silence:
        return await self._database.transact(partial(silences.make, silence=silence, by=by), pool=Pool.API)

    async def end_silence(self, silence_id: int, *, by: Actor) -> Silence | None:
        return await self._database.transact(partial(silences.end, silence_id=silence_id, by=by), pool=Pool.API)


def _page(tx: Tx, *, wanted: AlertFilter, limit: int, before: int) -> AlertPage:
    statement = BEFORE if AlertState.RESOLVED in wanted.states or not wanted.states else OPEN_BEFORE
    rows = tx.rows(statement, {"before": before, "rows": LOOK_MAX, "subject": wanted.job or wanted.node or ""})
    found = [one for one in map(alert_of, filter(is_known, rows)) if _is_wanted(one, wanted)]
    next_before_id = None
    if len(found) > limit:
        next_before_id = found[limit - 1].id
    elif len(rows) == LOOK_MAX:
        next_before_id = rows[-1].id
    return AlertPage(items=_with_first_subjects(tx, found[:limit]), next_before_id=next_before_id)


def _with_first_subjects(tx: Tx, alerts: Sequence[Alert]) -> Sequence[Alert]:
    """The sentence of an alert names what it touches first; a list leads to that."""
    if not alerts:
        return alerts
    rows = tx.rows(FIRST_SUBJECTS, {"most": 1}, d=keys(sorted(alert.id for alert in alerts)))
    first = {row.alert_id: subject_of(row) for row in rows}
    return [replace(alert, subjects=(first[alert.id],)) if alert.id in first else alert for alert in alerts]


def _find(tx: Tx, *, alert_id: int) -> Alert | None:
    rows = tx.rows(OF_IDS, d=keys([alert_id]))
    if not rows or not is_known(rows[0]):
        return None
    touched = tx.rows(SUBJECTS_OF, {"alert": alert_id, "rows": SUBJECTS_TOLD})
    return alert_of(rows[0], [subject_of(row) for row in touched])


def _acknowledge(tx: Tx, *, alert_id: int, by: Actor) -> Alert | None:
    is_new = tx.change(ACKNOWLEDGE, {"id": alert_id, "by": by.name, "note": by.reason}) == 1
    alert = _find(tx, alert_id=alert_id)
    if alert is None:
        return None
    if alert.state is AlertState.RESOLVED:
        raise AlertIsOver(alert_id)
    if is_new:
        tell(tx, "alert.acknowledged", [alert], by=by)
    return alert


def _resolve(tx: Tx, *, alert_id: int, by: Actor) -> Alert | None:
    rows = [row for row in tx.rows(OF_IDS, d=keys([alert_id])) if is_known(row)]
    if not rows:
        return None
    _close_all(tx, rows, by)
    return _find(tx, alert_id=alert_id)


def _remove_rule(tx: Tx, *, name: str, namespace: str | None, by: Actor) -> bool:
    """Its alerts are over with it. Those of a rule of the same name in another namespace go on."""
    if not rules.remove(tx, name=name, namespace=namespace, by=by):
        return False
    rows = tx.rows(OPEN_OF_RULE, {"rule": name, "rows": LOOK_MAX})
    _close_all(tx, [row for row in rows if is_known(row) and namespace in (None, row.namespace)], by)
    return True


def _close_all(tx: Tx, rows: Sequence[Any], by: Actor) -> None:
    is_open = [row for row in rows if row.resolved_at is None]
    if is_open and close(tx, is_open, by=by) != len(is_open):
        raise TryAgain("the leader changed the same alert")
    if is_open:
        closed = tx.rows(OF_IDS, d=keys(sorted(row.id for row in is_open)))
        tell(tx, "alert.resolved", _with_first_subjects(tx, [alert_of(row) for row in closed]), by=by)


def _is_wanted(one: Alert, wanted: AlertFilter) -> bool:
    return (
        (not wanted.states or one.state in wanted.states)
        and (not wanted.levels or one.level in wanted.levels)
        and (wanted.rule is None or one.rule == wanted.rule)
        and (wanted.namespace is None or one.namespace == wanted.namespace)
        and (wanted.since is None or one.resolved_at is None or one.resolved_at >= wanted.since)
        # What never lasted long enough to be told of is no history.
        and (one.state is not AlertState.RESOLVED or one.fired_at is not None)
    )
