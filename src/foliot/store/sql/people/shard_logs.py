"""The logs of all shards of a run together: which pieces were written when, and their text.

A window goes along `runs_children` and, for each shard, along `run_logs_time`: it reads the pieces of its stretch of
time, however long the logs are. Who follows goes along `run_logs_news`: it reads what is new, however many shards there
are. Now and then it asks how far the log of each shard goes, since a piece may become visible behind a later one.
"""

import zlib
from collections.abc import Sequence
from typing import Final

from foliot.domain.instants import Instant
from foliot.ports.store.shard_logs import PieceKey, ShardEnd, ShardPiece
from foliot.store.sql.kernel.database import Row, Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement

BOUNDS: Final = Statement(
    """
    SELECT min(w.low) AS low, max(w.high) AS high
    FROM (SELECT (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at LIMIT 1) AS low,
                 (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at DESC LIMIT 1) AS high
          FROM runs r WHERE r.parent_id = :id) w
    """
)
_COLUMNS: Final = """
    r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
    CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
"""
_BY_KEY: Final = "FORCE INDEX (PRIMARY)"  # of MariaDB


def _with_neighbours(which: str, order: str, by_key: str = "") -> str:
    """Pieces, each with the one before it and whether it is the last."""
    return f"""
    SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
           p.at_offset AS before_at, p.size AS before_size,
           (SELECT n.at_offset FROM run_logs n {by_key} WHERE n.run_id = w.run_id AND n.attempt = w.attempt
            ORDER BY n.at_offset DESC LIMIT 1) AS last_at
    FROM (SELECT {_COLUMNS} FROM {which}
          ORDER BY {order.format(l="l", r="r.id")} LIMIT :rows) w
    LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
         AND p.at_offset = (SELECT q.at_offset FROM run_logs q {by_key}
                            WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                            ORDER BY q.at_offset DESC LIMIT 1)
    ORDER BY {order.format(l="w", r="w.run_id")}
    """


_IN_TIME: Final = "{l}.written_at, {r}, {l}.attempt, {l}.at_offset"
_BACK_IN_TIME: Final = "{l}.written_at DESC, {r}, {l}.attempt, {l}.at_offset"
_BY_SHARD: Final = "{r}, {l}.attempt, {l}.at_offset"
_ATTEMPTS: Final = "l.attempt >= :first AND l.attempt <= :last"
_STRETCH: Final = f"l.written_at >= :from_at AND l.written_at <= :until AND {_ATTEMPTS}"
_JOINED: Final = f"runs r JOIN run_logs l {{hint}} ON l.run_id = r.id AND {_STRETCH} WHERE r.parent_id = :id"
# PostgreSQL would rather walk through the pieces of all runs: a limit inside keeps it at one shard after the other.
_SHARD_BY_SHARD: Final = f"""
    runs r CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND {_STRETCH}
                               ORDER BY l.written_at {{way}} LIMIT :rows) l WHERE r.parent_id = :id
"""


def _pieces(way: str, order: str) -> Statement:
    # MariaDB takes no stretch of an index for each shard: it reads a shard's whole part of it, but no row besides.
    in_index = _JOINED.format(hint="FORCE INDEX FOR JOIN (run_logs_time)")
    return Statement(
        _with_neighbours(_JOINED.format(hint=""), order),
        mysql=_with_neighbours(in_index, order, _BY_KEY),
        postgresql=_with_neighbours(_SHARD_BY_SHARD.format(way=way), order),
    )


