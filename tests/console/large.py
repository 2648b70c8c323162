"""A large cluster's store, written set-based: many jobs, finished runs, nodes, shards, and a log at its limit."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from foliot.domain.instants import DAY, SECOND, Instant
from foliot.domain.run import format_run_id
from foliot.store.sql.ending.logs import BYTES_MAX
from foliot.store.sql.kernel import tables
from foliot.store.sql.kernel.database import Tx
from foliot_bench.ground import Ground
from foliot_bench.moments import this_second

CHUNK_LINES: Final = 1000
LINE: Final = "2026-11-16T06:00:00.000Z  {level}  settled batch={number:08d} of the night, account by account\n"
SHARD_LINES: Final = 20
ROWS_AT_ONCE: Final = 1000
FAILED_EVERY: Final = 100  # of the shards


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much of each."""

    jobs: int
    runs: int
    nodes: int
    shards: int
    log_bytes: int = BYTES_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """What a walk opens by its id."""

    sharded: str  # a run with all the shards
    long_log: str  # a run whose log is at its limit


async def fill(place: Ground, sizes: Sizes) -> Large:
    """Write all of it, into a migrated and empty store."""
    await place.load_jobs(sizes.jobs, {"every": "30d"})
    await place.load_finished(sizes.runs, jobs=sizes.jobs)
    at = this_second()
    await place.store.database.transact(lambda tx: _insert(tx, tables.nodes, _nodes(sizes.nodes, at)))
    parent = await place.store.database.transact(lambda tx: _sharded(tx, place, sizes.shards, at))
    alone = await place.store.database.transact(lambda tx: _long_log(tx, place, sizes.log_bytes, at))
    await place.tidy()
    return Large(sharded=format_run_id(parent), long_log=format_run_id(alone))


def _insert(tx: Tx, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    every = list(rows)
    for first in range(0, len(every), ROWS_AT_ONCE):
        tx.connection.execute(sa.insert(table), every[first : first + ROWS_AT_ONCE])


def _nodes(count: int, at: Instant) -> Iterable[dict[str, Any]]:
    """Workers that beat at this moment, and whom nobody calls dead for a day."""
    for number in range(count):
        yield {
            "id": f"{number:032x}",
            "name": f"worker-{number:04d}",
            "kind": "worker",
            "state": "live",
            "until": at + DAY,
            "started_at": at,
            "last_beat_at": at,
            "beat_no": 1,
            "settled": 0,
            "group_name": "",
            "slots": 8,
            "version": "1.0.0",
            "protocol": 1,
            "host": f"host-{number % 50}",
            "pid": 1000 + number,
            "labels": "{}",
            "handlers": "[]",
            "load": '{"cpu": 0.4, "memory": 0.5, "score": 0.4}',
            "band": "ONLINE",
            "band_at": at,
        }


def _run(ground: Ground, at: Instant, **fields: Any) -> dict[str, Any]:
    assert ground.job is not None, "jobs come first"
    usual = {
        "job_id": ground.job.job_id,
        "version": 1,
        "shard": -1,
        "parent_id": None,
        "due_at": at - 60 * SECOND,
        "not_before": at - 60 * SECOND,
        "lane": ground.lane,
        "class": 0,
        "priority": 5,
        "serial": ground.serial,
        "place": 1,
        "parked": False,
        "follow": ground.follow,
        "state": "SUCCEEDED",
        "kind": None,
        "ver": 3,
        "attempt": 1,
        "created_at": at - 60 * SECOND,
        "leased_at": at - 50 * SECOND,
        "started_at": at - 50 * SECOND,
        "ended_at": at - 10 * SECOND,
    }
    return {**usual, **fields}


def _made(tx: Tx, run: Mapping[str, Any]) -> int:
    """Insert one run; its id."""
    tx.connection.execute(sa.insert(tables.runs), [run])
    found = sa.select(tables.runs.c.id).where(tables.runs.c.fire_key == run["fire_key"])
    return int(tx.connection.execute(found).scalar_one())


def _sharded(tx: Tx, place: Ground, count: int, at: Instant) -> int:
    run = _run(place, at, fire_key="large:sharded", state="FAILED", kind="error", attempt=0)
    parent = _made(tx, run)
    shards = [
        _run(
            place,
            at - number * 1000,
            fire_key="large:sharded",
            shard=number,
            parent_id=parent,
            place=None,
            state="FAILED" if number % FAILED_EVERY == 0 else "SUCCEEDED",
            kind="error" if number % FAILED_EVERY == 0 else None,
            started_at=at - (55 if number == count - 1 else 50) * SECOND,  # the last is the slowest
        )
        for number in range(count)
    ]
    _insert(tx, tables.runs, shards)
    ids = sa.select(tables.runs.c.id).where(tables.runs.c.parent_id == parent)
    text = _lines(SHARD_LINES)
    _insert(tx, tables.run_logs, [_chunk(run_id, 0, text, at) for (run_id,) in tx.connection.execute(ids)])
    return parent


def _long_log(tx: Tx, place: Ground, size: int, at: Instant) -> int:
    alone = _made(tx, _run(place, at, fire_key="large:log"))
    text = _lines(CHUNK_LINES)
    count = size // len(text)
    _insert(tx, tables.run_logs, [_chunk(alone, number * len(text), text, at) for number in range(count)])
    return alone


def _lines(count: int) -> str:
    levels: Sequence[str] = ("INFO", "INFO", "WARNING", "ERROR")
    return "".join(LINE.format(level=levels[number % 4], number=number) for number in range(count))


def _chunk(run_id: int, offset: int, text: str, at: Instant) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "attempt": 1,
        "at_offset": offset,
        "size": len(text),
        "written_at": at,
        "body": zlib.compress(text.encode()),
    }
