"""Which limits by key and by worker of a job are full: who holds them, how many wait. A bounded number of each."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from foliot.domain.limits import LimitKind, kind_of
from foliot.domain.rates import refill_at
from foliot.ports.store.limits import KeyBounds, KeyUse
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import TEXT, RowSet, Statement, keys

LOOKED_AT: Final = 10_000
"""Keys of one kind of a job; more than so many are seldom live at a time."""
SHOWN: Final = 50
HOLDERS_SHOWN: Final = 5
WAITING_MAX: Final = 10_000

FULL: Final = Statement(
    f"""
    SELECT k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, {{now}} AS seen_at
    FROM (SELECT l.name, l.said, l.used, l.pace_us, l.burst, l.spent_until FROM limit_keys l
          WHERE l.name > :first AND l.name < :beyond ORDER BY l.name LIMIT {LOOKED_AT}) k
    WHERE (k.pace_us = 0 AND k.used >= :most)
          OR (k.pace_us > 0 AND k.spent_until - (k.burst - 1) * k.pace_us > {{now}})
    ORDER BY k.used DESC, k.spent_until DESC, k.name LIMIT :rows
    """
)

WAITING: Final = Statement(
    """
    SELECT count(*) FROM (SELECT w.run_id FROM limit_runs w WHERE w.name = :name AND w.waits = 1 LIMIT :rows) q
    """
)

HOLDING: Final = Statement(
    "SELECT h.run_id FROM limit_runs h WHERE h.name = :name AND h.waits = 0 ORDER BY h.turn, h.run_id LIMIT :rows"
)

WORKERS: Final = Statement("SELECT nodes.id, nodes.name FROM {d} JOIN nodes ON nodes.id = d.id", RowSet("d", id=TEXT))


def full_keys(tx: Tx, job_id: int, bounds: KeyBounds) -> Sequence[KeyUse]:
    """Keys of a job that let no run start now, the fullest first."""
    found: list[Any] = []
    for prefix, most in _asked(bounds):
        values = {"first": f"{prefix}:{job_id}:", "beyond": f"{prefix}:{job_id};", "most": most, "rows": SHOWN}
        found += tx.rows(FULL, values)
    shown = found[:SHOWN]
    sessions = [row.said for row in shown if kind_of(row.name) is LimitKind.WORKER]
    workers: dict[str, str] = tx.pairs(WORKERS, d=keys(sorted(sessions))) if sessions else {}
    return [_use(tx, row, bounds, workers.get(row.said)) for row in shown]


def _asked(bounds: KeyBounds) -> Iterator[tuple[str, int]]:
    if bounds.per_key is not None:
        yield "c", bounds.per_key
    if bounds.has_rate:
        yield "r", 0
    if bounds.per_worker is not None:
        yield "w", bounds.per_worker


def _use(tx: Tx, row: Any, bounds: KeyBounds, worker: str | None) -> KeyUse:
    if kind_of(row.name) is LimitKind.WORKER:
        name = worker or row.said
        return KeyUse(value=name, kind=LimitKind.WORKER, used=int(row.used), max=bounds.per_worker)

    waiting = int(tx.value(WAITING, {"name": row.name, "rows": WAITING_MAX}))
    if row.pace_us:
        next_at = refill_at(row.pace_us, row.burst, row.spent_until, row.seen_at)
        return KeyUse(value=row.said, kind=LimitKind.KEY, used=0, max=None, next_at=next_at, waiting=waiting)

    return KeyUse(
        value=row.said,
        kind=LimitKind.KEY,
        used=int(row.used),
        max=bounds.per_key,
        waiting=waiting,
        holders=_holders(tx, row.name),
    )


def _holders(tx: Tx, name: str) -> Sequence[int]:
    return [row.run_id for row in tx.rows(HOLDING, {"name": name, "rows": HOLDERS_SHOWN})]
