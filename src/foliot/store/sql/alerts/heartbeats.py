"""Checks of jobs outside of Foliot in SQL (`ports.store.heartbeats.HeartbeatStore`): guarded writes of one row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from foliot.domain.errors import InvalidInput
from foliot.domain.heartbeats.check import HeartbeatCheck, PingKind
from foliot.domain.heartbeats.document import check_from, written_check
from foliot.domain.heartbeats.errors import CheckChanged, TooManyChecks
from foliot.domain.heartbeats.life import Heard, Ping, edited, excused, heard_of, paused, resumed, trouble_of
from foliot.domain.instants import Instant
from foliot.domain.payload import canonical_json
from foliot.ports.store.actor import Actor
from foliot.ports.store.heartbeats import CHECKS_MAX, PINGS_KEPT, PingRow, WatchedCheck
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.alerts.heartbeat_rows import COLUMNS, INSTANTS, heard_in, watched
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.people.journal import note

ALL: Final = Statement(f"SELECT {COLUMNS}, {{now}} AS now FROM heartbeats h ORDER BY h.namespace, h.name LIMIT :rows")
OF_NAMESPACE: Final = Statement(
    f"SELECT {COLUMNS}, {{now}} AS now FROM heartbeats h WHERE h.namespace = :namespace ORDER BY h.name LIMIT :rows"
)
ONE: Final = Statement(
    f"SELECT {COLUMNS}, {{now}} AS now FROM heartbeats h WHERE h.namespace = :namespace AND h.name = :name"
)
COUNT: Final = Statement("SELECT count(*) FROM heartbeats")
FIRST: Final = Statement(
    """
    {insert_ignore} heartbeats (namespace, name, version, document, is_paused, pings, last_text, created_at, updated_at,
                                updated_by, reason)
    SELECT d.namespace, d.name, 1, d.document, 0, 0, '', {now}, {now}, d.made_by, d.reason FROM {d} WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", namespace=TEXT, name=TEXT, document=TEXT, made_by=TEXT, reason=TEXT),
)
NEXT: Final = Statement(
    """
    UPDATE heartbeats SET version = version + 1, document = :document, is_paused = :is_paused, started_at = :started_at,
                          due_at = :due_at, deadline_at = :deadline_at, trouble = :trouble, alarm_at = :alarm_at,
                          updated_at = {now}, updated_by = :made_by, reason = :reason
    WHERE id = :id AND version = :version AND pings = :pings
    """
)
HEARD: Final = Statement(
    """
    UPDATE heartbeats SET pings = pings + 1, last_at = :last_at, last_kind = :last_kind, last_text = :last_text,
                          exit_code = :exit_code, ok_at = :ok_at, started_at = :started_at, took_us = :took_us,
                          due_at = :due_at, deadline_at = :deadline_at, trouble = :trouble, alarm_at = :alarm_at
    WHERE id = :id AND version = :version AND pings = :pings
    """
)
PINGED: Final = Statement(
    """
    INSERT INTO heartbeat_pings (heartbeat_id, number, at, kind, text, exit_code, took_us, made_by)
    VALUES (:id, :number, :at, :kind, :text, :exit_code, :took_us, :made_by)
    """
)
FORGET: Final = Statement("DELETE FROM heartbeat_pings WHERE heartbeat_id = :id AND number <= :last")
PINGS: Final = Statement(
    """
    SELECT p.number, p.at, p.kind, p.text, p.exit_code, p.took_us, p.made_by
    FROM heartbeat_pings p JOIN heartbeats h ON h.id = p.heartbeat_id
    WHERE h.namespace = :namespace AND h.name = :name ORDER BY p.number DESC LIMIT :rows
    """
)
WATCHED: Final = Statement(
    f"""
    SELECT {COLUMNS}, {{now}} AS now FROM heartbeats h
    WHERE h.alarm_at >= :since AND h.trouble IS NULL AND h.is_paused = 0 ORDER BY h.alarm_at, h.id LIMIT :rows
    """
)
EXCUSE: Final = Statement(
    """
    UPDATE heartbeats SET started_at = d.started_at, due_at = d.due_at, deadline_at = d.deadline_at,
                          alarm_at = d.alarm_at
    FROM {d} WHERE heartbeats.id = d.id AND heartbeats.version = d.version AND heartbeats.pings = d.pings
    """,
    RowSet(
        "d",
        id=BIGINT,
        version=BIGINT,
        pings=BIGINT,
        started_at=BIGINT,
        due_at=BIGINT,
        deadline_at=BIGINT,
        alarm_at=BIGINT,
    ),
)
REMOVE: Final = Statement("DELETE FROM heartbeats WHERE id = :id")
log = structlog.get_logger("foliot.store")


