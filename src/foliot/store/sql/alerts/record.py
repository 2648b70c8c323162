"""The one transaction that writes a round of alerts. Signs, versions and keys say whether another was quicker (R1)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from foliot.domain.alerts.alert import Alert, AlertSubject
from foliot.domain.alerts.decision import Act, Decision, KnownAlert, KnownSubject
from foliot.domain.alerts.level import AlertState
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.alerts.alert_rows import ToldChannels, json_text
from foliot.store.sql.alerts.notices import put
from foliot.store.sql.alerts.resolution import closed_key, tell
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

TAKE_SIGNS: Final = Statement(
    "DELETE FROM failure_signs WHERE run_id IN (SELECT d.run_id FROM {d})", RowSet("d", run_id=BIGINT)
)


class _AlertRow(NamedTuple):
    """A row of `alerts`, but for its id and version."""

    open_key: str
    namespace: str | None
    rule: str
    kind: str
    level: str
    state: str
    job_id: int | None
    cause: str
    channels: str
    runbook: str
    began_at: int
    fired_at: int | None
    last_at: int
    resolved_at: int | None
    silence_id: int | None
    step: int
    escalates_from: int | None
    told_at: int | None
    acted: int
    seen: int


_FIELDS: Final = ", ".join(_AlertRow._fields)
OPEN: Final = Statement(
    f"""
    {{insert_ignore}} alerts ({_FIELDS}, ver)
    SELECT {", ".join(f"d.{field}" for field in _AlertRow._fields)}, 1 FROM {{d}} WHERE true {{ignore_duplicates}}
    """,
    RowSet.of("d", _AlertRow),
)
IDS: Final = Statement(
    "SELECT a.open_key, a.id FROM alerts a WHERE a.open_key IN (SELECT d.open_key FROM {d})", RowSet("d", open_key=TEXT)
)


class _Change(NamedTuple):
    """What a round changes of an alert."""

    id: int
    ver: int
    open_key: str
    level: str
    state: str
    channels: str
    fired_at: int | None
    last_at: int
    resolved_at: int | None
    silence_id: int | None
    step: int
    escalates_from: int | None
    told_at: int | None
    acted: int
    seen: int


CHANGE: Final = Statement(
    """
    UPDATE alerts SET ver = alerts.ver + 1, open_key = d.open_key, level = d.level, state = d.state,
           channels = d.channels, fired_at = d.fired_at, last_at = d.last_at, resolved_at = d.resolved_at,
           silence_id = d.silence_id, step = d.step, escalates_from = d.escalates_from, told_at = d.told_at,
           acted = d.acted, seen = d.seen
    FROM {d} WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL
    """,
    RowSet.of("d", _Change),
)


class _SubjectRow(NamedTuple):
    """A row of `alert_subjects`."""

    alert_id: int
    subject_key: str
    subject: str
    namespace: str | None
    job_id: int | None
    run_id: int | None
    times: int
    first_at: int
    last_at: int
    ended_at: int | None
    recent: str
    data: str


SEE_AGAIN: Final = Statement(
    """
    UPDATE alert_subjects SET run_id = d.run_id, count = d.times, last_at = d.last_at, ended_at = d.ended_at,
           recent = d.recent, data = d.data
    FROM {d} WHERE alert_subjects.alert_id = d.alert_id AND alert_subjects.subject_key = d.subject_key
    """,
    RowSet.of("d", _SubjectRow),
)
SEE: Final = Statement(
    """
    {insert_ignore} alert_subjects (alert_id, subject_key, subject, namespace, job_id, run_id, count, first_at, last_at,
                                    ended_at, recent, data)
    SELECT d.alert_id, d.subject_key, d.subject, d.namespace, d.job_id, d.run_id, d.times, d.first_at, d.last_at,
           d.ended_at, d.recent, d.data
    FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet.of("d", _SubjectRow),
)


class Outrun(Exception):
    """Another leader, or a person, changed the same: nothing of this round is written."""


def record(tx: Tx, *, decision: Decision, signs: Sequence[int], term: int) -> Mapping[str, int]:
    """Write the round; ids of its alerts by key. It raises `Outrun`, and the next round looks anew."""
    if not holds_term(tx, term):
        raise Outrun
    if signs and tx.change(TAKE_SIGNS, d=keys(sorted(signs))) != len(signs):
        raise Outrun
    known = [*decision.changed, *decision.resolved]
    changes = sorted(_change(one) for one in known)
    if changes and tx.change(CHANGE, d=changes) != len(changes):
        raise Outrun
    ids = {one.alert.key: one.alert.id for one in known}
    if decision.opened:
        rows = sorted((_row(one) for one in decision.opened), key=lambda row: row.open_key)
        if tx.change(OPEN, d=rows) != len(rows):
            raise Outrun
        ids |= tx.pairs(IDS, d=keys([row.open_key for row in rows]))
    _see(tx, decision, ids)
    put(tx, [replace(one, key=one.key.replace("{id}", str(ids[key])), alert_id=ids[key])
             for key, one in decision.notices])  # fmt: skip
    _tell(tx, decision, ids, term)
    return ids


