"""The store's epoch: it rises whenever the database behind the store may not be the one it was (R6).

A database that was restarted, failed over or restored may have forgotten commits, and with them tokens that were handed
out. So each new connection compares the database's fingerprint with the one the store remembers before anything else is
done on it; where they differ, whoever sees it first raises the epoch, and every fence after it is above all before.
"""

from dataclasses import dataclass
from typing import Final

import structlog

from foliot.domain.instants import SECOND
from foliot.store.sql.kernel.database import Database, Pool, TryAgain, Tx
from foliot.store.sql.kernel.statement import Statement

FINGERPRINT_MAX: Final = 300

FINGERPRINT: Final = Statement("{fingerprint}")
REMEMBERED: Final = Statement("SELECT epoch, fingerprint, {now} FROM store_meta WHERE id = 1")
RAISE: Final = Statement(
    """
    UPDATE store_meta SET epoch = :epoch, fingerprint = :fingerprint
    WHERE id = 1 AND epoch = :seen AND fingerprint = :known
    """
)

log = structlog.get_logger("foliot.store")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The database a store is kept in, as its connections find it."""

    epoch: int
    fingerprint: str
    is_known: bool  # the store remembers this very fingerprint
    is_new: bool  # no server has used the store yet
    lossy: str  # why a failover may forget commits; "": it does not


def compare(tx: Tx) -> None:
    """First thing on a new connection. Raises the epoch if the database is not the one the store remembers."""
    fingerprint, lossy = _fingerprint(tx)
    epoch, known, now = tx.rows(REMEMBERED)[0]
    if known == fingerprint:
        return
    raised = max(epoch + 1, int(now) // SECOND)
    values = {"epoch": raised, "fingerprint": fingerprint, "seen": epoch, "known": known}
    if not tx.change(RAISE, values):
        raise TryAgain("somebody else raised the epoch")
    # On SQLite every start of the one process is a start of the store: nothing to be warned of.
    tell = log.warning if known and tx.dialect.name != "sqlite" else log.info
    tell("store.epoch_raised", epoch=raised, was=epoch, fingerprint=fingerprint, before=known, lossy=lossy)


async def origin(database: Database) -> Origin:
    """What `foliot db status` shows; nothing changes."""

    def work(tx: Tx) -> Origin:
        fingerprint, lossy = _fingerprint(tx)
        epoch, known, _ = tx.rows(REMEMBERED)[0]
        return Origin(
            epoch=epoch, fingerprint=fingerprint, is_known=known == fingerprint, is_new=not known, lossy=lossy
        )

    return await database.read(work, pool=Pool.CONTROL)


async def warn_if_lossy(database: Database) -> None:
    """Once when a store is opened: what a failover of this database may forget is not promised (S7)."""
    found = await origin(database)
    if found.lossy:
        log.warning("store.lossy", because=found.lossy, hint="a failover may forget the last commits")


def _fingerprint(tx: Tx) -> tuple[str, str]:
    fingerprint, lossy = tx.rows(FINGERPRINT)[0]
    return fingerprint[:FINGERPRINT_MAX], lossy or ""
