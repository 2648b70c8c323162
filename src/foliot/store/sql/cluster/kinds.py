"""What sessions say of their kinds of handlers, in SQL: kept once for all workers that say the same.

A row never changes but for `used_at`. A session that begins with an old row raises that first, in its transaction: so
nobody takes the row away meanwhile. Thousands of workers begin at once with one row: each reads it, and writes nothing
while it is fresh.
"""

from hashlib import sha256
from typing import Final

import msgspec

from foliot.domain.instants import HOUR, Micros
from foliot.ports.worker_link import Hello, StatedKinds
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement

FRESH_US: Final[Micros] = HOUR

IS_FRESH: Final = Statement("SELECT 1 FROM worker_kinds WHERE hash = :hash AND used_at >= {now} - :fresh")
USE: Final = Statement("UPDATE worker_kinds SET used_at = {now} WHERE hash = :hash")
KEEP: Final = Statement(
    """
    {insert_ignore} worker_kinds (hash, stated, used_at)
    SELECT d.hash, d.stated, {now} FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", hash=TEXT, stated=TEXT),
)
UNUSED: Final = Statement(
    """
    SELECT w.hash FROM worker_kinds w
    WHERE w.used_at < {now} - :unused
      AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.kinds = w.hash AND n.state IN ('live', 'draining'))
    ORDER BY w.used_at LIMIT :limit
    """
)
FORGET: Final = Statement(
    "DELETE FROM worker_kinds WHERE used_at < {now} - :unused AND hash IN (SELECT d.hash FROM {d})",
    RowSet("d", hash=TEXT),
)


def text_of(hello: Hello) -> str | None:
    """What a session says of its kinds, as it is kept; None: nothing."""
    if not hello.kinds and not hello.failed_kinds:
        return None
    stated = StatedKinds(loaded=hello.kinds, failed=hello.failed_kinds)
    return msgspec.json.encode(stated).decode()


def use(tx: Tx, stated: str | None) -> str | None:
    """Keep what a session says, in the transaction that begins the session; its hash."""
    if stated is None:
        return None
    key = sha256(stated.encode()).hexdigest()
    is_fresh = tx.rows(IS_FRESH, {"hash": key, "fresh": FRESH_US})
    if not is_fresh and not tx.change(USE, {"hash": key}):
        tx.change(KEEP, d=[(key, stated)])
    return key


def forget(unused_us: Micros, limit: int, term: int, tx: Tx) -> int:
    """Take away what no live session has said for a time; how many rows."""
    unused_us = max(unused_us, 2 * FRESH_US)  # a session may begin with a fresh row, and not have committed
    rows = tx.rows(UNUSED, {"unused": unused_us, "limit": limit})
    if not rows or not holds_term(tx, term):
        return 0
    return tx.change(FORGET, {"unused": unused_us}, d=[(row.hash,) for row in rows])