def _see(tx: Tx, decision: Decision, ids: Mapping[str, int]) -> None:
    opened = {one.alert.key for one in decision.opened}
    touched = [(key, one) for key, one in decision.subjects]
    touched += [(one.alert.key, subject) for one in decision.resolved for subject in one.subjects.values()]
    rows = {(ids[key], one.key): _subject(ids[key], one) for key, one in touched}
    by_key = [rows[key] for key in sorted(rows)]
    if not by_key:
        return
    if any(key not in opened for key, _ in touched):
        tx.change(SEE_AGAIN, d=by_key)
    if decision.subjects:
        tx.change(SEE, d=by_key)


def _tell(tx: Tx, decision: Decision, ids: Mapping[str, int], term: int) -> None:
    known = {one.alert.key: one for one in (*decision.opened, *decision.changed, *decision.resolved)}
    for kind, key in decision.events:
        tell(tx, kind, [_told(known[key], ids[key])], term=term)
    note(tx, [_of_act(act, ids[act.alert_key]) for act in decision.acts], term=term)


def _told(known: KnownAlert, alert_id: int) -> Alert:
    first = min(known.subjects, default=None)  # as a list names it, too
    return replace(
        known.alert,
        id=alert_id,
        subjects=() if first is None else (_as_kept(known.subjects[first]),),
        subject_count=len(known.subjects) + known.unkept,
        open_count=len(known.open_subjects) + known.unkept,
    )


def _as_kept(one: KnownSubject) -> AlertSubject:
    return AlertSubject(
        subject=one.subject,
        namespace=one.namespace,
        job_id=one.job_id,
        run_id=one.run_id,
        count=one.count,
        first_at=one.first_at,
        last_at=one.last_at,
        ended_at=one.ended_at,
        data=one.data,
    )


def _of_act(act: Act, alert_id: int) -> Happening:
    return Happening(
        key=f"alert.acted:{alert_id}:{act.number}",
        topic=Topic.CLUSTER,
        kind="alert.acted",
        subject=act.rule.name,
        by=f"alert:{act.rule.name}"[:200],
        namespace=act.subject.namespace,
        data={
            "alert": alert_id,
            "action": str(act.action.kind),
            "target": act.action.target or act.subject.subject,
            "number": act.number,
        },
    )


def _row(known: KnownAlert) -> _AlertRow:
    alert = known.alert
    return _AlertRow(
        open_key=alert.key,
        namespace=alert.namespace,
        rule=alert.rule,
        kind=str(alert.kind),
        level=str(alert.level),
        state=str(alert.state),
        job_id=alert.job_id,
        cause=json_text({"key": alert.cause.key, "data": alert.cause.data}),
        channels=json_text(ToldChannels(alert.to, known.told)),
        runbook=alert.runbook,
        began_at=alert.began_at,
        fired_at=alert.fired_at,
        last_at=alert.last_at,
        resolved_at=alert.resolved_at,
        silence_id=alert.silence_id,
        step=alert.step,
        escalates_from=alert.escalates_from,
        told_at=alert.told_at,
        acted=known.acted,
        seen=alert.seen,
    )


def _change(known: KnownAlert) -> _Change:
    alert = known.alert
    is_over = alert.state is AlertState.RESOLVED
    return _Change(
        id=alert.id,
        ver=alert.ver,
        open_key=closed_key(alert.key, alert.id) if is_over else alert.key,
        level=str(alert.level),
        state=str(alert.state),
        channels=json_text(ToldChannels(alert.to, known.told)),
        fired_at=alert.fired_at,
        last_at=alert.last_at,
        resolved_at=alert.resolved_at,
        silence_id=alert.silence_id,
        step=alert.step,
        escalates_from=alert.escalates_from,
        told_at=alert.told_at,
        acted=known.acted,
        seen=alert.seen,
    )


def _subject(alert_id: int, one: KnownSubject) -> _SubjectRow:
    data: dict[str, Any] = dict(one.data)
    return _SubjectRow(
        alert_id=alert_id,
        subject_key=one.key[:250],
        subject=one.subject[:250],
        namespace=one.namespace,
        job_id=one.job_id,
        run_id=one.run_id,
        times=one.count,
        first_at=one.first_at,
        last_at=one.last_at,
        ended_at=one.ended_at,
        recent=json_text(list(one.recent)),
        data=json_text(data),
    )