class SqlHeartbeats:
    """`ports.store.heartbeats.HeartbeatStore` on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, namespace: str | None) -> Sequence[WatchedCheck]:
        return await self._database.read(partial(_list, namespace=namespace))

    async def find(self, name: str, *, namespace: str) -> WatchedCheck | None:
        return await self._database.read(partial(_find, name=name, namespace=namespace))

    async def save(self, check: HeartbeatCheck, *, by: Actor) -> WatchedCheck:
        return await self._database.transact(partial(_save, check=check, by=by), pool=Pool.API)

    async def remove(self, name: str, *, namespace: str, by: Actor) -> bool:
        return await self._database.transact(partial(_remove, name=name, namespace=namespace, by=by), pool=Pool.API)

    async def pause(self, name: str, *, namespace: str, is_paused: bool, by: Actor) -> WatchedCheck | None:
        work = partial(_pause, name=name, namespace=namespace, is_paused=is_paused, by=by)
        return await self._database.transact(work, pool=Pool.API)

    async def ping(self, name: str, *, namespace: str, ping: Ping, by: str) -> WatchedCheck | None:
        work = partial(_ping, name=name, namespace=namespace, ping=ping, by=by)
        return await self._database.transact(work, pool=Pool.API)

    async def excuse(self, unheard: Sequence[tuple[Instant, Instant]], *, term: int) -> Sequence[int]:
        return await self._database.transact(partial(_excuse, unheard=unheard, term=term))

    async def pings(self, name: str, *, namespace: str, limit: int) -> Sequence[PingRow]:
        values = {"namespace": namespace, "name": name, "rows": limit}
        rows = await self._database.read(lambda tx: tx.rows(PINGS, values))
        return [_ping_row(row) for row in rows]


def _list(tx: Tx, *, namespace: str | None) -> Sequence[WatchedCheck]:
    if namespace is None:
        rows = tx.rows(ALL, {"rows": CHECKS_MAX})
    else:
        rows = tx.rows(OF_NAMESPACE, {"namespace": namespace, "rows": CHECKS_MAX})
    return list(_readable(rows))


def _find(tx: Tx, *, name: str, namespace: str) -> WatchedCheck | None:
    return next(_readable(tx.rows(ONE, {"namespace": namespace, "name": name})), None)


def _save(tx: Tx, *, check: HeartbeatCheck, by: Actor) -> WatchedCheck:
    """The next version, if the version that the user saw is the present one. Its instants follow the new rhythm."""
    row = _row(tx, check.name, check.namespace)
    present = 0 if row is None else int(row.version)
    if present != check.version:
        raise CheckChanged(check.name, version=present)
    document = canonical_json(written_check(check))
    if row is None:
        if int(tx.value(COUNT)) >= CHECKS_MAX:
            raise TooManyChecks(most=CHECKS_MAX)
        if tx.change(FIRST, d=[(check.namespace, check.name, document, by.name, by.reason)]) != 1:
            raise TryAgain  # somebody else was quicker: look again, and refuse
    else:
        heard = heard_in(row)
        after = heard if row.is_paused else edited(check, heard)
        _change(tx, row, after, is_paused=bool(row.is_paused), document=document, by=by)
    saved = _found(tx, check)
    _tell(tx, "check.saved", saved, by)
    return saved


def _pause(tx: Tx, *, name: str, namespace: str, is_paused: bool, by: Actor) -> WatchedCheck | None:
    row = _row(tx, name, namespace)
    seen = None if row is None else next(_readable([row]), None)
    if row is None or seen is None or seen.is_paused == is_paused:
        return seen
    after = paused(seen.heard) if is_paused else resumed(seen.check, seen.heard, at=seen.now)
    _change(tx, row, after, is_paused=is_paused, document=row.document, by=by)
    changed = _found(tx, seen.check)
    _tell(tx, "check.paused" if is_paused else "check.resumed", changed, by)
    return changed


def _remove(tx: Tx, *, name: str, namespace: str, by: Actor) -> bool:
    row = _row(tx, name, namespace)
    if row is None or not tx.change(REMOVE, {"id": row.id}):
        return False
    tx.change(FORGET, {"id": row.id, "last": int(row.pings)})
    happening = _happening("check.removed", name, namespace, f"{row.id}", by.name, _reason(by))
    note(tx, [happening])
    return True


def _ping(tx: Tx, *, name: str, namespace: str, ping: Ping, by: str) -> WatchedCheck | None:
    """One guarded write, and its place in the history; the oldest ping gives its own up."""
    row = _row(tx, name, namespace)
    seen = None if row is None else next(_readable([row]), None)
    if row is None or seen is None:
        return None
    after = heard_of(seen.check, seen.heard, ping, at=seen.now, is_paused=seen.is_paused)
    if tx.change(HEARD, {**_instants(after), **_guard(row), **_last(after)}) != 1:
        raise TryAgain  # another ping, or an edit, was quicker
    was_end = ping.kind is not PingKind.START and seen.heard.started_at is not None
    values = {
        "id": row.id,
        "number": after.pings,
        "at": seen.now,
        "kind": str(ping.kind),
        "text": ping.text,
        "exit_code": ping.exit_code,
        "took_us": after.took_us if was_end else None,
        "made_by": by,
    }
    tx.change(PINGED, values)
    if after.pings > PINGS_KEPT:
        tx.change(FORGET, {"id": row.id, "last": after.pings - PINGS_KEPT})
    _tell_turn(tx, seen, after, ping, by)
    return replace(seen, heard=after)


def _excuse(tx: Tx, *, unheard: Sequence[tuple[Instant, Instant]], term: int) -> Sequence[int]:
    rows = tx.rows(WATCHED, {"since": min(unheard)[0], "rows": CHECKS_MAX}) if unheard else ()
    changed: list[tuple[Any, ...]] = []
    told: list[Happening] = []
    for row in rows:
        seen = next(_readable([row]), None)
        if seen is None:
            continue
        after = excused(seen.check, seen.heard, sorted(unheard))
        if after == seen.heard:
            continue
        changed.append((row.id, row.version, row.pings, *(getattr(after, name) for name in INSTANTS)))
        data = {"due_at": after.due_at}
        told.append(_happening("check.excused", row.name, row.namespace, f"{row.id}:{after.due_at}", "foliot", data))
    if not changed or not holds_term(tx, term):
        return ()
    tx.change(EXCUSE, d=sorted(changed))
    note(tx, told, term=term)
    return [int(row[0]) for row in changed]


# ------------------------------------------------------------------------------------------------------------- parts


def _row(tx: Tx, name: str, namespace: str) -> Any:
    rows = tx.rows(ONE, {"namespace": namespace, "name": name})
    if not rows:
        return None
    tx.learn_now(int(rows[0].now))
    return rows[0]


def _found(tx: Tx, check: HeartbeatCheck) -> WatchedCheck:
    found = _find(tx, name=check.name, namespace=check.namespace)
    assert found is not None, check.name
    return found


def _change(tx: Tx, row: Any, after: Heard, *, is_paused: bool, document: str, by: Actor) -> None:
    values = {
        **_instants(after),
        **_guard(row),
        "document": document,
        "is_paused": int(is_paused),
        "made_by": by.name,
        "reason": by.reason,
    }
    if tx.change(NEXT, values) != 1:
        raise TryAgain  # a ping came meanwhile, or another change


def _guard(row: Any) -> dict[str, Any]:
    return {"id": row.id, "version": row.version, "pings": row.pings}


def _instants(heard: Heard) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(heard, name) for name in INSTANTS}
    return {**values, "trouble": None if heard.trouble is None else str(heard.trouble)}


def _last(heard: Heard) -> dict[str, Any]:
    return {
        "last_at": heard.last_at,
        "last_kind": None if heard.last_kind is None else str(heard.last_kind),
        "last_text": heard.last_text,
        "exit_code": heard.exit_code,
        "ok_at": heard.ok_at,
        "took_us": heard.took_us,
    }


def _readable(rows: Sequence[Any]) -> Iterator[WatchedCheck]:
    """A check of a newer Foliot is passed over while servers are updated."""
    for row in rows:
        try:
            document = msgspec.json.decode(row.document)
            check = check_from(document, name=row.name, namespace=row.namespace, version=row.version)
        except (InvalidInput, msgspec.DecodeError) as trouble:
            log.warning("check.unreadable", check=row.name, namespace=row.namespace, why=str(trouble))
            continue
        yield watched(check, row)


def _ping_row(row: Any) -> PingRow:
    return PingRow(
        number=int(row.number),
        at=int(row.at),
        kind=PingKind(row.kind),
        text=row.text,
        exit_code=row.exit_code,
        took_us=row.took_us,
        by=row.made_by,
    )


# ----------------------------------------------------------------------------------------------------------- journal


def _tell(tx: Tx, kind: str, seen: WatchedCheck, by: Actor) -> None:
    check = seen.check
    key = f"{check.version}:{seen.now}:{check.namespace}/{check.name}"
    note(tx, [_happening(kind, check.name, check.namespace, key, by.name, _reason(by))])


def _tell_turn(tx: Tx, before: WatchedCheck, after: Heard, ping: Ping, by: str) -> None:
    """Only turns are noted: from well to failed, and from down to well. The others stand in the history."""
    was, is_now = before.trouble, trouble_of(after, before.now)
    if is_now is was or (was is not None and is_now is not None and ping.kind is PingKind.START):
        return
    kind = "check.recovered" if is_now is None else "check.failed"
    data: dict[str, Any] = {} if was is None else {"was": str(was)}
    if ping.exit_code is not None:
        data["exit_code"] = ping.exit_code
    check = before.check
    key = f"{after.pings}:{before.now}:{check.namespace}/{check.name}"
    note(tx, [_happening(kind, check.name, check.namespace, key, by, data)])


def _happening(kind: str, name: str, namespace: str, key: str, by: str, data: Mapping[str, Any]) -> Happening:
    return Happening(
        key=f"{kind}:{key}"[:200], topic=Topic.CLUSTER, kind=kind, subject=name, by=by, namespace=namespace, data=data
    )


def _reason(by: Actor) -> dict[str, Any]:
    return {"reason": by.reason} if by.reason else {}
