"""Failovers in SQL (`ports.store.failovers.FailoverStore`): each failure is one row, opened and closed once.

Other verbs of the store call `detect` and `end` in their own transaction, after every row that they lock (R3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
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
    FailoverPolicy,
    FailoverType,
    PolicyChanged,
    Urgency,
)
from foliot.domain.instants import Instant
from foliot.ports.store.actor import Actor
from foliot.ports.store.failovers import Escalation, Failover, FailoverFilter, FailoverPage
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.cluster.leadership import UNDER_TERM, holds_term
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.people.journal import note

LOOK_MAX: Final = 2000  # rows looked at for one page, whatever the filter lets through
_ID_MAX: Final = 2**63 - 1

_COLUMNS: Final = (
    "f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, "
    "f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, "
    "f.level, f.channel"
)


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
    f"SELECT {_COLUMNS} FROM failovers f WHERE f.occurrence IN (SELECT d.occurrence FROM {{d}})",
    RowSet("d", occurrence=TEXT),
)
OF_IDS: Final = Statement(
    f"SELECT {_COLUMNS} FROM failovers f WHERE f.id IN (SELECT d.id FROM {{d}})", RowSet("d", id=BIGINT)
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
                         ended_at = coalesce(d.ended_at, {now})
    FROM {d} WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL
    """,
    RowSet("d", id=BIGINT, ver=BIGINT, outcome=TEXT, done=TEXT, occurrence=TEXT, ended_at=BIGINT),
)
ESCALATE: Final = Statement(
    """
    UPDATE failovers SET ver = failovers.ver + 1, escalated_at = {now}, level = d.level, channel = d.channel
    FROM {d} WHERE failovers.id = d.id AND failovers.escalated_at IS NULL
    """,
    RowSet("d", id=BIGINT, level=TEXT, channel=TEXT),
)
STILL_OPEN: Final = Statement(f"SELECT {_COLUMNS} FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.id LIMIT :rows")
BEFORE: Final = Statement(f"SELECT {_COLUMNS} FROM failovers f WHERE f.id < :before ORDER BY f.id DESC LIMIT :rows")
OPEN_BEFORE: Final = Statement(
    f"SELECT {_COLUMNS} FROM failovers f WHERE f.ended_at IS NULL AND f.id < :before ORDER BY f.id DESC LIMIT :rows"
)
OLD: Final = Statement("SELECT id FROM failovers WHERE ended_at < :before ORDER BY ended_at, id LIMIT :rows")
FORGET: Final = Statement(
    "DELETE FROM failovers WHERE id IN (SELECT d.id FROM {d}) AND ended_at < :before", RowSet("d", id=BIGINT)
)

