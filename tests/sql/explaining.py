"""How the databases carry out the store's statements: a loaded store, and what they say about each plan.

A statement joins the suite by one line in `tests/sql/hot_statements.py`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foliot.domain.instants import HOUR, SECOND, Instant
from foliot.store.sql.kernel.database import Database, Tx
from foliot.store.sql.kernel.statement import Statement

BATCH = 500
JOBS = 100_000
FINISHED = 1_000_000
DUE = 1_000  # jobs
READY = 3_000  # runs, over LANES
FUTURE = 20_000  # runs with a not_before to come
PARKED = 50_000  # runs behind one run of LONG_LINE
ASSIGNED = 3_000  # runs that routes meant for some session
LATER = 1_000  # triggers of serial jobs, not yet due
LANES = 20
LONG_LINE = 7  # a serial job
SESSIONS = 50
RUNNING = 1_000
LIMITS = 2_000  # of jobs, namespaces and the cluster; with rates
LIMIT_KEYS = 5_000  # values of parameters, and jobs on workers
KEYED = 3_000  # runs that wait for a key, over KEYS_AWAITED
KEYS_AWAITED = 300
SKIPS = 200_000
ATTEMPTS = 100_000
WINDOWS = 20_000  # of triggers, over WINDOW_JOBS
WINDOW_JOBS = 100
SHARDED = 1  # a run with SHARDS shards, the runs behind it
SHARDS = 1_000
ALERTING = 10_000  # jobs that ask for alerts
FAILED = 500  # runs that failed, and whose sign nobody took yet
RESOLVED = 20_000  # alerts
OPEN_ALERTS = 50  # with four subjects each
PIECES = 100_000  # of logs; every shard has some, and as many runs that are none


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What a statement may want to know of the loaded store."""

    now: Instant
    jobs: Sequence[int] = tuple(range(1, BATCH + 1))  # a batch of job ids
    runs: Sequence[int] = ()  # a batch of ids of ready runs
    running: Sequence[int] = ()  # a batch of ids of running runs
    lanes: Sequence[int] = tuple(range(1, LANES + 1))
    session: str = "session-1"


Values = Callable[[Loaded], Mapping[str, Any]]
Sets = Callable[[Loaded], Mapping[str, Sequence[Sequence[Any]]]]


@dataclass(frozen=True, kw_only=True)
class Hot:
    """A statement of a hot path, with values like those it really gets, and what it may cost."""

    name: str
    statement: Statement
    uses: frozenset[str]  # indexes; "" is a primary key
    or_uses: frozenset[str] | None = None  # as good
    scans: frozenset[str] = frozenset()  # tables of a row or two that may be read as they are
    reads_max: int = 2 * BATCH  # rows looked at, wanted or not
    values: Values = field(default=lambda _: {})
    sets: Sets = field(default=lambda _: {})
    engines: tuple[str, ...] = ("sqlite", "postgresql")
    aliases: frozenset[str] = frozenset()  # of tables in it, which SQLite tells by these names


@dataclass(frozen=True, kw_only=True)
class Explained:
    """What the database did."""

    indexes: frozenset[str]
    scanned: frozenset[str]  # tables read without an index
    rows: int
    text: str


# ---------------------------------------------------------------------------------------------------------- loading

_SERIES = {
    "postgresql": "generate_series(CAST(1 AS bigint), {n}) AS s(n)",
    "sqlite": "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {n}) SELECT n FROM s) AS s",
}


_BODY = {"postgresql": "decode('00', 'hex')"}


