"""Retention: old history goes in small steps by primary key, so that nothing else is held up (R12)."""

from typing import Final

from foliot.domain.instants import MINUTE, Instant, Micros
from foliot.store.sql.cluster.leadership import holds_term
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

STEP_MAX: Final = 1000
LOOK_MAX: Final = 10
"""Pages without anything to delete that one step walks over."""
WINDOW_STEPS_MAX: Final = 20
"""Steps of one round that delete windows and keys: there is a key for each trigger, and a round a minute."""
LISTED_US: Final[Micros] = 10 * MINUTE
"""How long a dead session is still shown."""

WALK: Final = Statement(
    """
    SELECT r.id, r.created_at,
           CASE WHEN r.ended_at < :before AND r.state NOT IN ('PENDING', 'RUNNING')
                     AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = r.parent_id
                                     AND (p.ended_at IS NULL OR p.ended_at >= :before))
                THEN 1 ELSE 0 END
    FROM runs r WHERE r.id > :after ORDER BY r.id LIMIT :limit
    """
)
"""A shard stays as long as its parent: the parent's fate is read from it."""

DELETE_RUNS: Final = Statement(
    "DELETE FROM runs WHERE id IN (SELECT d.id FROM {d}) AND ended_at IS NOT NULL", RowSet("d", id=BIGINT)
)
DELETE_ATTEMPTS: Final = Statement(
    "DELETE FROM attempts WHERE run_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)
DELETE_LOGS: Final = Statement("DELETE FROM run_logs WHERE run_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT))
DELETE_CALLBACKS: Final = Statement(
    "DELETE FROM callbacks WHERE run_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT)
)

WALK_SKIPS: Final = Statement("SELECT id, to_at FROM skips WHERE id > :after ORDER BY id LIMIT :limit")
DELETE_SKIPS: Final = Statement(
    "DELETE FROM skips WHERE id IN (SELECT d.id FROM {d}) AND to_at < :before", RowSet("d", id=BIGINT)
)

LONG_DEAD: Final = Statement(
    """
    SELECT n.id FROM nodes n
    WHERE n.state = 'dead' AND n.until < {now} - :listed AND (n.ended_at IS NULL OR n.ended_at < {now} - :listed)
      AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.{held_by} = n.id AND r.state = 'RUNNING')
    ORDER BY n.id LIMIT :limit
    """
)
DELETE_NODES: Final = Statement("DELETE FROM nodes WHERE id IN (SELECT d.id FROM {d})", RowSet("d", id=TEXT))


OLD_WINDOWS: Final = Statement(
    """
    SELECT 0 AS is_key, w.job_id, w.window_key AS name FROM
      (SELECT job_id, window_key FROM trigger_windows WHERE until < {now} - :listed ORDER BY until LIMIT :limit) AS w
    UNION ALL
    SELECT 1, k.job_id, k.fire_key FROM
      (SELECT job_id, fire_key FROM trigger_keys WHERE until < {now} ORDER BY until LIMIT :limit) AS k
    """
)
"""Windows that closed a while ago, and keys whose time is over: one look, because mostly there is neither."""
DELETE_WINDOWS: Final = Statement(
    "DELETE FROM trigger_windows WHERE (job_id, window_key) IN (SELECT d.job_id, d.window_key FROM {d}) "
    "AND until + 0 < {now} - :listed",
    RowSet("d", job_id=BIGINT, window_key=TEXT),
    mysql="""
    DELETE w FROM {d} STRAIGHT_JOIN trigger_windows w FORCE INDEX (PRIMARY)
           ON w.job_id = d.job_id AND w.window_key = d.window_key
    WHERE w.until < {now} - :listed
    """,
)
DELETE_KEYS: Final = Statement(
    "DELETE FROM trigger_keys WHERE (job_id, fire_key) IN (SELECT d.job_id, d.fire_key FROM {d}) AND until + 0 < {now}",
    RowSet("d", job_id=BIGINT, fire_key=TEXT),
    mysql="""
    DELETE k FROM {d} STRAIGHT_JOIN trigger_keys k FORCE INDEX (PRIMARY)
           ON k.job_id = d.job_id AND k.fire_key = d.fire_key
    WHERE k.until < {now}
    """,
)
"""`until + 0`: rows are found by their key, not by the index of times, in which all old ones stand."""


def forget_runs(tx: Tx, *, before: Instant, after_id: int, limit: int, term: int | None) -> tuple[int, int]:
    """Delete runs that ended before an instant, with all that is kept of them, walking ids upwards.

    (deleted, last id seen or 0 at the end). Pages with nothing to delete are walked over, so many in one step; a page
    that reaches runs created since then is the last.
    """
    limit = min(limit, STEP_MAX)
    for _ in range(LOOK_MAX):
        page = tx.rows(WALK, {"before": before, "after": after_id, "limit": limit})
        is_last = len(page) < limit or page[-1][1] >= before
        after_id = 0 if is_last else page[-1][0]
        old = [(run_id,) for run_id, _, is_old in page if is_old]
        if old:
            if not holds_term(tx, term):
                return 0, after_id
            tx.change(DELETE_LOGS, d=old)
            tx.change(DELETE_ATTEMPTS, d=old)
            tx.change(DELETE_CALLBACKS, d=old)
            return tx.change(DELETE_RUNS, d=old), after_id
        if is_last:
            break
    return 0, after_id


def forget_skips(tx: Tx, *, before: Instant, after_id: int, limit: int, term: int | None) -> int:
    """Delete skips that ended before an instant, walking ids upwards; the last id seen, 0 at the end."""
    limit = min(limit, STEP_MAX)
    page = tx.rows(WALK_SKIPS, {"after": after_id, "limit": limit})
    old = [row.id for row in page if row.to_at < before]
    if old and holds_term(tx, term):
        tx.change(DELETE_SKIPS, {"before": before}, d=keys(old))
    return page[-1].id if len(page) == limit else 0


def forget_nodes(tx: Tx, *, limit: int, term: int | None) -> int:
    """Delete sessions that have been dead for a while and that no run points at; how many."""
    gone = [tuple(row) for row in tx.rows(LONG_DEAD, {"listed": LISTED_US, "limit": min(limit, STEP_MAX)})]
    if not gone or not holds_term(tx, term):
        return 0
    return tx.change(DELETE_NODES, d=gone)


def forget_windows(tx: Tx, *, limit: int, term: int | None) -> bool:
    """Delete windows of triggers that closed a while ago, and keys whose time is over; whether there are more."""
    limit = min(limit, STEP_MAX)
    old = tx.rows(OLD_WINDOWS, {"listed": LISTED_US, "limit": limit})
    if not old or not holds_term(tx, term):
        return False
    windows = [(row.job_id, row.name) for row in old if not row.is_key]
    spent = [(row.job_id, row.name) for row in old if row.is_key]
    if windows:
        tx.change(DELETE_WINDOWS, {"listed": LISTED_US}, d=windows)
    if spent:
        tx.change(DELETE_KEYS, d=sorted(spent))
    tx.point("forgetting.windows")
    return len(windows) == limit or len(spent) == limit
