"""Every table of the store, for the migrations and for the reader; hot statements stand beside their verb.

Times are microseconds of store time. Flags are SMALLINT 0/1, so that one text works on every engine. No unique key
rests on NULL. Indexes serve named queries, each proved by a test that explains it.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

metadata: Final = sa.MetaData()

BigId: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite counts only INTEGER PRIMARY KEY upwards
Time: Final = sa.BigInteger()
Flag: Final = sa.SmallInteger()
LongText: Final = sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
Blob: Final = sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql", "mariadb")

PENDING_READY: Final = "state = 'PENDING' AND parked = 0"
IN_LINE: Final = "state IN ('PENDING', 'RUNNING') AND shard = -1"
RUNNING: Final = "state = 'RUNNING'"
PARKED: Final = "state = 'PENDING' AND parked = 1 AND place IS NOT NULL"
ASSIGNED: Final = "state = 'PENDING' AND parked = 2"
LATER: Final = "state = 'PENDING' AND place IS NULL"


PARTIAL: Final = ("postgresql", "sqlite")
"""Who has partial indexes; the others get live columns, NULL for rows outside the part, and indexes on them."""


def _has_partial(*_: object, dialect: sa.Dialect, **__: object) -> bool:
    return dialect.name in PARTIAL


def Name(length: int) -> sa.types.TypeEngine[str]:  # noqa: N802  a type, used like sa.String
    """Text that compares by bytes on every engine."""
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


store_meta = sa.Table(
    "store_meta",
    metadata,
    sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),  # always 1
    sa.Column("epoch", sa.BigInteger, nullable=False),
    sa.Column("fingerprint", Name(300), nullable=False),
    sa.Column("last_tick_at", Time, nullable=False),
    sa.Column("reap_after", Time, nullable=False),
    sa.Column("clock_suspect", Flag, nullable=False),
    sa.Column("last_good_time", Time, nullable=False),
    sa.Column("min_protocol", sa.Integer, nullable=False),
    sa.Column("lane_seq", sa.Integer, nullable=False),  # last lane id; drawn here, so in commit order (R14)
    sa.Column("readable_from", sa.Integer, nullable=False),  # oldest schema number whose servers may use this store
    sa.Column("created_at", Time, nullable=False),
    sa.Column("clock_ahead_us", sa.BigInteger, nullable=True),  # of the time believed in, while the clock is suspect
    sa.Column("clock_trusted_us", sa.BigInteger, nullable=True),  # median wall_offset_us when a person trusted it
    sa.Column("maintenance_until", Time, nullable=False, server_default="0"),  # before then no server decides
    sa.Column("maintenance_at", Time, nullable=True),  # since when; these three: of the last maintenance
    sa.Column("maintenance_by", Name(200), nullable=True),
    sa.Column("maintenance_reason", LongText, nullable=True),
    sa.Column(
        "scopes_ver", sa.BigInteger, nullable=False, server_default="0"
    ),  # rises with limits of groups and namespaces
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("namespace", Name(100), nullable=False),
    sa.Column("name", Name(200), nullable=False),
    sa.Column("deleted_at", Time, nullable=False, server_default="0"),  # 0: not deleted, so the name is unique
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("source", Name(20), nullable=False),
    sa.Column("pause_reason", LongText, nullable=True),
    sa.Column("paused_at", Time, nullable=True),
    sa.Column("moving", sa.Integer, nullable=True),  # version its waiting runs still have to take; NULL: none
    sa.Column("created_at", Time, nullable=False),
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("from_end", Flag, nullable=True),  # 1: its version has a fixed delay; NULL: not known
    # What code declared it; NULL: no code did, or an older Foliot saved it.
    sa.Column("source_module", Name(250), nullable=True),
    sa.Column("source_group", Name(100), nullable=True),
    sa.Column("undeclared_at", Time, nullable=True),  # since when no live worker declares it, as the leader saw
    sa.Column("retirement", sa.SmallInteger, nullable=True),  # see domain.sources.Retirement
    sa.Column("renamed_to", Name(200), nullable=True),  # of a retired job: the nearest name its source declares
    sa.Column("paused_by", Name(200), nullable=True),
    sa.UniqueConstraint("namespace", "name", "deleted_at", name="jobs_name"),
    sa.Index("jobs_moving", "moving", "id"),
    sa.Index("jobs_from_end", "from_end", "id"),
    sa.Index("jobs_source", "source_module", "id"),
    sa.Index("jobs_undeclared", "undeclared_at", "id"),
    sqlite_autoincrement=True,
)

job_versions = sa.Table(
    "job_versions",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("hash", Name(64), nullable=False),
    sa.Column("definition", LongText, nullable=False),  # canonical JSON document
    sa.Column("lane_id", sa.Integer, nullable=False),
    sa.Column("merge_lane_id", sa.Integer, nullable=True),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("created_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
)

lanes = sa.Table(
    "lanes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("hash", Name(64), nullable=False),
    sa.Column("document", LongText, nullable=False),
    sa.UniqueConstraint("hash", name="lanes_hash"),
)

cursors = sa.Table(
    "cursors",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("state", Name(8), nullable=False),
    sa.Column("next_at", Time, nullable=True),  # when to look; a paused cursor has one when it resumes by itself
    sa.Column("next_due_at", Time, nullable=True),  # first undecided nominal instant
    sa.Column("cursor_ver", sa.BigInteger, nullable=False),
    sa.Column("fence_seq", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("remaining", sa.Integer, nullable=True),
    sa.Column("skip_from", Time, nullable=True),
    sa.Column("skip_reason", Name(12), nullable=True),
    sa.Column("route_state", LongText, nullable=True),
    sa.Column("trouble", LongText, nullable=True),
    sa.Column("skip_why", LongText, nullable=True),  # with skip_from and skip_reason: the open skip row
    sa.Index("cursors_due", "next_at", "job_id"),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fire_key", Name(250), nullable=False),
    sa.Column("shard", sa.Integer, nullable=False),  # -1: the run itself
    sa.Column("parent_id", sa.BigInteger, nullable=True),
    sa.Column("open_children", sa.Integer, nullable=False, server_default="0"),
    sa.Column("due_at", Time, nullable=False),
    sa.Column("not_before", Time, nullable=False),
    sa.Column("lane", sa.Integer, nullable=False),
    sa.Column("class", sa.SmallInteger, nullable=False),  # 0 on time; 1, 2: see domain.late_work
    sa.Column("priority", sa.SmallInteger, nullable=False),
    sa.Column("serial", sa.SmallInteger, nullable=False),  # 0 no, 1 yes, 2 yes and a later such run replaces it
    sa.Column("place", sa.BigInteger, nullable=True),  # in the job's line; NULL: a trigger not yet due
    sa.Column("parked", Flag, nullable=False),  # 0 ready, 1 behind another in line, 2 assigned, 3 waits for its key
    sa.Column("follow", sa.SmallInteger, nullable=False),  # what its end sets off, see store.sql.follow
    sa.Column("state", Name(10), nullable=False),
    sa.Column("kind", Name(10), nullable=True),
    sa.Column("ver", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("deaths", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("cancel_at", Time, nullable=True),
    sa.Column("lease_id", Name(32), nullable=True),
    sa.Column("last_lease_id", Name(32), nullable=True),
    sa.Column("session_id", Name(32), nullable=True),  # of a shard that is one worker's own: always
    sa.Column("request_no", sa.BigInteger, nullable=True),
    sa.Column("fence", sa.BigInteger, nullable=True),
    sa.Column("assigned_to", Name(32), nullable=True),  # a session, or `*`: anyone that fits
    sa.Column("assigned_until", Time, nullable=True),
    sa.Column("leased_at", Time, nullable=True),
    sa.Column("started_at", Time, nullable=True),
    sa.Column("deadline_at", Time, nullable=True),  # before the start is reported: by when it must be
    sa.Column("ended_at", Time, nullable=True),
    sa.Column("triggered_by", Name(200), nullable=True),
    sa.Column("reason", LongText, nullable=True),
    sa.Column("params", LongText, nullable=True),  # NULL: those of the version
    sa.Column("result", LongText, nullable=True),
    sa.Column("error", LongText, nullable=True),
    sa.Column("error_type", Name(200), nullable=True),
    sa.Column("checkpoint", LongText, nullable=True),
    sa.Column("cancelled_by", Name(200), nullable=True),  # the user who asked for it
    sa.Column("cancel_reason", LongText, nullable=True),
    sa.Column("assigned_rank", sa.BigInteger, nullable=True),  # its turn among those of the same worker
    sa.Column("assigned_before", Name(100), nullable=True),  # sessions that let their time pass, with commas
    sa.UniqueConstraint("job_id", "fire_key", "shard", name="runs_fire"),
    sa.Index("runs_by_job", "job_id", "id"),
    sa.Index("runs_children", "parent_id", postgresql_where=sa.text("parent_id IS NOT NULL"),
             sqlite_where=sa.text("parent_id IS NOT NULL")),
    sa.Index("runs_ready", "lane", "class", "priority", "not_before", "id",
             postgresql_where=sa.text(PENDING_READY),
             sqlite_where=sa.text(PENDING_READY)).ddl_if(callable_=_has_partial),
    sa.Index("runs_line", "job_id", "place", "id",
             postgresql_where=sa.text(IN_LINE), sqlite_where=sa.text(IN_LINE)).ddl_if(callable_=_has_partial),
    sa.Index("runs_running", "session_id", "request_no",
             postgresql_where=sa.text(RUNNING), sqlite_where=sa.text(RUNNING)).ddl_if(callable_=_has_partial),
    sa.Index("runs_parked", "job_id", "place", "id",
             postgresql_where=sa.text(PARKED), sqlite_where=sa.text(PARKED)).ddl_if(callable_=_has_partial),
    sa.Index("runs_assigned", "assigned_to", "lane", "assigned_rank", "id",
             postgresql_where=sa.text(ASSIGNED), sqlite_where=sa.text(ASSIGNED)),
    sa.Index("runs_assigned_until", "assigned_until", "id",
             postgresql_where=sa.text(ASSIGNED), sqlite_where=sa.text(ASSIGNED)).ddl_if(callable_=_has_partial),
    sa.Index("runs_later", "not_before", "id",
             postgresql_where=sa.text(LATER), sqlite_where=sa.text(LATER)).ddl_if(callable_=_has_partial),
    sqlite_autoincrement=True,
)  # fmt: skip

_LIVE_COLUMNS: Final = (
    ("ready_lane", "INTEGER", f"CASE WHEN {PENDING_READY} THEN lane END",
     "runs_ready", "class, priority, not_before, id"),
    ("line_job", "INTEGER", f"CASE WHEN {IN_LINE} THEN CASE WHEN place IS NOT NULL THEN job_id END END",
     "runs_line", "place, id"),
    ("held_by", "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
     f"CASE WHEN {RUNNING} THEN coalesce(session_id, '') END", "runs_running", "request_no"),
    ("parked_job", "INTEGER", f"CASE WHEN {PARKED} THEN job_id END", "runs_parked", "place, id"),
    ("waits", "SMALLINT", f"CASE WHEN {PENDING_READY} THEN 1 WHEN {LATER} THEN 2 END", "runs_later", "not_before, id"),
)  # fmt: skip


def _make_live_columns(_table: sa.Table, connection: sa.Connection, **_: object) -> None:
    if connection.dialect.name in PARTIAL:
        return
    for column, type_, value, index, rest in _LIVE_COLUMNS:
        connection.exec_driver_sql(f"ALTER TABLE runs ADD COLUMN {column} {type_} AS ({value}) STORED")
        connection.exec_driver_sql(f"CREATE INDEX {index} ON runs ({column}, {rest})")


sa.event.listen(runs, "after_create", _make_live_columns)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("cause", Name(20), nullable=False),
    sa.Column("lease_id", Name(32), nullable=False),
    sa.Column("session_id", Name(32), nullable=False),
    sa.Column("fence", sa.BigInteger, nullable=False),
    sa.Column("leased_at", Time, nullable=False),
    sa.Column("started_at", Time, nullable=True),
    sa.Column("ended_at", Time, nullable=False),
    sa.Column("error", LongText, nullable=True),
    sa.Column("error_type", Name(200), nullable=True),
    sa.Column("retried", Flag, nullable=False),  # its failure was followed by another try
    sa.Index("attempts_by_job", "job_id", "ended_at"),  # retry budgets
)

trigger_windows = sa.Table(
    "trigger_windows",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("window_key", Name(32), primary_key=True),  # of the value of a parameter; empty: the job has one window
    sa.Column("run_id", sa.BigInteger, nullable=False),  # the newest: it stands for triggers that make none
    sa.Column("opened_at", Time, nullable=False),
    sa.Column("until", Time, nullable=False),
    sa.Column("used", sa.Integer, nullable=False),  # runs that were made in it
    sa.Index("trigger_windows_until", "until"),
)

trigger_keys = sa.Table(
    "trigger_keys",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("fire_key", Name(250), primary_key=True),  # of a trigger that shares its run with others
    sa.Column("run_id", sa.BigInteger, nullable=False),
    sa.Column("asked", Name(32), nullable=True),  # a hash of what the trigger's user wrote
    sa.Column("until", Time, nullable=False),  # then it is forgotten
    sa.Index("trigger_keys_until", "until"),
)

skips = sa.Table(
    "skips",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("fire_key", Name(60), nullable=False),
    sa.Column("from_at", Time, nullable=False),
    sa.Column("to_at", Time, nullable=False),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("reason", Name(12), nullable=False),
    sa.Column("why", LongText, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("decided_at", Time, nullable=False),
    sa.Column("held", sa.SmallInteger, nullable=False, server_default="0"),  # 1: paused time that may be caught up
    sa.Column("cause", LongText, nullable=True),  # `why` as data; an older Foliot writes none
    sa.UniqueConstraint("job_id", "fire_key", name="skips_fire"),
    sa.Index("skips_by_job", "job_id", "to_at"),
    sqlite_autoincrement=True,
)

nodes = sa.Table(
    "nodes",
    metadata,
    sa.Column("id", Name(32), primary_key=True),  # the session
    sa.Column("name", Name(200), nullable=False),
    sa.Column("kind", Name(10), nullable=False),  # server, worker
    sa.Column("state", Name(10), nullable=False),  # live, draining, dead
    sa.Column("until", Time, nullable=False),
    sa.Column("started_at", Time, nullable=False),
    sa.Column("last_beat_at", Time, nullable=False),
    sa.Column("beat_no", sa.BigInteger, nullable=False),
    sa.Column("settled", sa.BigInteger, nullable=False),
    sa.Column("ended_at", Time, nullable=True),
    sa.Column("group_name", Name(100), nullable=False),
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("version", Name(50), nullable=False),
    sa.Column("protocol", sa.Integer, nullable=False),
    sa.Column("host", Name(200), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("clock_offset_us", sa.BigInteger, nullable=True),  # of a server: store time's lead over its reckoning
    sa.Column("labels", LongText, nullable=False),
    sa.Column("handlers", LongText, nullable=False),
    sa.Column("load", LongText, nullable=True),
    sa.Column("progress", LongText, nullable=True),
    sa.Column("drained_by", LongText, nullable=True),
    sa.Column("wall_offset_us", sa.BigInteger, nullable=True),  # its wall clock's lead over store time; shown (C2)
    sa.Column("namespace", Name(100), nullable=True),  # of its token: the only one it serves; NULL: every
    sa.Column("owner", Name(32), nullable=True),  # line of the token that began it; NULL: a server's, or not recorded
    sa.Column("offer_bytes", sa.Integer, nullable=True),  # length of `handlers` and of what `kinds` names
    sa.Column("offer_hash", Name(64), nullable=True),  # sha256 of both: workers with the same code have the same
    sa.Column("code", Name(64), nullable=True),  # `codes.hash` of a worker; NULL: an older server wrote the row
    sa.Column("kinds", Name(64), nullable=True),  # `worker_kinds.hash`; NULL: it says nothing of its kinds
    sa.Column("band", Name(10), nullable=True),  # ONLINE, WARNING: by its beats; NULL: no beat was judged
    sa.Column("band_at", Time, nullable=True),  # since when
    sa.Column("band_turn_at", Time, nullable=True),  # since then each beat spoke for the other band
    sa.Column("begun_at", Time, nullable=True),  # when its process began
    sa.Column("asked_at", Time, nullable=True),  # when it asked to register; `started_at`: when it was taken in
    sa.Column("ready_at", Time, nullable=True),  # when it first took work
    sa.Column("draining_at", Time, nullable=True),
    sa.Column("address", Name(200), nullable=True),  # of a server: where workers reach it
    sa.Column("drills", Name(200), nullable=True),  # types of drills that it takes part in, with commas; NULL: none
    sa.Column("drill", LongText, nullable=True),  # JSON: the order that it gets with its next beat
    sa.Column("role", Name(10), nullable=True),  # of a server: active, standby; NULL: active
    sa.Column("role_at", Time, nullable=True),  # when it was promoted or demoted
    sa.Column("promoted_for", Name(32), nullable=True),  # the session that it was promoted for
    sa.Column("weight", sa.Integer, nullable=False, server_default="1"),  # of a worker: its share beside others
    sa.Column("band_cause", Name(10), nullable=True),  # late, load, straining: why it is in WARNING; NULL: ONLINE
    sa.Column("offers_at", Time, nullable=True),  # when what it offers or its labels last changed; NULL: never
    sa.Index("nodes_until", "state", "until"),
    sa.Index("nodes_code", "code", "state"),
)

worker_kinds = sa.Table(
    "worker_kinds",
    metadata,
    sa.Column("hash", Name(64), primary_key=True),  # of `stated`
    sa.Column("stated", LongText, nullable=False),  # kinds of handlers with versions and schemas, and what failed
    sa.Column("used_at", Time, nullable=False),  # when a session last said this, give or take an hour
)

codes = sa.Table(
    "codes",
    metadata,
    sa.Column("hash", Name(64), primary_key=True),  # of everything else that is kept of it
    sa.Column("namespace", Name(100), nullable=True),  # of the token: the only one it declares in; NULL: every
    sa.Column("group_name", Name(100), nullable=True),  # likewise
    sa.Column("whole", Flag, nullable=False),  # 1: all its rows in the two tables below are there
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("used_at", Time, nullable=False),  # when a session last said that this is its code
    sa.Index("codes_used", "used_at"),
)

code_modules = sa.Table(
    "code_modules",
    metadata,
    sa.Column("code", Name(64), primary_key=True),
    sa.Column("module", Name(250), primary_key=True),
)

code_jobs = sa.Table(
    "code_jobs",
    metadata,
    sa.Column("namespace", Name(100), primary_key=True),
    sa.Column("name", Name(200), primary_key=True),
    sa.Column("code", Name(64), primary_key=True),
    sa.Column("module", Name(250), nullable=False),
    sa.Index("code_jobs_code", "code"),
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("holder_session", Name(32), nullable=True),
    sa.Column("term", sa.BigInteger, nullable=False),
    sa.Column("until", Time, nullable=False),
)

limits = sa.Table(
    "limits",
    metadata,
    sa.Column("name", Name(250), primary_key=True),
    sa.Column("max", sa.Integer, nullable=False),
    sa.Column("used", sa.Integer, nullable=False),
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("namespace", Name(100), nullable=True),  # NULL: of the whole cluster, or of one job
    sa.Column("weight", sa.Integer, nullable=True),  # of an older Foliot, unused
    sa.Column("rate", sa.BigInteger, nullable=True),  # so many starts in `rate_per_us`; NULL: any number
    sa.Column("burst", sa.Integer, nullable=True),  # so many of them at once after a quiet time
    sa.Column("claim_lane", sa.Integer, nullable=True),  # these three: whose run gets what comes free
    sa.Column("claim_rank", sa.BigInteger, nullable=True),
    sa.Column("claim_until", Time, nullable=True),
    sa.Column("rate_per_us", sa.BigInteger, nullable=True),
    sa.Column("pace_us", sa.BigInteger, nullable=True),  # from one start to the next
    sa.Column("spent_until", Time, nullable=True),  # when `burst` starts are possible again (domain.rates)
)

run_logs = sa.Table(
    "run_logs",
    metadata,
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at_offset", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("size", sa.Integer, nullable=False),  # bytes of text before compression
    sa.Column("written_at", Time, nullable=False),
    sa.Column("body", Blob, nullable=False),  # zlib
    sa.Column("parent_id", sa.BigInteger, nullable=True),  # of a shard's run; NULL too where an older Foliot wrote it
    sa.Index("run_logs_time", "run_id", "written_at"),  # the logs of many shards, by time
    sa.Index("run_logs_news", "parent_id", "written_at", postgresql_where=sa.text("parent_id IS NOT NULL"),
             sqlite_where=sa.text("parent_id IS NOT NULL")),  # what is new in them
)  # fmt: skip

callbacks = sa.Table(
    "callbacks",
    metadata,
    sa.Column("id", Name(32), primary_key=True),  # random: it stands in the URL
    sa.Column("run_id", sa.BigInteger, nullable=False),
    sa.Column("lease_id", Name(32), nullable=False),  # the attempt that waits: a callback ends this one or none
    sa.Column("session_id", Name(32), nullable=False),
    sa.Column("key_hash", Name(64), nullable=False),  # sha256 of the token; the token itself is nowhere
    sa.Column("made_at", Time, nullable=False),
    sa.Column("said_at", Time, nullable=True),  # time stamp of the newest signed progress: an older one is a replay
    sa.Column("progress", LongText, nullable=True),
    sa.Column("told_at", Time, nullable=True),  # when `progress` came
    sa.Column("end_hash", Name(64), nullable=True),  # sha256 of the end that it brought; NULL: none
    sa.Column("ended_at", Time, nullable=True),
    sa.Index("callbacks_run", "run_id"),
)

locks = sa.Table(
    "locks",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("namespace", Name(100), nullable=False),
    sa.Column("name", Name(200), nullable=False),  # both empty: the highest token of locks that were forgotten
    sa.Column("token", sa.BigInteger, nullable=False),  # the highest that was drawn; it only rises
    sa.Column("used_at", Time, nullable=False),
    sa.UniqueConstraint("namespace", "name", name="locks_name"),
    sa.Index("locks_used", "used_at"),
    sqlite_autoincrement=True,
)

lock_claims = sa.Table(
    "lock_claims",
    metadata,
    sa.Column("id", Name(32), primary_key=True),  # chosen by its maker, so that asking may be repeated
    sa.Column("lock_id", sa.BigInteger, nullable=False),
    sa.Column("place", sa.BigInteger, nullable=False),  # in the line: the token that was drawn when it came
    sa.Column("most", sa.Integer, nullable=False),  # owners that may hold the lock with it, itself counted
    sa.Column("owner", Name(32), nullable=False),  # the lease of a run's attempt, or the claim itself
    sa.Column("until", Time, nullable=False),  # of a holder; of one that waits: it is believed to be wanted
    sa.Column("token", sa.BigInteger, nullable=True),  # NULL: it waits
    sa.Column("ttl_us", sa.BigInteger, nullable=False),
    sa.Column("asked_at", Time, nullable=False),
    sa.Column("granted_at", Time, nullable=True),
    sa.Column("session_id", Name(32), nullable=True),  # these three: of a run
    sa.Column("run_id", sa.BigInteger, nullable=True),
    sa.Column("lease_id", Name(32), nullable=True),
    sa.Column("line", Name(32), nullable=False),  # of the token that a person or a program showed
    sa.Column("made_by", Name(200), nullable=False),
    sa.Column("broken", LongText, nullable=True),  # who waited for whom, when a deadlock ended its wait
    sa.Index("lock_claims_line", "lock_id", "place"),
    sa.Index("lock_claims_asker", "session_id", "line"),
)
