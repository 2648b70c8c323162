"""The rows of failovers: each failure is one, opened and closed once.

Other verbs of the store call `detect` and `end` in their own transaction, after every row that they lock (R3).
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.failover import (
    COMES_AGAIN,
    DEFAULTS,
    Affected,
    Detected,
    FailoverAction,
    FailoverEnd,
    FailoverOutcome,
    FailoverType,
    Urgency,
)
from foliot.domain.instants import Instant, isoformat
from foliot.ports.store.failovers import Failover
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.cluster.leadership import UNDER_TERM, holds_term
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

COLUMNS: Final = (
    "f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, "
    "f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, "
    "f.level, f.channel"
)

_TYPES: Final = frozenset(map(str, FailoverType))
_ACTIONS: Final = frozenset(map(str, FailoverAction))
_OUTCOMES: Final = frozenset(map(str, FailoverOutcome))
_LEVELS: Final = frozenset(map(str, Urgency))


class _NewRow(NamedTuple):
    """A row of `OPEN`."""

    occurrence: str
    type: str
    subject: str
    namespace: str | None
    began_at: int
    detected_at: int
    evidence: str
    affected: str
    action: str
    attempts: int
    session: str
    under: int | None  # the leader's term


class _Seen(NamedTuple):
    """What is new of an open row."""

    id: int
    ver: int
    began_at: int
    evidence: str
    affected: str
    attempts: int


OPEN: Final = Statement(
    f"""
    {{insert_ignore}} failovers (occurrence, type, subject, namespace, began_at, detected_at, last_at, evidence,
                                 affected, action, attempts, session_id, term, ver)
    SELECT d.occurrence, d.type, d.subject, d.namespace, d.began_at, d.detected_at, {{now}}, d.evidence,
           d.affected, d.action, d.attempts, d.session, d.under, 0
    FROM {{d}} WHERE {UNDER_TERM}
    {{ignore_duplicates}}
    """,
    RowSet.of("d", _NewRow),
)
OF_KEYS: Final = Statement(
    f"SELECT {COLUMNS} FROM failovers f WHERE f.occurrence IN (SELECT d.occurrence FROM {{d}})",
    RowSet("d", occurrence=TEXT),
)
OF_IDS: Final = Statement(
    f"SELECT {COLUMNS} FROM failovers f WHERE f.id IN (SELECT d.id FROM {{d}})", RowSet("d", id=BIGINT)
)
ADD: Final = Statement(
    """
    UPDATE failovers SET ver = failovers.ver + 1, last_at = {now}, began_at = d.began_at, evidence = d.evidence,
                         affected = d.affected, attempts = d.attempts
    FROM {d} WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL
    """,
    RowSet.of("d", _Seen),
)
CLOSE: Final = Statement(
    """
    UPDATE failovers SET ver = failovers.ver + 1, outcome = d.outcome, done = d.done, occurrence = d.occurrence,
                         ended_at = coalesce(d.ended_at, {now}), action = coalesce(d.action, failovers.action)
    FROM {d} WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, outcome=TEXT, done=TEXT, occurrence=TEXT, ended_at=BIGINT, action=TEXT),
)


def detect(tx: Tx, *, seen: Sequence[Detected], term: int | None = None) -> int:
    """Open a row for each failure that has none, add what is seen again; how many were opened."""
    if not seen or not holds_term(tx, term):
        return 0
    by_key = {one.key: one for one in seen}
    known = {row.occurrence: row for row in tx.rows(OF_KEYS, d=keys(sorted(by_key)))}
    _add(tx, [(row, by_key[key]) for key, row in known.items() if row.ended_at is None])
    unknown = sorted(by_key.keys() - known.keys())
    if not unknown:
        return 0
    now = tx.now()
    fresh = [_new_row(by_key[key], now, term) for key in unknown]
    if tx.change(OPEN, {"term": term}, d=fresh) != len(fresh):
        raise TryAgain("another server saw the same failure, or the term is over")
    tell(tx, "failover.detected", tx.rows(OF_KEYS, d=keys(unknown)), term)
    return len(fresh)


def end(tx: Tx, *, ends: Sequence[FailoverEnd], term: int | None = None) -> int:
    """Close the occurrences that are open; how many."""
    if not ends or not holds_term(tx, term):
        return 0
    by_id = {one.id: one for one in ends}
    rows = [row for row in tx.rows(OF_IDS, d=keys(sorted(by_id))) if row.ended_at is None and is_known(row)]
    closing = [_closed_row(row, by_id[row.id]) for row in sorted(rows, key=_id)]
    if not closing:
        return 0
    if tx.change(CLOSE, d=closing) != len(closing):
        raise TryAgain("another server changed the same occurrence")
    closed = tx.rows(OF_IDS, d=keys([row[0] for row in closing]))
    tell(tx, "failover.ended", closed, term)
    return len(closed)


