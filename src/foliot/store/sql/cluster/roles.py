"""Roles of servers in their rows: one guarded update promotes one standby (R1).

Two servers that look at the same time see the same oldest standby, because every one of them orders by the same
columns. So both update the same row, and the second update matches nothing. One that looks after the first commit sees
enough active servers.

Users who demote two servers at the same time write two rows. So each first draws a number from one row, as a place in a
line: the second one counts after the first has committed.
"""

from typing import Any, Final

import msgspec

from foliot.domain.instants import MINUTE, Micros
from foliot.domain.roles import (
    Promotion,
    Role,
    SeenServer,
    SeenServers,
    ServerRules,
    role_of,
)
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.cluster.beats import SETTLED_ALL
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people.journal import note

RULES_ROW: Final = "servers"
"""In `failover_policies`. An older Foliot passes it over, as it does types of failures that it does not know."""
GONE_WITHIN_US: Final[Micros] = 5 * MINUTE

SERVERS: Final = Statement(
    """
    SELECT n.id, n.name, n.role, n.started_at,
           CASE WHEN n.state = 'live' AND n.until >= {now} THEN 1 ELSE 0 END AS is_live, p.document, p.version
    FROM nodes n LEFT JOIN failover_policies p ON p.type = 'servers'
    WHERE n.state IN ('live', 'draining') AND n.kind = 'server'
    """
)
PROMOTE: Final = Statement(
    """
    UPDATE nodes SET role = 'active', role_at = :at, promoted_for = :gone
    WHERE id = :session AND role = 'standby' AND state = 'live' AND until >= {now}
    """
)
SET_ROLE: Final = Statement(
    """
    UPDATE nodes SET role = :role, role_at = {now}, promoted_for = NULL
    WHERE id = :session AND kind = 'server' AND state = 'live' AND coalesce(role, 'active') <> :role
    """
)
IN_TURN: Final = Statement("UPDATE leases SET term = term + 1 WHERE name = 'roles'")
FIRST_TURN: Final = Statement(
    "{insert_ignore} leases (name, holder_session, term, until) VALUES ('roles', NULL, 0, 0) {ignore_duplicates}"
)
"""A lease that nobody holds: its term counts how often users took servers out of service, one after the other (R1)."""
DRAIN: Final = Statement(
    "UPDATE nodes SET state = 'draining', drained_by = :by, draining_at = {now} WHERE id = :session AND state = 'live'"
)
GONE: Final = Statement(
    """
    SELECT n.id, n.name FROM nodes n
    WHERE n.kind = 'server' AND coalesce(n.role, 'active') = 'active' AND n.settled <> :settled_all
      AND (n.state = 'dead' AND n.ended_at >= {now} - :look_back OR n.state = 'live' AND n.until < {now})
      AND NOT EXISTS (SELECT 1 FROM nodes p WHERE p.promoted_for = n.id)
    ORDER BY n.until DESC, n.id LIMIT 1
    """
)
"""The active server that fell silent last and that no standby was promoted for. What left in peace settled all."""
RULES: Final = Statement("SELECT version, document FROM failover_policies WHERE type = 'servers'")


def seen_servers(tx: Tx) -> SeenServers:
    """Every server that is not gone, and how many there are to be; one statement."""
    rows = tx.rows(SERVERS)
    servers = [
        SeenServer(
            session=row.id,
            name=row.name,
            role=role_of(row.role),
            started_at=row.started_at,
            is_live=bool(row.is_live),
        )
        for row in rows
    ]
    return SeenServers(servers=servers, rules=_rules_of(rows[0]) if rows else ServerRules())


def promote(tx: Tx) -> Promotion | None:
    """Promote the oldest standby when too few servers are active; None: nothing to do, or another was quicker."""
    chosen = seen_servers(tx).next_active
    if chosen is None:
        return None
    gone = tx.rows(GONE, {"settled_all": SETTLED_ALL, "look_back": GONE_WITHIN_US})
    session, instead_of = (gone[0].id, gone[0].name) if gone else (None, None)
    now = tx.now()
    tx.point("roles.chosen")
    if not tx.change(PROMOTE, {"session": chosen.session, "at": now, "gone": session}):
        return None
    promotion = Promotion(session=chosen.session, name=chosen.name, at=now, instead_of=instead_of)
    note(tx, [_happening(promotion)])
    return promotion


def set_role(tx: Tx, session: str, role: Role) -> bool:
    """A user changes the role of a live server; False: it has that role already, or it is gone."""
    if role is Role.STANDBY:
        _check_goes_without(tx, session)
    return tx.change(SET_ROLE, {"session": session, "role": str(role)}) == 1


def drain_server(tx: Tx, session: str, *, by: Actor) -> bool:
    """A user wants a server to decide no more; False: it drains already, or it is gone."""
    _check_goes_without(tx, session)
    return drain(tx, session, by=by)


def drain(tx: Tx, session: str, *, by: Actor) -> bool:
    """Ask a session to take no more work; False: it drains already, or it is gone."""
    said = msgspec.json.encode({"by": by.name, "reason": by.reason}).decode()
    return tx.change(DRAIN, {"session": session, "by": said}) == 1


def _check_goes_without(tx: Tx, session: str) -> None:
    """Look who is there only after the write that lets one user in at a time."""
    if not tx.change(IN_TURN):
        tx.change(FIRST_TURN)
        tx.change(IN_TURN)
    tx.point("roles.let_in")
    seen_servers(tx).check_goes_without(session)


def rules(tx: Tx) -> ServerRules:
    """How many servers there are to be."""
    rows = tx.rows(RULES)
    return _rules_of(rows[0]) if rows else ServerRules()


def _rules_of(row: Any) -> ServerRules:
    if row.document is None:
        return ServerRules()
    kept = msgspec.json.decode(row.document)
    return ServerRules(active_min=kept["active_min"], standby_count=kept["standby_count"], version=row.version)


def _happening(promotion: Promotion) -> Happening:
    data = {} if promotion.instead_of is None else {"instead_of": promotion.instead_of}
    return Happening(
        key=f"node.promoted:{promotion.session}:{promotion.at}",
        topic=Topic.NODES,
        kind="node.promoted",
        subject=promotion.name,
        data=data,
    )
