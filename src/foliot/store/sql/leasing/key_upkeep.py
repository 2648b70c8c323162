"""The watchdog of limits by key: counts are mended, runs that nobody un-parked are, and keys that nobody needs go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from foliot.domain.limits import worker_key
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.firing.follow import OF_KEY, OF_WORKER
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.key_waiters import REFILL_MAX, refill

STEP: Final = 500

NAMES: Final = Statement("SELECT name FROM limit_keys WHERE name > :after ORDER BY name LIMIT :limit")

LOCK_COUNTS: Final = Statement(
    """
    SELECT k.name, k.used, k.wake_at, k.pace_us, k.burst, k.ver FROM limit_keys k
    WHERE k.name IN (SELECT d.name FROM {d})
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
    corrected = _correct(tx, locked, running)
    awaited = _refill(tx, locked, running)
    _drop_idle(tx, locked, running, awaited)
    is_full = len(names) == limit
    return corrected, names[-1] if is_full else None


def _correct(tx: Tx, locked: Sequence[Any], running: Mapping[str, int]) -> int:
    """Put counts right that are not what runs; how many were off."""
    wrong = [(row.name, row.ver, running.get(row.name, 0)) for row in locked if row.used != running.get(row.name, 0)]
    return tx.change(CORRECT, d=wrong) if wrong else 0


def _drop_idle(tx: Tx, locked: Sequence[Any], running: Mapping[str, int], awaited: set[str]) -> None:
    """Forget keys of which nothing runs and for which nothing waits."""
    idle = {row.name for row in locked if not running.get(row.name) and row.wake_at is None}
    if unneeded := sorted(idle - awaited):
        tx.change(DROP_IDLE, {"now": tx.now()}, d=keys(unneeded))


def _refill(tx: Tx, locked: Sequence[Any], running: Mapping[str, int]) -> set[str]:
    """Let so many runs that wait go as there is room for; the keys that some waited for.

    A place is lost when a run that was un-parked for it is cancelled before it begins.
    """
    places: dict[str, int] = {}
    capped: list[str] = []
    for row in locked:
        is_the_sweeps = row.pace_us and row.wake_at is not None
        if row.name.startswith("w:") or is_the_sweeps:
            continue  # nobody waits for a worker's, and the sweep looks after the other
        runs = running.get(row.name, 0)
        places[row.name] = _places(row, runs)
        if not row.pace_us and int(row.burst) - runs > places[row.name]:
            capped.append(row.name)
    return {name for name, unparked in refill(tx, places, capped=capped).items() if unparked.any_waits}


def _places(row: Any, runs: int) -> int:
    """How many more runs of a key may go; one at least when nothing of it runs."""
    if row.pace_us:
        return 1
    at_least = 0 if runs else 1
    return max(at_least, min(int(row.burst) - runs, REFILL_MAX))


def _running(tx: Tx, names: Sequence[str]) -> dict[str, int]:
    """What runs, in statements after the locks: complete."""
    running = {name: int(n) for name, n in tx.pairs(HOLDING, d=keys(_of_kind(names, "c:"))).items()}
    if _of_kind(names, "w:"):
        for job_id, session, n in tx.tuples(ON_WORKERS):
            running[worker_key(job_id, session)] = int(n)
    return running


def _of_kind(names: Iterable[str], prefix: str) -> list[str]:
    return [name for name in names if name.startswith(prefix)]
