"""Nodes and the cluster for people."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from foliot.domain.health import FellBy, Health
from foliot.domain.instants import Instant
from foliot.domain.roles import role_of
from foliot.ports.store.journal import election_key
from foliot.ports.store.lookups import ClusterRow
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import NO_KINDS, StatedKinds, stated_kinds
from foliot.store.sql.cluster import maintenance
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
           n.protocol, n.address, n.band, n.band_at, n.begun_at, n.asked_at, n.ready_at, n.draining_at, n.drills,
           n.role, n.role_at, n.weight, n.band_cause,
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

_PENDING: Final = "FROM runs WHERE state = 'PENDING' AND parked = 0 {and_ready}"
_ASSIGNED: Final = "FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > ''"
CLUSTER: Final = Statement(
    f"""
    SELECT {{now}} AS now, m.epoch, m.clock_suspect, m.clock_ahead_us, l.holder_session, l.term, l.until, n.name,
           {maintenance.COLUMNS},
           (SELECT count(*) FROM (SELECT 1 AS one {_PENDING} LIMIT {QUEUE_COUNTED_MAX}) q) AS queue,
           (SELECT min(q.not_before) FROM (SELECT not_before {_PENDING}
                                           LIMIT {QUEUE_COUNTED_MAX}) q) AS oldest_ready_at,
           (SELECT count(*) FROM (SELECT 1 AS one {_ASSIGNED} LIMIT {QUEUE_COUNTED_MAX}) q) AS assigned,
           (SELECT min(q.not_before) FROM (SELECT not_before {_ASSIGNED}
                                           LIMIT {QUEUE_COUNTED_MAX}) q) AS oldest_assigned_at,
           (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'RUNNING' {{and_running}}
                                  LIMIT {QUEUE_COUNTED_MAX}) q) AS running,
           (SELECT c.next_at FROM cursors c WHERE c.next_at <= {{now}} ORDER BY c.next_at LIMIT 1) AS overdue_at
    FROM store_meta m JOIN leases l ON l.name = 'leader' LEFT JOIN nodes n ON n.id = l.holder_session
    WHERE m.id = 1
    """
)
ELECTED: Final = Statement("SELECT at FROM events WHERE event_key = :key")


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
    row = tx.rows(CLUSTER)[0]
    leads = row.name is not None and row.until > row.now
    elected = tx.rows(ELECTED, {"key": election_key(row.epoch, row.term)}) if leads else []
    waiting = [at for at in (row.oldest_ready_at, row.oldest_assigned_at) if at is not None]
    return ClusterRow(
        now=int(row.now),
        epoch=row.epoch,
        leader=row.name if leads else None,
        leader_session=row.holder_session,
        term=row.term,
        leader_until=row.until,
        clock_suspect=bool(row.clock_suspect),
        clock_ahead_us=row.clock_ahead_us if row.clock_suspect else None,
        store=tx.dialect.name,
        queue=min(QUEUE_COUNTED_MAX, int(row.queue) + int(row.assigned)),
        running=int(row.running),
        oldest_ready_at=min(waiting, default=None),
        overdue_at=row.overdue_at,
        maintenance=maintenance.of(row, int(row.now)),
        leader_since=elected[0].at if elected else None,
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
        drills=tuple(filter(None, (row.drills or "").split(","))),
        band=Health(row.band or Health.ONLINE),
        band_at=row.band_at,
        fell_by=FellBy(row.band_cause) if row.band_cause else None,
        begun_at=row.begun_at,
        asked_at=row.asked_at,
        ready_at=row.ready_at,
        draining_at=row.draining_at,
        role=role_of(row.role) if row.kind == "server" else None,
        role_at=row.role_at,
        weight=row.weight,
    )