NEWEST: Final = _pieces("DESC", _BACK_IN_TIME)
OLDEST: Final = _pieces("ASC", _IN_TIME)
_SINCE: Final = f"WHERE l.parent_id = :id AND l.written_at >= :from_at AND {_ATTEMPTS}"
NEWS: Final = Statement(
    _with_neighbours(f"run_logs l CROSS JOIN runs r ON r.id = l.run_id {_SINCE}", _IN_TIME),
    mysql=_with_neighbours(
        f"run_logs l FORCE INDEX (run_logs_news) STRAIGHT_JOIN runs r ON r.id = l.run_id {_SINCE}", _IN_TIME, _BY_KEY
    ),
    postgresql=_with_neighbours(f"run_logs l JOIN runs r ON r.id = l.run_id {_SINCE}", _IN_TIME),
)
"""What was written for a run's shards since an instant."""
_LAST: Final = """
    SELECT l.run_id, l.attempt, l.at_offset, l.size, l.written_at
    FROM runs r {join} run_logs l {by_key} ON l.run_id = r.id
         AND l.attempt = (SELECT n.attempt FROM run_logs n {by_key} WHERE n.run_id = r.id
                          AND n.attempt >= :first AND n.attempt <= :last ORDER BY n.attempt DESC LIMIT 1)
         AND l.at_offset = (SELECT m.at_offset FROM run_logs m {by_key} WHERE m.run_id = r.id
                            AND m.attempt >= :first AND m.attempt <= :last
                            ORDER BY m.attempt DESC, m.at_offset DESC LIMIT 1)
    WHERE r.parent_id = :id
"""
ENDS: Final = Statement(
    _LAST.format(join="CROSS JOIN", by_key=""),
    mysql=_LAST.format(join="STRAIGHT_JOIN", by_key=_BY_KEY),
    postgresql=f"""
    SELECT l.run_id, l.attempt, l.at_offset, l.size, l.written_at
    FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND {_ATTEMPTS}
                                    ORDER BY l.attempt DESC, l.at_offset DESC LIMIT 1) l
    WHERE r.parent_id = :id
    """,
)
"""The last piece of each shard."""
_FROM_THERE: Final = "l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset >= d.at_offset"
_BEHIND: Final = f"{{{{d}}}} JOIN runs r ON r.id = d.run_id JOIN run_logs l {{hint}} ON {_FROM_THERE}"
BEHIND: Final = Statement(
    _with_neighbours(_BEHIND.format(hint=""), _BY_SHARD),
    RowSet("d", run_id=BIGINT, attempt=BIGINT, at_offset=BIGINT),
    mysql=_with_neighbours(_BEHIND.format(hint=_BY_KEY), _BY_SHARD, _BY_KEY),
    postgresql=_with_neighbours(
        f"""
        {{d}} JOIN runs r ON r.id = d.run_id
        CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE {_FROM_THERE} ORDER BY l.at_offset LIMIT :rows) l
        """,
        _BY_SHARD,
    ),
)
"""The pieces of attempts from an offset on. MariaDB reads each attempt's whole part of the index."""
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
    stretch = {"id": run_id, "from_at": from_at, "until": until, **_attempts(attempt), "rows": limit}
    return list(map(_piece, tx.rows(NEWEST if newest else OLDEST, stretch)))


def news(tx: Tx, run_id: int, *, attempt: int | None, from_at: Instant, limit: int) -> Sequence[ShardPiece]:
    """The oldest pieces that were written since an instant."""
    return list(map(_piece, tx.rows(NEWS, {"id": run_id, "from_at": from_at, **_attempts(attempt), "rows": limit})))


def ends(tx: Tx, run_id: int, *, attempt: int | None) -> Sequence[ShardEnd]:
    """How far the log of each shard goes: that of the last attempt that wrote."""
    return [
        ShardEnd(PieceKey(row.run_id, row.attempt, row.at_offset + row.size), row.written_at)
        for row in tx.rows(ENDS, {"id": run_id, **_attempts(attempt)})
    ]


def behind(tx: Tx, places: Sequence[PieceKey], *, limit: int) -> Sequence[ShardPiece]:
    """The pieces of attempts from an offset on, shard by shard."""
    return list(map(_piece, tx.rows(BEHIND, {"rows": limit}, d=sorted(places))))


def _attempts(attempt: int | None) -> dict[str, int]:
    first, last = (0, _ATTEMPT_MAX) if attempt is None else (attempt, attempt)
    return {"first": first, "last": last}


def _piece(row: Row) -> ShardPiece:
    return ShardPiece(
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


def texts(tx: Tx, keys: Sequence[PieceKey]) -> dict[PieceKey, bytes]:
    """The text of each piece."""
    rows = tx.rows(TEXTS, d=sorted(keys))
    return {PieceKey(row.run_id, row.attempt, row.at_offset): zlib.decompress(row.body) for row in rows}
