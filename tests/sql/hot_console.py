"""The statements behind the console's filters, logs and retries of shards."""

from typing import Any

from foliot.domain.instants import SECOND
from foliot.store.sql.ending import logs
from foliot.store.sql.firing import new_runs, triggers
from foliot.store.sql.people import job_reads, shard_logs
from tests.sql.explaining import LONG_LINE, SHARDED, SHARDS, Hot

KEY = frozenset({""})
LOOK = 1000
NEW = 100
EVERY_ATTEMPT = {"first": 0, "last": 2**31 - 1}
NEIGHBOURS = 8  # reads for a piece: it is sorted, and the one before it and the last are looked up


def _stretch(first_s: int) -> dict[str, Any]:
    """One second: a thousand pieces, half of them of the shards."""
    from_at = first_s * SECOND
    return {"id": SHARDED, "from_at": from_at, "until": from_at + SECOND, **EVERY_ATTEMPT, "rows": LOOK}


def _pieces(name: str, statement: Any, first_s: int) -> Hot:
    return Hot(
        name=name,
        statement=statement,
        uses=frozenset({"runs_children", "run_logs_time", ""}),
        scans=frozenset({"w"}),
        reads_max=4 * SHARDS + NEIGHBOURS * LOOK,
        values=lambda _: _stretch(first_s),
    )


def _narrowed(pattern: str) -> Any:
    after = {"namespace": "", "name": "", "high": "zzz"}
    texts = {"pattern": pattern, "folded": pattern, "sharp": "%ß%", "capital_sharp": "%ẞ%"}
    return lambda _: {**after, **texts, "state": "%", "due_before": 2**62, "rows": LOOK}


CONSOLE: list[Hot] = [
    _pieces("the newest pieces of the logs of many shards", shard_logs.NEWEST, 98),
    _pieces("the oldest pieces of the logs of many shards", shard_logs.OLDEST, 1),
    Hot(
        name="when the shards of a run wrote first and last",
        statement=shard_logs.BOUNDS,
        uses=frozenset({"runs_children", "run_logs_time"}),
        scans=frozenset({"w"}),
        reads_max=3 * SHARDS,
        values=lambda _: {"id": SHARDED},
    ),
    Hot(
        name="what is new in the logs of many shards",
        statement=shard_logs.NEWS,
        uses=frozenset({"run_logs_news", ""}),
        scans=frozenset({"w"}),
        reads_max=NEIGHBOURS * NEW,  # fewer than there are shards
        values=lambda _: {"id": SHARDED, "from_at": 100 * SECOND - 2 * NEW * 1000, **EVERY_ATTEMPT, "rows": LOOK},
    ),
    Hot(
        name="how far the log of each shard goes",
        statement=shard_logs.ENDS,
        uses=frozenset({"runs_children", ""}),
        reads_max=5 * SHARDS,
        values=lambda _: {"id": SHARDED, **EVERY_ATTEMPT},
    ),
    Hot(
        name="pieces of logs from an offset on",
        statement=shard_logs.BEHIND,
        uses=KEY,
        scans=frozenset({"w"}),
        reads_max=50 * NEW,  # MariaDB reads the whole attempt, 50 pieces
        values=lambda _: {"rows": LOOK},
        sets=lambda _: {"d": [(SHARDED + 1 + n, 1, 48 * 2 * SHARDS) for n in range(NEW)]},
    ),
    Hot(
        name="texts of pieces of logs",
        statement=shard_logs.TEXTS,
        uses=KEY,
        reads_max=2 * SHARDS,
        sets=lambda _: {"d": [(SHARDED + 1 + n, 1, 2 * SHARDS) for n in range(SHARDS)]},
    ),
    Hot(
        name="how far the log of an attempt goes",
        statement=logs.END,
        uses=KEY,
        or_uses=frozenset({"run_logs_time"}),
        reads_max=200,
        values=lambda _: {"run_id": SHARDED + 1, "attempt": 1},
    ),
    Hot(
        name="jobs that a filter by text lets through",
        statement=job_reads.NARROWED,
        uses=frozenset({"jobs_name", ""}),
        scans=frozenset({"j"}),
        reads_max=5 * job_reads.SEARCH_AMONG,
        values=_narrowed("%job-1999%"),
    ),
    Hot(
        name="the last of the jobs that a filter looks at",
        statement=job_reads.EDGE,
        uses=frozenset({"jobs_name"}),
        reads_max=job_reads.SEARCH_AMONG,
        values=lambda _: {"namespace": "", "name": "", "high": "zzz"},
    ),
    Hot(
        name="shards of a run that succeeded",
        statement=triggers.KEPT,
        uses=frozenset({"runs_children"}),
        reads_max=2 * SHARDS,
        sets=lambda _: {"d": [(SHARDED,)]},
    ),
    Hot(
        name="insert the shards that are kept of an earlier run",
        statement=new_runs.INSERT_KEPT,
        uses=frozenset({"runs_fire", "runs_children"}),
        or_uses=frozenset({"runs_line", "runs_children"}),
        reads_max=3 * SHARDS,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda _: {"d": [(LONG_LINE, "m:x1", 1_000_001, SHARDED, "again")]},
    ),
]
