"""The logs of all shards of a run together: which pieces were written when, and their text.

A look goes along `runs_children` and, for each shard, along `run_logs_time`: it reads the pieces of its stretch of
time, however long the logs are.
"""

import zlib
from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import Instant
from foliot.ports.store.shard_logs import PieceKey, ShardPiece
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

BOUNDS: Final = Statement(
    """
    SELECT min(w.low) AS low, max(w.high) AS high
    FROM (SELECT (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at LIMIT 1) AS low,
                 (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at DESC LIMIT 1) AS high
          FROM runs r WHERE r.parent_id = :id) w
    """
)
_PIECES: Final = """
    SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
           p.at_offset AS before_at, p.size AS before_size,
           (SELECT n.at_offset FROM run_logs n {by_key} WHERE n.run_id = w.run_id AND n.attempt = w.attempt
            ORDER BY n.at_offset DESC LIMIT 1) AS last_at
    FROM (SELECT r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
                 CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
          FROM runs r {pieces}
          ORDER BY l.written_at {way}, r.id, l.attempt, l.at_offset LIMIT :rows) w
    LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
         AND p.at_offset = (SELECT q.at_offset FROM run_logs q {by_key}
                            WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                            ORDER BY q.at_offset DESC LIMIT 1)
    ORDER BY w.written_at {way}, w.run_id, w.attempt, w.at_offset
"""
_STRETCH: Final = "l.written_at >= :from_at AND l.written_at <= :until AND l.attempt >= :first AND l.attempt <= :last"
_JOINED: Final = f"JOIN run_logs l {{hint}} ON l.run_id = r.id AND {_STRETCH} WHERE r.parent_id = :id"
# PostgreSQL would rather walk through the pieces of all runs: a limit inside keeps it at one shard after the other.
_SHARD_BY_SHARD: Final = f"""
    CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND {_STRETCH}
                        ORDER BY l.written_at {{way}} LIMIT :rows) l WHERE r.parent_id = :id
"""


def _pieces(way: str) -> Statement:
    # MariaDB takes no stretch of an index for each shard: it reads a shard's whole part of it, but no row besides.
    in_index = _JOINED.format(hint="FORCE INDEX FOR JOIN (run_logs_time)")
    return Statement(
        _PIECES.format(way=way, pieces=_JOINED.format(hint=""), by_key=""),
        mysql=_PIECES.format(way=way, pieces=in_index, by_key="FORCE INDEX (PRIMARY)"),
        postgresql=_PIECES.format(way=way, pieces=_SHARD_BY_SHARD.format(way=way), by_key=""),
    )


NEWEST: Final = _pieces("DESC")
OLDEST: Final = _pieces("ASC")
TEXTS: Final = Statement(
    """
    SELECT l.run_id, l.attempt, l.at_offset, l.body
    FROM {d} JOIN run_logs l ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset = d.at_offset
    """,
    RowSet("d", run_id=BIGINT, attempt=BIGINT, at_offset=BIGINT),
)
_ATTEMPT_MAX: Final = 2**31 - 1


def bounds(tx: Tx, run_id: int) -> tuple[Instant, Instant] | None:
    """When the first and the last piece of a run's shards were written; None: there is none."""
    (row,) = tx.rows(BOUNDS, {"id": run_id})
    return None if row.low is None else (int(row.low), int(row.high))


def pieces(
    tx: Tx, run_id: int, *, attempt: int | None, from_at: Instant, until: Instant, newest: bool, limit: int
) -> Sequence[ShardPiece]:
    """The newest or the oldest pieces of a stretch of time."""
    first, last = (0, _ATTEMPT_MAX) if attempt is None else (attempt, attempt)
    stretch = {"id": run_id, "from_at": from_at, "until": until, "first": first, "last": last, "rows": limit}
    return [
        ShardPiece(
            run_id=row.run_id,
            shard=row.shard,
            attempt=row.attempt,
            offset=row.at_offset,
            size=row.size,
            written_at=row.written_at,
            is_growing=bool(row.is_growing),
            before_offset=row.before_at,
            before_end=0 if row.before_at is None else row.before_at + row.before_size,
            is_last=row.last_at == row.at_offset,
        )
        for row in tx.rows(NEWEST if newest else OLDEST, stretch)
    ]


def texts(tx: Tx, keys: Sequence[PieceKey]) -> dict[PieceKey, bytes]:
    """The text of each piece."""
    rows = tx.rows(TEXTS, d=sorted(keys))
    return {PieceKey(row.run_id, row.attempt, row.at_offset): zlib.decompress(row.body) for row in rows}
