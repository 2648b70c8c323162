"""Runs of the last days for pictures, written straight into a store: charts have something to show."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from foliot.domain.fire import schedule_key
from foliot.domain.instants import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.store.sql.kernel import tables
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.store import SqlStore
from foliot_bench.moments import this_second

SEED: Final = 14  # the same past each time
NIGHTS: Final = 300
NIGHTLY: Final = "nightly_report"
EVERY: Final = 9 * MINUTE
ROWS_AT_ONCE: Final = 1000
FAILS: Final = {"refund_requests": 0.3, "print_labels": 0.12, NIGHTLY: 0.04}
FAILS_ELSE: Final = 0.01
ERROR: Final = "ConnectionError: ledger.example.org closed the connection"


async def write_past(store: SqlStore) -> None:
    """A day of every job, and the nights of a year of one."""
    await store.database.transact(_write)


def _write(tx: Tx) -> None:
    chance = random.Random(SEED)
    now = this_second()
    jobs = tx.connection.execute(sa.select(tables.jobs.c.id, tables.jobs.c.name)).all()
    pattern = _pattern(tx)
    rows = [row for job_id, name in jobs for row in _of_job(chance, pattern, job_id, name, now)]
    rows.sort(key=lambda row: row["due_at"])
    for first in range(0, len(rows), ROWS_AT_ONCE):
        tx.connection.execute(sa.insert(tables.runs), rows[first : first + ROWS_AT_ONCE])


def _pattern(tx: Tx) -> Mapping[str, Any]:
    """A run that succeeded, as the server wrote it."""
    runs = tables.runs
    found = sa.select(runs).where(runs.c.state == "SUCCEEDED", runs.c.shard == -1, runs.c.attempt == 1).limit(1)
    row = dict(tx.connection.execute(found).mappings().one())
    del row["id"]
    return row


def _of_job(
    chance: random.Random, pattern: Mapping[str, Any], job_id: int, name: str, now: Instant
) -> Iterator[dict[str, Any]]:
    usual_us = int(chance.uniform(0.3, 40) * SECOND)
    for due_at in _instants(chance, name, now):
        delay_us = int(chance.expovariate(1 / 30) * 1000)
        took_us = int(usual_us * chance.lognormvariate(0, 0.25))
        is_bad = chance.random() < FAILS.get(name, FAILS_ELSE)
        started_at = due_at + delay_us
        yield {
            **pattern,
            "job_id": job_id,
            "fire_key": schedule_key(due_at),
            "due_at": due_at,
            "not_before": due_at,
            "created_at": due_at,
            "leased_at": started_at,
            "started_at": started_at,
            "ended_at": started_at + took_us,
            "state": "FAILED" if is_bad else "SUCCEEDED",
            "kind": "error" if is_bad else None,
            "error": ERROR if is_bad else None,
            "error_type": "ConnectionError" if is_bad else None,
            "result": None,
        }


def _instants(chance: random.Random, name: str, now: Instant) -> Sequence[Instant]:
    if name == NIGHTLY:
        first = now - now % DAY - 6 * HOUR  # 02:00 in Shanghai
        return [first - night * DAY for night in range(1, NIGHTS) if chance.random() < 0.95]
    instants = [now - back - chance.randrange(MINUTE) for back in range(10 * MINUTE, DAY, EVERY)]
    return [at for at in instants if chance.random() < _share(at)]


def _share(at: Instant) -> float:
    """More runs by day than by night."""
    hour = at % DAY // HOUR
    return 0.9 if 1 <= hour <= 12 else 0.35
