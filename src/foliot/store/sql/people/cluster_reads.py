"""Nodes and the cluster for people."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.instants import Instant
from foliot.ports.store.lookups import ClusterRow, NodeRow
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

NODES_MAX: Final = 5000
QUEUE_COUNTED_MAX: Final = 10_001

_COLUMNS: Final = (
    "id, name, kind, state, until, started_at, last_beat_at, ended_at, group_name, slots, version, host, pid, "
    "wall_offset_us, labels, offer_hash, load, drained_by, namespace"
)
NODES: Final = Statement(
    f"SELECT {_COLUMNS} FROM nodes WHERE state <> 'dead' OR ended_at >= :since ORDER BY kind, name, started_at "
    f"LIMIT {NODES_MAX}"
)
SAID: Final = Statement(
    "SELECT n.id, n.offer_hash, n.handlers FROM nodes n WHERE n.id IN (SELECT d.id FROM {d})", RowSet("d", id=TEXT)
)
RUNNING: Final = Statement(
    "SELECT session_id, count(*) AS n FROM runs WHERE state = 'RUNNING' AND {held_by} > '' GROUP BY session_id"
)
META: Final = Statement("SELECT epoch, clock_suspect, clock_ahead_us FROM store_meta WHERE id = 1")
LEADER: Final = Statement(
    "SELECT l.holder_session, l.term, l.until, n.name FROM leases l LEFT JOIN nodes n ON n.id = l.holder_session "
    "WHERE l.name = 'leader'"
)
QUEUE: Final = Statement(
    "SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 0 {and_ready} "
    f"LIMIT {QUEUE_COUNTED_MAX}) q"
)
EXECUTING: Final = Statement(
    "SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'RUNNING' {and_running} "
    f"LIMIT {QUEUE_COUNTED_MAX}) q"
)
OLDEST_READY: Final = Statement(
    "SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 0 {and_ready} "
    f"LIMIT {QUEUE_COUNTED_MAX}) q"
)
OVERDUE: Final = Statement("SELECT next_at FROM cursors WHERE next_at <= :now ORDER BY next_at LIMIT 1")


def list_nodes(tx: Tx, *, include_dead_since: Instant | None) -> Sequence[NodeRow]:
    """Node sessions: those alive, and those that ended since an instant."""
    rows = tx.rows(NODES, {"since": 2**62 if include_dead_since is None else include_dead_since})
    running = {row.session_id: int(row.n) for row in tx.rows(RUNNING)}
    offered = _offered_by(tx, rows)
    return [_node(row, offered[row.id], running.get(row.id, 0)) for row in rows]


def cluster(tx: Tx) -> ClusterRow:
    """The cluster in one row. Numbers that could grow without end are counted to a limit only."""
    meta = tx.rows(META)[0]
    leader = tx.rows(LEADER)[0]
    now = tx.now()
    queue = int(tx.rows(QUEUE)[0][0])
    overdue = tx.rows(OVERDUE, {"now": now})
    return ClusterRow(
        now=now,
        epoch=meta.epoch,
        leader=leader.name if leader.until > now else None,
        leader_session=leader.holder_session,
        term=leader.term,
        leader_until=leader.until,
        clock_suspect=bool(meta.clock_suspect),
        clock_ahead_us=meta.clock_ahead_us if meta.clock_suspect else None,
        store=tx.dialect.name,
        queue=queue,
        running=int(tx.rows(EXECUTING)[0][0]),
        oldest_ready_at=tx.rows(OLDEST_READY)[0][0],
        overdue_at=overdue[0].next_at if overdue else None,
    )


class _Offered(NamedTuple):
    """What a worker says of its handlers. Workers with the same code share it: there may be thousands of them."""

    handlers: Mapping[str, Mapping[str, Any] | None]
    code_hashes: Mapping[str, str]


NOTHING: Final = _Offered({}, {})


def _offered_by(tx: Tx, nodes: Sequence[Any]) -> Mapping[str, _Offered]:
    """What each session says of its handlers. A text that many say is read from one of them: it may be megabytes."""
    by_text: dict[str, _Offered] = {}
    by_session: dict[str, _Offered] = {}
    waiting = nodes
    while waiting:
        speakers = {_text_of(node): node.id for node in waiting}
        by_session |= dict.fromkeys(speakers.values(), NOTHING)  # one may be gone by now
        for row in tx.rows(SAID, d=sorted((session,) for session in speakers.values())):
            by_text[_text_of(row)] = by_session[row.id] = _offered(row.handlers)
        # A speaker may have said something new since the nodes were listed: then another one is asked for the text.
        waiting = [node for node in waiting if _text_of(node) not in by_text and node.id not in by_session]
    return {node.id: by_text.get(_text_of(node)) or by_session[node.id] for node in nodes}


def _text_of(node: Any) -> str:
    """The hash of what it says; an older Foliot wrote none: then its text is its own."""
    return str(node.offer_hash or node.id)


def _offered(text: str) -> _Offered:
    offers = msgspec.json.decode(text) if text else []
    return _Offered(
        handlers={offer["name"]: offer.get("parameters") for offer in offers},
        code_hashes={offer["name"]: offer.get("code_hash", "") for offer in offers},
    )


def _node(row: Any, offered: _Offered, running: int) -> NodeRow:
    return NodeRow(
        session=row.id,
        name=row.name,
        kind=row.kind,
        state=row.state,
        until=row.until,
        started_at=row.started_at,
        last_beat_at=row.last_beat_at,
        ended_at=row.ended_at,
        group=row.group_name,
        slots=row.slots,
        version=row.version,
        host=row.host,
        pid=row.pid,
        clock_offset_us=row.wall_offset_us,
        labels=msgspec.json.decode(row.labels) if row.labels else {},
        handlers=offered.handlers,
        code_hashes=offered.code_hashes,
        load=msgspec.json.decode(row.load) if row.load else {},
        drained_by=row.drained_by,
        running=running,
        namespace=row.namespace,
    )
