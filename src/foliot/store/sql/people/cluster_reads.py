"""Nodes and the cluster for people."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.health import Health
from foliot.domain.instants import Instant
from foliot.ports.store.lookups import ClusterRow
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import NO_KINDS, StatedKinds, stated_kinds
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

NODES_MAX: Final = 5000
QUEUE_COUNTED_MAX: Final = 10_001
_NEVER: Final[Instant] = 2**62

_TEXT_OF: Final = "coalesce(n.offer_hash, n.id)"
"""What names the text that a node says of its handlers. An older Foliot wrote no hash: then the text is its own."""

NODES: Final = Statement(
    f"""
    SELECT n.id, n.name, n.kind, n.state, n.until, n.started_at, n.last_beat_at, n.ended_at, n.group_name, n.slots,
           n.version, n.host, n.pid, n.wall_offset_us, n.labels, n.load, n.drained_by, n.namespace, listed.text_of,
           n.protocol, n.address, n.band, n.band_at, n.begun_at, n.asked_at, n.ready_at, n.draining_at,
           speaker.handlers, stated.stated, coalesce(held.runs, 0) AS running
    FROM (
      SELECT n.id, {_TEXT_OF} AS text_of, row_number() OVER (PARTITION BY {_TEXT_OF} ORDER BY n.id) AS nth
      FROM (SELECT id, offer_hash FROM nodes WHERE state <> 'dead' OR ended_at >= :since
            ORDER BY kind, name, started_at LIMIT {NODES_MAX}) n
    ) listed
    JOIN nodes n ON n.id = listed.id
    LEFT JOIN nodes speaker ON speaker.id = listed.id AND listed.nth = 1
    LEFT JOIN worker_kinds stated ON stated.hash = speaker.kinds
    LEFT JOIN (SELECT r.session_id, count(*) AS runs FROM runs r
               WHERE r.state = 'RUNNING' AND r.{{held_by}} > '' GROUP BY r.session_id) held ON held.session_id = n.id
    ORDER BY n.kind, n.name, n.started_at
    """
)
"""Thousands of workers may say the same megabytes of their handlers: the first of them brings the text along."""

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
    since = _NEVER if include_dead_since is None else include_dead_since
    rows = tx.rows(NODES, {"since": since})
    by_text: dict[str, _Offered] = {}
    for row in rows:
        if row.handlers is not None:
            by_text[row.text_of] = _offered(row.handlers, row.stated)
    return [_node(row, by_text.get(row.text_of, NOTHING)) for row in rows]


def cluster(tx: Tx) -> ClusterRow:
    """The cluster in one row. Numbers that could grow without end are counted to a limit only."""
    meta = tx.rows(META)[0]
    leader = tx.rows(LEADER)[0]
    now = tx.now()
    queue = int(tx.value(QUEUE))
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
        running=int(tx.value(EXECUTING)),
        oldest_ready_at=tx.value(OLDEST_READY),
        overdue_at=overdue[0].next_at if overdue else None,
    )


class _Offered(NamedTuple):
    """What a worker says of its handlers. Workers with the same code share it: there may be thousands of them."""

    handlers: Mapping[str, Mapping[str, Any] | None]
    code_hashes: Mapping[str, str]
    kinds: StatedKinds


NOTHING: Final = _Offered({}, {}, NO_KINDS)


def _offered(text: str, stated: str | None) -> _Offered:
    offers = msgspec.json.decode(text) if text else []
    said = msgspec.json.decode(stated, type=StatedKinds) if stated else NO_KINDS
    return _Offered(
        handlers={offer["name"]: offer.get("parameters") for offer in offers},
        code_hashes={offer["name"]: offer.get("code_hash", "") for offer in offers},
        kinds=stated_kinds(said.loaded, said.failed, [offer["name"] for offer in offers]),
    )


def _node(row: Any, offered: _Offered) -> NodeRow:
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
        kinds=offered.kinds,
        load=msgspec.json.decode(row.load) if row.load else {},
        drained_by=row.drained_by,
        running=int(row.running),
        namespace=row.namespace,
        protocol=row.protocol,
        address=row.address,
        band=Health(row.band or Health.ONLINE),
        band_at=row.band_at,
        begun_at=row.begun_at,
        asked_at=row.asked_at,
        ready_at=row.ready_at,
        draining_at=row.draining_at,
    )
