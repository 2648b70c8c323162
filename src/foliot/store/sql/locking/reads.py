"""What is read of locks: how far claims are, who waits for whom, and locks as people see them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from foliot.domain.lock_order import LocksTaken
from foliot.domain.run import format_run_id
from foliot.ports.store.locks import ClaimShown, LockAnswer, LockShown, LockState, LockWaits
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.locking.decisions import claim_of

WAITS_MAX: Final = 20_000

LOOK: Final = Statement(
    "SELECT c.id, c.token, c.broken, c.ttl_us FROM lock_claims c WHERE c.id IN (SELECT d.id FROM {d})",
    RowSet("d", id=TEXT),
)
WAITS: Final = Statement(
    """
    SELECT c.id, c.lock_id, c.place, c.most, c.owner, c.until, c.token, c.broken, c.asked_at, c.made_by, c.run_id,
           l.namespace, l.name, j.name AS job
    FROM lock_claims c JOIN locks l ON l.id = c.lock_id
         LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
    WHERE c.lock_id IN (SELECT w.lock_id FROM lock_claims w WHERE w.token IS NULL)
    ORDER BY c.lock_id, c.place LIMIT :limit
    """
)
"""One statement, so that what it shows was so at one moment."""

_PAGE: Final = """
    SELECT l.id, l.namespace, l.name, l.token FROM locks l
    WHERE (l.namespace > :after_namespace OR l.namespace = :after_namespace AND l.name > :after_name)
      AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
"""
PAGE: Final = Statement(f"{_PAGE} ORDER BY l.namespace, l.name LIMIT :limit")
PAGE_IN: Final = Statement(f"{_PAGE} AND l.namespace = :namespace ORDER BY l.namespace, l.name LIMIT :limit")
ONE: Final = Statement(
    "SELECT l.id, l.namespace, l.name, l.token FROM locks l WHERE l.namespace = :namespace AND l.name = :name"
)
SHOWN: Final = Statement(
    """
    SELECT c.id, c.lock_id, c.most, c.token, c.made_by, c.line, c.run_id, j.name AS job, n.name AS node, c.asked_at,
           c.granted_at, c.until
    FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
         LEFT JOIN nodes n ON n.id = c.session_id
    WHERE c.lock_id IN (SELECT d.id FROM {d}) ORDER BY c.lock_id, c.place
    """,
    RowSet("d", id=BIGINT),
)

AWAITED: Final = Statement(
    """
    SELECT l.id, l.namespace, l.name, l.token FROM locks l
    WHERE l.id IN (SELECT c.lock_id FROM lock_claims c
                   WHERE c.session_id = (SELECT r.session_id FROM runs r WHERE r.id = :run_id)
                     AND c.run_id = :run_id AND c.token IS NULL AND c.broken IS NULL)
    ORDER BY l.name
    """
)
"""Claims of a run are found by the session of its worker: this has an index."""
ORDERS: Final = Statement(
    """
    SELECT DISTINCT a.name AS first, b.name AS after, w.run_id, j.name AS job, w.made_by
    FROM lock_claims w JOIN lock_claims h ON h.session_id = w.session_id
              AND h.owner = w.owner AND h.lock_id <> w.lock_id
         JOIN locks a ON a.id = h.lock_id JOIN locks b ON b.id = w.lock_id
         LEFT JOIN runs r ON r.id = w.run_id LEFT JOIN jobs j ON j.id = r.job_id
    WHERE w.token IS NULL AND w.broken IS NULL AND h.token IS NOT NULL
      AND (a.namespace = :namespace AND a.name = :name OR b.namespace = :namespace AND b.name = :name)
    ORDER BY a.name, b.name, w.run_id LIMIT :limit
    """
)
"""Only a run owns several claims, all of one session: so the index of sessions leads from one to the others."""

ORDERS_MAX: Final = 100


def answers(tx: Tx, *, claims: Sequence[str]) -> dict[str, LockAnswer]:
    """How far these claims are."""
    return {row.id: _answer(row) for row in tx.rows(LOOK, d=keys(sorted(set(claims))))}


def _answer(row: Any) -> LockAnswer:
    if row.broken is not None:
        return LockAnswer(state=LockState.BROKEN, cycle=row.broken)
    if row.token is None:
        return LockAnswer(state=LockState.WAITING)
    return LockAnswer(state=LockState.HELD, token=row.token, ttl_us=row.ttl_us)


def waits(tx: Tx) -> LockWaits:
    """Claims of every lock that somebody waits for."""
    rows = tx.rows(WAITS, {"limit": WAITS_MAX})
    return LockWaits(
        claims=[claim_of(row) for row in rows],
        locks={row.lock_id: (row.namespace, row.name) for row in rows},
        owners={row.owner: _owner_words(row) for row in rows},
    )


def _owner_words(row: Any) -> str:
    if row.run_id is None:
        return str(row.made_by)
    return f"{format_run_id(row.run_id)} ({row.job})" if row.job else format_run_id(row.run_id)


def awaited(tx: Tx, *, run_id: int) -> list[LockShown]:
    """Locks that a run waits for."""
    return _shown(tx, tx.rows(AWAITED, {"run_id": run_id}))


def orders(tx: Tx, *, namespace: str, name: str) -> list[LocksTaken]:
    """In which order owners take this lock and others."""
    rows = tx.rows(ORDERS, {"namespace": namespace, "name": name, "limit": ORDERS_MAX})
    return [LocksTaken(_owner_words(row), first=row.first, then=row.after) for row in rows]


def page(tx: Tx, *, namespace: str | None, after: tuple[str, str], limit: int) -> list[LockShown]:
    """Locks that somebody holds or waits for."""
    values: dict[str, Any] = {"after_namespace": after[0], "after_name": after[1], "limit": limit}
    if namespace is None:
        return _shown(tx, tx.rows(PAGE, values))
    return _shown(tx, tx.rows(PAGE_IN, {**values, "namespace": namespace}))


def one(tx: Tx, *, namespace: str, name: str) -> LockShown | None:
    """A lock; None when there is none of this name, or nobody holds it or waits for it."""
    found = _shown(tx, tx.rows(ONE, {"namespace": namespace, "name": name}))
    return found[0] if found and (found[0].holders or found[0].waiters) else None


def _shown(tx: Tx, locks: Sequence[Any]) -> list[LockShown]:
    claims: dict[int, list[ClaimShown]] = defaultdict(list)
    for row in tx.found(SHOWN, d=keys(lock.id for lock in locks)):
        claims[row.lock_id].append(_claim_shown(row))
    return [
        LockShown(
            namespace=lock.namespace,
            name=lock.name,
            token=lock.token,
            holders=[claim for claim in claims[lock.id] if claim.token is not None],
            waiters=[claim for claim in claims[lock.id] if claim.token is None],
        )
        for lock in locks
    ]


def _claim_shown(row: Any) -> ClaimShown:
    return ClaimShown(
        id=row.id,
        most=row.most,
        token=row.token,
        by=row.made_by,
        line=row.line,
        run_id=row.run_id,
        job=row.job,
        node=row.node,
        asked_at=row.asked_at,
        granted_at=row.granted_at,
        until=row.until,
    )