POLICIES: Final = Statement("SELECT type, version, document FROM failover_policies")
FIRST_POLICY: Final = Statement(
    """
    {insert_ignore} failover_policies (type, version, document, updated_at, updated_by, reason)
    SELECT d.type, 1, d.document, {now}, d.made_by, d.reason FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", type=TEXT, document=TEXT, made_by=TEXT, reason=TEXT),
)
NEXT_POLICY: Final = Statement(
    """
    UPDATE failover_policies SET version = version + 1, document = :document, updated_at = {now}, updated_by = :made_by,
                                 reason = :reason
    WHERE type = :type AND version = :version
    """
)


class SqlFailovers:
    """`ports.store.failovers.FailoverStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def detect(self, seen: Sequence[Detected], *, term: int | None = None) -> int:
        return await self._database.transact(partial(detect, seen=seen, term=term)) if seen else 0

    async def end(self, ends: Sequence[FailoverEnd], *, term: int | None = None) -> int:
        return await self._database.transact(partial(end, ends=ends, term=term)) if ends else 0

    async def escalate(self, escalations: Sequence[Escalation], *, term: int | None = None) -> int:
        return await self._database.transact(partial(_escalate, escalations=escalations, term=term))

    async def open(self, *, limit: int) -> Sequence[Failover]:
        rows = await self._database.read(lambda tx: tx.rows(STILL_OPEN, {"rows": limit}), pool=Pool.CONTROL)
        return [_failover(row) for row in rows]

    async def list(self, wanted: FailoverFilter, *, limit: int, before_id: int | None = None) -> FailoverPage:
        before = _ID_MAX if before_id is None else before_id
        statement = OPEN_BEFORE if wanted.only_open else BEFORE
        values = {"before": before, "rows": LOOK_MAX}
        rows = await self._database.read(lambda tx: tx.rows(statement, values))
        found = [one for one in map(_failover, rows) if _is_wanted(one, wanted)]
        last = None
        if len(found) > limit:
            last = found[limit - 1]
        elif len(rows) == LOOK_MAX:
            last = _failover(rows[-1])
        next_before_id = None if last is None else last.id
        return FailoverPage(items=found[:limit], next_before_id=next_before_id)

    async def find(self, failover_id: int) -> Failover | None:
        rows = await self._database.read(lambda tx: tx.rows(OF_IDS, d=keys([failover_id])))
        return _failover(rows[0]) if rows else None

    async def forget(self, *, before: Instant, limit: int, term: int | None = None) -> int:
        def work(tx: Tx) -> int:
            old = sorted(row.id for row in tx.rows(OLD, {"before": before, "rows": limit}))
            if not old or not holds_term(tx, term):
                return 0
            return tx.change(FORGET, {"before": before}, d=keys(old))

        return await self._database.transact(work)

    async def policies(self) -> Mapping[FailoverType, FailoverPolicy]:
        return await self._database.read(_policies)

    async def set_policy(self, policy: FailoverPolicy, *, by: Actor) -> FailoverPolicy:
        return await self._database.transact(partial(_set_policy, policy=policy, by=by), pool=Pool.API)


# ------------------------------------------------------------------------------------------------------- occurrences


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
    _tell(tx, "failover.detected", tx.rows(OF_KEYS, d=keys(unknown)), term)
    return len(fresh)


def end(tx: Tx, *, ends: Sequence[FailoverEnd], term: int | None = None) -> int:
    """Close the occurrences that are open; how many."""
    if not ends or not holds_term(tx, term):
        return 0
    by_id = {one.id: one for one in ends}
    rows = [row for row in tx.rows(OF_IDS, d=keys(sorted(by_id))) if row.ended_at is None]
    closing = [_closed_row(row, by_id[row.id]) for row in sorted(rows, key=_id)]
    if not closing:
        return 0
    if tx.change(CLOSE, d=closing) != len(closing):
        raise TryAgain("another server changed the same occurrence")
    closed = tx.rows(OF_IDS, d=keys([row[0] for row in closing]))
    _tell(tx, "failover.ended", closed, term)
    return len(closed)


def _escalate(tx: Tx, *, escalations: Sequence[Escalation], term: int | None) -> int:
    if not escalations or not holds_term(tx, term):
        return 0
    rows = sorted((one.id, str(one.level), one.channel) for one in escalations)
    changed = tx.change(ESCALATE, d=rows)
    _tell(tx, "failover.escalated", tx.rows(OF_IDS, d=keys([row[0] for row in rows])), term)
    return changed


def _add(tx: Tx, again: Sequence[tuple[Any, Detected]]) -> None:
    """Put what is seen again into open rows, where the same thing can fail again."""
    rows = []
    for row, one in sorted(again, key=lambda pair: int(pair[0].id)):
        if one.type not in COMES_AGAIN:
            continue
        before = _failover(row)
        began_at = before.began_at if one.began_at is None else min(before.began_at, one.began_at)
        evidence = _text({**before.evidence, **one.evidence})
        affected = _text(before.affected.with_more(one.affected))
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
        evidence=_text(one.evidence),
        affected=_text(Affected().with_more(one.affected)),
        action=str(DEFAULTS[one.type].action),
        attempts=one.attempts,
        session=one.session,
        under=term,
    )


def _closed_row(row: Any, one: FailoverEnd) -> tuple[Any, ...]:
    """A closed row of a type that comes again gives its key up, so that the next occurrence has it."""
    key = f"{row.occurrence}:{row.id}" if FailoverType(row.type) in COMES_AGAIN else row.occurrence
    return row.id, row.ver, str(one.outcome), _text(one.done), key, one.ended_at


def _tell(tx: Tx, kind: str, rows: Sequence[Any], term: int | None) -> None:
    """Note it in the journal, in the transaction in which it happened."""
    note(tx, [_happening(kind, _failover(row)) for row in rows], term=term)


def _happening(kind: str, failover: Failover) -> Happening:
    data: dict[str, Any] = {"failover": failover.id, "type": str(failover.type), "action": str(failover.action)}
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


def _is_wanted(one: Failover, wanted: FailoverFilter) -> bool:
    return (
        (not wanted.types or one.type in wanted.types)
        and (wanted.since is None or one.ended_at is None or one.ended_at >= wanted.since)
        and (wanted.namespace is None or one.namespace == wanted.namespace)
    )


def _failover(row: Any) -> Failover:
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


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _id(row: Any) -> int:
    return int(row.id)


# ---------------------------------------------------------------------------------------------------------- policies


def _policies(tx: Tx) -> Mapping[FailoverType, FailoverPolicy]:
    """What users changed, over what Foliot brings. A type of a newer Foliot is passed over."""
    found = dict(DEFAULTS)
    for row in tx.rows(POLICIES):
        if row.type in list(FailoverType):
            type_ = FailoverType(row.type)
            found[type_] = replace(found[type_], version=row.version, **_settings(row.document))
    return found


def _settings(document: str) -> dict[str, Any]:
    kept = msgspec.json.decode(document)
    return {**kept, "level": Urgency(kept["level"])}


def _set_policy(tx: Tx, *, policy: FailoverPolicy, by: Actor) -> FailoverPolicy:
    document = _text(
        {
            "timeout_us": policy.timeout_us,
            "attempts": policy.attempts,
            "level": str(policy.level),
            "channel": policy.channel,
        }
    )
    values = {"type": str(policy.type), "document": document, "made_by": by.name, "reason": by.reason}
    if policy.version == 0:
        changed = tx.change(FIRST_POLICY, d=[tuple(values.values())])
    else:
        changed = tx.change(NEXT_POLICY, {**values, "version": policy.version})
    if not changed:
        raise PolicyChanged(policy.type, version=_policies(tx)[policy.type].version)
    return replace(policy, version=policy.version + 1)