def load(tx: Tx) -> None:
    """A million finished runs and a hundred thousand jobs, written set-based."""
    now = tx.now()

    def insert(table: str, rows: int, **columns: Any) -> None:
        """So many rows of a table; each column is an expression over `n`, which counts them."""
        series = _SERIES[tx.dialect.name].format(n=rows)
        names, values = ", ".join(columns), ", ".join(map(str, columns.values()))
        tx.connection.exec_driver_sql(f"INSERT INTO {table} ({names}) SELECT {values} FROM {series}")

    def runs(rows: int, **columns: Any) -> None:
        usual = {"version": 1, "shard": -1, "due_at": now, "not_before": now, "lane": f"1 + n % {LANES}", "class": 0,
                 "priority": 5, "serial": 1, "parked": 0, "follow": 8, "state": "'PENDING'", "ver": 1,
                 "created_at": now}  # fmt: skip
        insert("runs", rows, **{**usual, **columns})

    document = json.dumps({"run": {"python": "jobs:tick"}, "schedule": {"every": "1h"}})
    insert("jobs", JOBS, id="n", namespace="'default'", name="'job-' || n", version=1, source="'api'", created_at=now,
           updated_at=now, from_end=0)  # fmt: skip
    insert("job_versions", JOBS, job_id="n", version=1, hash="'h'", definition=f"'{document}'", created_at=now,
           lane_id=f"1 + n % {LANES}", created_by="'test'", reason="''")  # fmt: skip
    at = f"CASE WHEN n % 100 = 0 THEN NULL WHEN n <= {DUE} THEN {now} - n * 1000 ELSE {now} + n * {SECOND} END"
    insert("cursors", JOBS, job_id="n", version=1, state="'active'", next_at=at, next_due_at=at, cursor_ver=1)
    runs(FINISHED, job_id=f"1 + n % {JOBS}", fire_key="'s:' || n", place="n", state="'SUCCEEDED'", ver=3,
         parent_id=f"CASE WHEN n BETWEEN {SHARDED + 1} AND {SHARDED + SHARDS} THEN {SHARDED} END",
         shard=f"CASE WHEN n BETWEEN {SHARDED + 1} AND {SHARDED + SHARDS} THEN n ELSE -1 END",
         due_at=f"{now} - n * 1000", session_id=f"'session-' || (n % {SESSIONS})", request_no=1, leased_at=now,
         started_at=now, ended_at=f"{now} - n")  # fmt: skip
    runs(READY, job_id=f"{JOBS} - n", fire_key="'m:r' || n", place="2000000 + n", serial=0, follow=0,
         not_before=f"{now} - n * 1000", priority="1 + n % 10", **{"class": "n % 2"})  # fmt: skip
    runs(FUTURE, job_id=f"{JOBS} - n", fire_key="'m:f' || n", place="3000000 + n", serial=0, follow=0,
         not_before=f"{now} + {HOUR} + n * 1000", priority="1 + n % 10")  # fmt: skip
    runs(KEYED, job_id=f"{JOBS} - n", fire_key="'m:k' || n", place="6000000 + n", serial=0, follow=0, parked=3)
    runs(ASSIGNED, job_id=f"{JOBS} - n", fire_key="'m:a' || n", place="5000000 + n", serial=0, follow=0, parked=2,
         not_before=f"{now} - n * 1000", assigned_to=f"'session-' || (n % {SESSIONS})",
         assigned_until=f"{now} - 100 * {SECOND} + n * {SECOND}", assigned_rank="n")  # fmt: skip
    runs(PARKED, job_id=LONG_LINE, fire_key="'m:p' || n", place="4000000 + n", parked=1)
    runs(LATER, job_id=f"{JOBS} - n", fire_key="'m:l' || n", place="NULL", parked=1, not_before=f"{now} + {HOUR}")
    runs(RUNNING, job_id=f"{LONG_LINE} + n - 1", fire_key="'m:x' || n", place=1_000_001, state="'RUNNING'", ver=2,
         session_id=f"'session-' || (n % {SESSIONS})", request_no="n", lease_id="'lease-' || n", leased_at=now,
         started_at=now, deadline_at=f"{now} + {HOUR}")  # fmt: skip
    kind = "CASE n % 4 WHEN 0 THEN 'job:' WHEN 1 THEN 'rate:' WHEN 2 THEN 'ns:n' ELSE 'res:r' END"
    rated = "CASE WHEN n % 4 = 1 THEN {} END".format
    insert("limits", LIMITS, name=f"{kind} || n", max=8, used=8, ver=1, rate=rated(10), rate_per_us=rated(SECOND),
           pace_us=rated(SECOND // 10), burst=rated(10), spent_until=rated(now))  # fmt: skip
    insert("limit_keys", LIMIT_KEYS, name="CASE n % 3 WHEN 0 THEN 'c:7:k' WHEN 1 THEN 'r:7:k' ELSE 'w:7:k' END || n",
           job_id=7, said="'v'", used=1, pace_us=f"CASE WHEN n % 3 = 1 THEN {SECOND} ELSE 0 END", burst=1, ver=1,
           wake_at=f"CASE WHEN n % 30 = 1 THEN {now} - 1000 * {SECOND} + n * {SECOND} END")  # fmt: skip
    _hold_keys(tx)
    insert("skips", SKIPS, job_id="1 + n % 1000", fire_key="'x:' || n", from_at=now, to_at="n", count=1,
           reason="'overlap'", why="''", version=1, decided_at=now)  # fmt: skip
    insert("trigger_windows", WINDOWS, job_id=f"1 + n % {WINDOW_JOBS}", window_key="'k' || n", run_id="n",
           opened_at=now, until=f"{now} - {HOUR} + n * {SECOND}", used=1)  # fmt: skip
    insert("trigger_keys", WINDOWS, job_id=f"1 + n % {WINDOW_JOBS}", fire_key="'m:k' || n", run_id="n", asked="'h'",
           until=f"{now} - {HOUR} + n * {SECOND}")  # fmt: skip
    insert("attempts", ATTEMPTS, run_id="n", attempt=1, job_id="1 + n % 1000", cause="'error'", lease_id="'l'",
           session_id="'s'", fence=1, leased_at=now, ended_at=f"{now} - n * 1000", retried=1)  # fmt: skip
    insert("run_logs", PIECES, run_id=f"{SHARDED + 1} + n % {2 * SHARDS}", attempt=1, at_offset=f"n - n % {2 * SHARDS}",
           size=2 * SHARDS, written_at="n * 1000",
           parent_id=f"CASE WHEN n % {2 * SHARDS} < {SHARDS} THEN {SHARDED} END",
           body=_BODY.get(tx.dialect.name, "x'00'"))  # fmt: skip
    insert("job_alerts", ALERTING, job_id="n * 10", version=1, document="'{}'", late_us=10 * SECOND, slower_us=HOUR,
           saved_at="n")  # fmt: skip
    insert("failure_signs", FAILED, run_id="n", job_id="n * 10", at=now)
    insert("alerts", RESOLVED, open_key="'key-' || n", namespace="'default'", rule="'job'", kind="'failed'",
           level="'warning'", state=f"CASE WHEN n <= {OPEN_ALERTS} THEN 'firing' ELSE 'resolved' END", cause="'{}'",
           channels="'{}'", runbook="''", began_at=now, last_at=now, step=0, acted=0, seen=1, ver=1,
           resolved_at=f"CASE WHEN n > {OPEN_ALERTS} THEN {now} - n END")  # fmt: skip
    insert("alert_subjects", 4 * RESOLVED, alert_id="1 + n / 4", subject_key="'job:' || n", subject="'job-' || n",
           namespace="'default'", job_id=f"1 + n % {JOBS}", run_id="n", count=1, first_at=now, last_at=now,
           recent="'[]'", data="'{}'")  # fmt: skip
    insert("nodes", SESSIONS, id="'session-' || (n - 1)", name="'w'", kind="'worker'", state="'live'",
           until=f"{now} + {HOUR}", started_at=now, last_beat_at=now, beat_no=1, settled=0, slots=8,
           group_name="'default'", version="''", protocol=1, host="''", pid=1, labels="'{}'",
           handlers="'[]'")  # fmt: skip


def _hold_keys(tx: Tx) -> None:
    """Each running run has a key; those that are parked for one wait for a few."""
    key = f"'c:7:k' || (3 * (1 + id % {KEYS_AWAITED}))"
    for where, waits, turn in (("state = 'PENDING' AND parked = 3", 1, "id"), ("state = 'RUNNING'", 0, 0)):
        rows = f"SELECT id, {key}, {waits}, {turn} FROM runs WHERE {where}"
        tx.connection.exec_driver_sql(f"INSERT INTO limit_runs (run_id, name, waits, turn) {rows}")


async def analyse(database: Database) -> None:
    """Let the database look at what it has, as it does by itself in time."""
    if database.dialect.name == "sqlite":
        await database.transact(lambda tx: tx.change(Statement("ANALYZE")))
        return

    def vacuum(tx: Tx) -> None:
        for table in (
            "runs",
            "cursors",
            "jobs",
            "job_versions",
            "nodes",
            "skips",
            "attempts",
            "trigger_windows",
            "trigger_keys",
            "run_logs",
            "job_alerts",
            "failure_signs",
            "alerts",
            "alert_subjects",
            "limits",
            "limit_keys",
            "limit_runs",
        ):
            tx.change(Statement(f"VACUUM ANALYZE {table}"))

    await database.read(vacuum)


class Facts:
    """What statements are asked about. It is looked for once: MariaDB reads a million runs for it."""

    def __init__(self) -> None:
        self._runs: list[int] = []
        self._running: list[int] = []

    def of(self, tx: Tx) -> Loaded:
        """Facts about the loaded store, in which nothing stays changed."""
        if not self._runs:
            self._runs = _ids(tx, "state = 'PENDING' AND parked = 0")
            self._running = _ids(tx, "state = 'RUNNING'")
        return Loaded(now=tx.now(), runs=self._runs, running=self._running)


def _ids(tx: Tx, where: str) -> list[int]:
    return [row[0] for row in tx.rows(Statement(f"SELECT id FROM runs WHERE {where} ORDER BY id LIMIT {BATCH}"))]


# -------------------------------------------------------------------------------------------------------- explaining


def explain(tx: Tx, hot: Hot, loaded: Loaded, *, generic: bool) -> Explained:
    """Carry out the statement (the caller undoes it) and tell how it was done."""
    if tx.dialect.name == "sqlite":
        return _explain_sqlite(tx, hot, loaded)
    return _explain_postgresql(tx, hot, loaded, generic=generic)


def _explain_sqlite(tx: Tx, hot: Hot, loaded: Loaded) -> Explained:
    ready = hot.statement.rendered(tx.dialect)
    bound = ready.bind(hot.values(loaded), hot.sets(loaded))
    steps = [str(row[3]) for row in tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {ready.text}", bound)]
    indexes, scanned = set(), set()
    for step in steps:
        words = step.split()
        if "INDEX" in words:
            name = words[words.index("INDEX") + 1]
            indexes.add(_AUTOMATIC.get(name, name))
        elif "INTEGER PRIMARY KEY" in step:
            indexes.add("")
        elif words[0] == "SCAN" and words[1] in _TABLES | hot.aliases:
            scanned.add(words[1])
    return Explained(indexes=frozenset(indexes), scanned=frozenset(scanned), rows=0, text="\n".join(steps))


_AUTOMATIC = {  # SQLite's own names for the indexes of keys
    "sqlite_autoindex_runs_1": "runs_fire",
    "sqlite_autoindex_jobs_1": "jobs_name",
    "sqlite_autoindex_skips_1": "skips_fire",
    "sqlite_autoindex_lanes_1": "lanes_hash",
    "sqlite_autoindex_job_versions_1": "",
    "sqlite_autoindex_nodes_1": "",
    "sqlite_autoindex_leases_1": "",
    "sqlite_autoindex_limits_1": "",
    "sqlite_autoindex_attempts_1": "",
    "sqlite_autoindex_trigger_windows_1": "",
    "sqlite_autoindex_trigger_keys_1": "",
    "sqlite_autoindex_run_logs_1": "",
    "sqlite_autoindex_alert_subjects_1": "",
    "sqlite_autoindex_limit_keys_1": "",
    "sqlite_autoindex_limit_runs_1": "",
}
_TABLES = frozenset(
    {"runs", "cursors", "jobs", "job_versions", "lanes", "run_logs", "r", "x", "c", "h", "p", "l", "j", "v"}
    | {"limits", "limit_keys", "limit_runs"}
)


def _explain_postgresql(tx: Tx, hot: Hot, loaded: Loaded, *, generic: bool) -> Explained:
    """Through PREPARE, as the driver does it: first with a plan for these values, later with one for any."""
    ready = hot.statement.rendered(tx.dialect)
    values = [_literal(value) for value in ready.bind(hot.values(loaded), hot.sets(loaded))]
    execute = tx.connection.exec_driver_sql
    mode = "force_generic_plan" if generic else "force_custom_plan"
    execute(f"SET LOCAL plan_cache_mode = {mode}")
    execute(f"PREPARE hot AS {ready.text}")
    given = f"({', '.join(values)})" if values else ""
    answer = execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE hot{given}").scalar_one()
    execute("DEALLOCATE hot")
    plan = json.loads(answer) if isinstance(answer, str) else answer
    found = _Found()
    found.walk(plan[0]["Plan"])
    return Explained(
        indexes=frozenset(found.indexes),
        scanned=frozenset(found.scanned),
        rows=found.rows,
        text=json.dumps(plan[0]["Plan"], indent=1),
    )


class _Found:
    def __init__(self) -> None:
        self.indexes: set[str] = set()
        self.scanned: set[str] = set()
        self.rows = 0

    def walk(self, node: Mapping[str, Any]) -> None:
        kind, loops = node["Node Type"], node["Actual Loops"]
        if "Index Name" in node and loops:
            name = node["Index Name"]
            self.indexes.add("" if name.endswith("_pkey") else name)
        if kind == "Seq Scan" and loops:
            self.scanned.add(node["Relation Name"])
        if "Relation Name" in node and kind != "ModifyTable":
            removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
            self.rows += round((node["Actual Rows"] + removed) * loops)
        for part in node.get("Plans", ()):
            self.walk(part)


def _literal(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case bool() | int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"'\\x{value.hex()}'"
        case list():
            return "ARRAY[" + ", ".join(_literal(part) for part in value) + "]" if value else "'{}'"
        case _:
            raise TypeError(type(value))