def _add(tx: Tx, again: Sequence[tuple[Any, Detected]]) -> None:
    """Put what is seen again into open rows, where the same thing can fail again."""
    rows = []
    for row, one in sorted(again, key=lambda pair: int(pair[0].id)):
        if one.type not in COMES_AGAIN or not is_known(row):
            continue
        before = failover_of(row)
        began_at = before.began_at if one.began_at is None else min(before.began_at, one.began_at)
        evidence = json_text({**before.evidence, **one.evidence})
        affected = json_text(before.affected.with_more(one.affected))
        rows.append(_Seen(row.id, row.ver, began_at, evidence, affected, before.attempts + one.attempts))
    if rows and tx.change(ADD, d=rows) != len(rows):
        raise TryAgain("another server changed the same occurrence")


def _new_row(one: Detected, now: Instant, term: int | None) -> _NewRow:
    detected_at = now if one.detected_at is None else one.detected_at
    return _NewRow(
        occurrence=one.key,
        type=str(one.type),
        subject=one.subject[:200],
        namespace=one.namespace,
        began_at=detected_at if one.began_at is None else one.began_at,
        detected_at=detected_at,
        evidence=json_text(one.evidence),
        affected=json_text(Affected().with_more(one.affected)),
        action=str(one.action or DEFAULTS[one.type].action),
        attempts=one.attempts,
        session=one.session,
        under=term,
    )


def _closed_row(row: Any, one: FailoverEnd) -> tuple[Any, ...]:
    """A closed row of a type that comes again gives its key up, so that the next occurrence has it."""
    key = f"{row.occurrence}:{row.id}" if FailoverType(row.type) in COMES_AGAIN else row.occurrence
    return row.id, row.ver, str(one.outcome), json_text(one.done), key, one.ended_at, one.action


def tell(tx: Tx, kind: str, rows: Sequence[Any], term: int | None) -> None:
    """Note it in the journal, in the transaction in which it happened."""
    note(tx, [_happening(kind, failover_of(row)) for row in rows if is_known(row)], term=term)


def _happening(kind: str, failover: Failover) -> Happening:
    data: dict[str, Any] = {"failover": failover.id, "type": str(failover.type), "action": str(failover.action)}
    data["began_at"] = isoformat(failover.began_at)
    if failover.ended_at is not None:
        data["ended_at"] = isoformat(failover.ended_at)
    if failover.affected.runs:
        data["runs"] = failover.affected.runs
    if failover.outcome is not None:
        data["outcome"] = str(failover.outcome)
        data["lasted_us"] = failover.lasted_us(failover.began_at)
    if failover.level is not None:
        data["level"] = str(failover.level)
        data["channel"] = failover.channel
    return Happening(
        key=f"{kind}:{failover.id}",
        topic=Topic.CLUSTER,
        kind=kind,
        subject=failover.subject,
        namespace=failover.namespace,
        data=data,
    )


def is_known(row: Any) -> bool:
    """Whether every word of a row of `COLUMNS` is one of this version: while servers are updated, newer ones write."""
    return (
        row.type in _TYPES
        and row.action in _ACTIONS
        and (row.outcome is None or row.outcome in _OUTCOMES)
        and (row.level is None or row.level in _LEVELS)
    )


def failover_of(row: Any) -> Failover:
    """A row of `COLUMNS`."""
    return Failover(
        id=row.id,
        key=row.occurrence,
        type=FailoverType(row.type),
        subject=row.subject,
        namespace=row.namespace,
        began_at=row.began_at,
        detected_at=row.detected_at,
        last_at=row.last_at,
        evidence=msgspec.json.decode(row.evidence),
        affected=msgspec.json.decode(row.affected, type=Affected),
        action=FailoverAction(row.action),
        attempts=row.attempts,
        session=row.session_id,
        term=row.term,
        outcome=None if row.outcome is None else FailoverOutcome(row.outcome),
        done={} if row.done is None else msgspec.json.decode(row.done),
        ended_at=row.ended_at,
        escalated_at=row.escalated_at,
        level=None if row.level is None else Urgency(row.level),
        channel=row.channel or "",
    )


def json_text(value: object) -> str:
    """A value as a column of text keeps it."""
    return msgspec.json.encode(value).decode()


def _id(row: Any) -> int:
    return int(row.id)
