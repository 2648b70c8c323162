"""The watchdog of limits by key: counts are mended, runs that nobody un-parked are, and keys that nobody needs go."""

from collections.abc import Iterable, Sequence
from typing import Final

from foliot.domain.limits import worker_key
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.firing.follow import OF_KEY, OF_WORKER
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.key_limits import unpark_waiters

STEP: Final = 500

NAMES: Final = Statement("SELECT name FROM limit_keys WHERE name > :after ORDER BY name LIMIT :limit")

LOCK_COUNTS: Final = Statement(
    """
    SELECT k.name, k.used, k.wake_at, k.ver FROM limit_keys k WHERE k.name IN (SELECT d.name FROM {d})
    ORDER BY k.name {for_update}
    """,
    RowSet("d", name=TEXT),
)

HOLDING: Final = Statement(
    f"""
    SELECT h.name, count(*) FROM limit_runs h JOIN runs r ON r.id = h.run_id
    WHERE h.name IN (SELECT d.name FROM {{d}}) AND h.waits = 0 AND r.state = 'RUNNING' AND (r.follow & {OF_KEY}) <> 0
    GROUP BY h.name
    """,
    RowSet("d", name=TEXT),
)

ON_WORKERS: Final = Statement(
    f"""
    SELECT r.job_id, r.session_id, count(*) FROM runs r
    WHERE r.state = 'RUNNING' AND r.{{held_by}} > '' AND r.lease_id IS NOT NULL AND (r.follow & {OF_WORKER}) <> 0
    GROUP BY r.job_id, r.session_id
    """
)

CORRECT: Final = Statement(
    """
    UPDATE limit_keys SET used = d.used, ver = limit_keys.ver + 1 FROM {d}
    WHERE limit_keys.name = d.name AND limit_keys.ver = d.ver
    """,
    RowSet("d", name=TEXT, ver=BIGINT, used=BIGINT),
)

AWAITED: Final = Statement(
    "SELECT DISTINCT w.name FROM limit_runs w WHERE w.waits = 1 AND w.name IN (SELECT d.name FROM {d})",
    RowSet("d", name=TEXT),
)

DROP_IDLE: Final = Statement(
    """
    DELETE FROM limit_keys
    WHERE name IN (SELECT d.name FROM {d}) AND used = 0 AND coalesce(wake_at, 0) = 0
          AND (spent_until IS NULL OR spent_until < :now)
    """,
    RowSet("d", name=TEXT),
)
"""Nearly every key has no `wake_at`: SQLite would look for those, by its index, and not for these names."""


def recount(tx: Tx, *, after: str, term: int | None, limit: int = STEP) -> tuple[int, str | None]:
    """Mend a stretch of keys: (how many counts were off, name to go on after, None at the end)."""
    names = [row.name for row in tx.rows(NAMES, {"after": after, "limit": limit})]
    if not names or not holds_term(tx, term):
        return 0, None
    locked = tx.rows(LOCK_COUNTS, d=keys(names))
    running = _running(tx, names)
    counted = [(row.name, row.ver, running.get(row.name, 0)) for row in locked]
    wrong = [mended for row, mended in zip(locked, counted, strict=True) if row.used != mended[2]]
    corrected = tx.change(CORRECT, d=wrong) if wrong else 0
    idle = [row.name for row in locked if not running.get(row.name) and row.wake_at is None]
    if idle:
        _tidy(tx, idle)
    is_full = len(names) == limit
    return corrected, names[-1] if is_full else None


def _tidy(tx: Tx, idle: Sequence[str]) -> None:
    """Keys in which nothing runs: the next run that waits may go, and a key that nobody waits for is dropped."""
    awaited = {row.name for row in tx.rows(AWAITED, d=keys(idle))}
    for name in sorted(awaited):  # an end that somebody's lock held up may have left them
        unpark_waiters(tx, name, 1)
    unneeded = sorted(set(idle) - awaited)
    if unneeded:
        tx.change(DROP_IDLE, {"now": tx.now()}, d=keys(unneeded))


def _running(tx: Tx, names: Sequence[str]) -> dict[str, int]:
    """What runs, in statements after the locks: complete."""
    running = {name: int(n) for name, n in tx.pairs(HOLDING, d=keys(_of_kind(names, "c:"))).items()}
    if _of_kind(names, "w:"):
        for job_id, session, n in tx.tuples(ON_WORKERS):
            running[worker_key(job_id, session)] = int(n)
    return running


def _of_kind(names: Iterable[str], prefix: str) -> list[str]:
    return [name for name in names if name.startswith(prefix)]
