"""Maintenance in the store: one row says until when no server decides. Firing, leasing and backfills obey it."""

from typing import Any, Final

from foliot.domain.instants import Instant, Micros, isoformat
from foliot.domain.maintenance import FOR_EVER, Maintenance
from foliot.ports.store.actor import Actor
from foliot.ports.store.journal import Happening, Topic
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement
from foliot.store.sql.people.journal import note

MAY_DECIDE: Final = "(SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= {now}"
"""Guard of what decides. A sub-select without reference to a row: the database reads it once a statement, and locks
nothing. A transaction that has read it may still commit just after a maintenance began."""

COLUMNS: Final = "maintenance_until, maintenance_at, maintenance_by, maintenance_reason"

BEGIN: Final = Statement(
    """
    UPDATE store_meta SET
      maintenance_at = CASE WHEN maintenance_until > {now} THEN maintenance_at ELSE {now} END,
      maintenance_until = {now} + :lasts,
      maintenance_by = :by, maintenance_reason = :reason
    WHERE id = 1
    """
)
"""One that lasts goes on, with another end and reason. MariaDB sets columns from left to right: the beginning comes
before the end that it is judged by."""

END: Final = Statement("UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until > {now}")
CLOSE: Final = Statement(
    "UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until BETWEEN 1 AND {now}"
)
"""Of one whose time is over and of whose end the journal does not say anything. It lets one server through."""
FOUND: Final = Statement(f"SELECT {COLUMNS}, {{now}} AS now FROM store_meta WHERE id = 1")


def begin(tx: Tx, *, lasts_us: Micros | None, by: Actor) -> Maintenance:
    """Let no server decide from now on, for so long or until somebody ends it."""
    close(tx)
    tx.change(BEGIN, {"lasts": FOR_EVER if lasts_us is None else lasts_us, "by": by.name, "reason": by.reason})
    begun = found(tx)
    assert begun is not None, "it was begun in this transaction"
    return begun


def end(tx: Tx) -> Maintenance | None:
    """Let servers decide again; the maintenance that was on, None: there was none."""
    was = found(tx)
    return was if tx.change(END) else None


def close(tx: Tx, *, term: int | None = None) -> bool:
    """Write down that a maintenance ended by its time; False: none did, or it is written down already."""
    last = tx.rows(FOUND)[0]
    if not holds_term(tx, term) or not tx.change(CLOSE):
        return False
    data = {"until": isoformat(last.maintenance_until)}
    key = f"maintenance.off:{last.maintenance_at}:{last.maintenance_until}"
    note(tx, [Happening(key=key, topic=Topic.CLUSTER, kind="maintenance.off", subject="", data=data)])
    return True


def found(tx: Tx) -> Maintenance | None:
    """The maintenance that is on."""
    row = tx.rows(FOUND)[0]
    return of(row, int(row.now))


def of(row: Any, now: Instant) -> Maintenance | None:
    """The maintenance that a row of the store's own table says, if it is on."""
    if row.maintenance_until <= now:
        return None
    until = None if row.maintenance_until >= FOR_EVER else row.maintenance_until
    return Maintenance(since=row.maintenance_at, until=until, by=row.maintenance_by, reason=row.maintenance_reason)
