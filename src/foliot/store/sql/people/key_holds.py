"""Limits by worker and by key as `why` tells them: for which key a run waits, and which workers are full of a job."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.rates import refill_at
from foliot.domain.why.facts import LimitFacts
from foliot.ports.store.lookups import RunRow
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import BIGINT, RowSet, Statement, keys

AWAITED: Final = Statement(
    """
    SELECT w.run_id, k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, {now} AS seen_at,
           (SELECT min(h.run_id) FROM limit_runs h WHERE h.name = k.name AND h.waits = 0) AS holder
    FROM limit_runs w JOIN limit_keys k ON k.name = w.name
    WHERE w.waits = 1 AND w.run_id IN (SELECT d.id FROM {d})
    """,
    RowSet("d", id=BIGINT),
)

FULL_WORKERS: Final = Statement(
    "SELECT count(*) FROM limit_keys WHERE name > :first AND name < :beyond AND used >= :most"
)


def key_limits_of(tx: Tx, runs: Sequence[RunRow], lanes: Mapping[int, Lane]) -> dict[int, list[LimitFacts]]:
    """What limits by key and by worker are to these runs. Nothing is read for jobs without them."""
    found: dict[int, list[LimitFacts]] = {}
    keyed = [run.run_id for run in runs if lanes[run.lane].keyed]
    for row in tx.rows(AWAITED, d=keys(keyed)) if keyed else ():
        found.setdefault(row.run_id, []).append(_awaited(row))
    for lane_id in sorted({run.lane for run in runs}):
        bound = lanes[lane_id].per_worker
        if bound is None:
            continue
        facts = _of_workers(tx, *bound)
        for run in runs:
            if run.lane == lane_id:
                found.setdefault(run.run_id, []).append(facts)
    return found


def _awaited(row: Any) -> LimitFacts:
    next_in_us: Instant | None = None
    if row.pace_us:
        next_in_us = max(1, refill_at(row.pace_us, row.burst, row.spent_until, row.seen_at) - row.seen_at)
    used = int(row.used)
    return LimitFacts(
        name=row.name, max=used, used=used, takes=0 if row.pace_us else 1, next_in_us=next_in_us, said=row.said,
        holder=row.holder,
    )  # fmt: skip


def _of_workers(tx: Tx, job_id: int, most: int) -> LimitFacts:
    values = {"first": f"w:{job_id}:", "beyond": f"w:{job_id};", "most": most}
    full = int(tx.rows(FULL_WORKERS, values)[0][0])
    return LimitFacts(name=f"w:{job_id}", max=most, used=0, full_on=full)
