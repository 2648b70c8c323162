"""Jobs and their versions, cursors, runs, skips, nodes, limits, logs; the store's own row and the leader's lease.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")
LongText = sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
Blob = sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql", "mariadb")

# Unix seconds by the store's own clock.
SECONDS = {
    "sqlite": "CAST(strftime('%s', 'now') AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM statement_timestamp()) AS bigint)",
    "mysql": "TIMESTAMPDIFF(SECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP())",
}


def upgrade() -> None:
    """Make every table of firing, leasing and ending."""
    _definitions()
    _runs()
    _ledger()
    _cluster()
    _first_rows()


def _name(length: int) -> "sa.types.TypeEngine[str]":
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _definitions() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("namespace", _name(100), nullable=False),
        sa.Column("name", _name(200), nullable=False),
        sa.Column("deleted_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("source", _name(20), nullable=False),
        sa.Column("pause_reason", LongText, nullable=True),
        sa.Column("paused_at", sa.BigInteger, nullable=True),
        sa.Column("moving", sa.Integer, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("namespace", "name", "deleted_at", name="jobs_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("jobs_moving", "jobs", ["moving", "id"])
    op.create_table(
        "job_versions",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("hash", _name(64), nullable=False),
        sa.Column("definition", LongText, nullable=False),
        sa.Column("lane_id", sa.Integer, nullable=False),
        sa.Column("merge_lane_id", sa.Integer, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", _name(200), nullable=False),
        sa.Column("reason", LongText, nullable=False),
    )
    op.create_table(
        "lanes",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("hash", _name(64), nullable=False),
        sa.Column("document", LongText, nullable=False),
        sa.UniqueConstraint("hash", name="lanes_hash"),
    )
    op.create_table(
        "cursors",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", _name(8), nullable=False),
        sa.Column("next_at", sa.BigInteger, nullable=True),
        sa.Column("next_due_at", sa.BigInteger, nullable=True),
        sa.Column("cursor_ver", sa.BigInteger, nullable=False),
        sa.Column("fence_seq", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("remaining", sa.Integer, nullable=True),
        sa.Column("skip_from", sa.BigInteger, nullable=True),
        sa.Column("skip_reason", _name(12), nullable=True),
        sa.Column("route_state", LongText, nullable=True),
        sa.Column("trouble", LongText, nullable=True),
    )
    op.create_index("cursors_due", "cursors", ["next_at", "job_id"])


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("fire_key", _name(250), nullable=False),
        sa.Column("shard", sa.Integer, nullable=False),
        sa.Column("parent_id", sa.BigInteger, nullable=True),
        sa.Column("open_children", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("not_before", sa.BigInteger, nullable=False),
        sa.Column("lane", sa.Integer, nullable=False),
        sa.Column("class", sa.SmallInteger, nullable=False),
        sa.Column("priority", sa.SmallInteger, nullable=False),
        sa.Column("serial", sa.SmallInteger, nullable=False),
        sa.Column("place", sa.BigInteger, nullable=True),
        sa.Column("parked", sa.SmallInteger, nullable=False),
        sa.Column("follow", sa.SmallInteger, nullable=False),
        sa.Column("state", _name(10), nullable=False),
        sa.Column("kind", _name(10), nullable=True),
        sa.Column("ver", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("deaths", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("cancel_at", sa.BigInteger, nullable=True),
        sa.Column("lease_id", _name(32), nullable=True),
        sa.Column("last_lease_id", _name(32), nullable=True),
        sa.Column("session_id", _name(32), nullable=True),
        sa.Column("request_no", sa.BigInteger, nullable=True),
        sa.Column("fence", sa.BigInteger, nullable=True),
        sa.Column("assigned_to", _name(32), nullable=True),
        sa.Column("assigned_until", sa.BigInteger, nullable=True),
        sa.Column("leased_at", sa.BigInteger, nullable=True),
        sa.Column("started_at", sa.BigInteger, nullable=True),
        sa.Column("deadline_at", sa.BigInteger, nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("triggered_by", _name(200), nullable=True),
        sa.Column("reason", LongText, nullable=True),
        sa.Column("params", LongText, nullable=True),
        sa.Column("result", LongText, nullable=True),
        sa.Column("error", LongText, nullable=True),
        sa.Column("error_type", _name(200), nullable=True),
        sa.Column("checkpoint", LongText, nullable=True),
        sa.UniqueConstraint("job_id", "fire_key", "shard", name="runs_fire"),
        sqlite_autoincrement=True,
    )
    op.create_index("runs_by_job", "runs", ["job_id", "id"])
    _partial_indexes()
    op.create_table(
        "attempts",
        sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("cause", _name(20), nullable=False),
        sa.Column("lease_id", _name(32), nullable=False),
        sa.Column("session_id", _name(32), nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("leased_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
        sa.Column("error", LongText, nullable=True),
        sa.Column("error_type", _name(200), nullable=True),
        sa.Column("retried", sa.SmallInteger, nullable=False),
    )
    op.create_index("attempts_by_job", "attempts", ["job_id", "ended_at"])
    op.create_table(
        "run_logs",
        sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at_offset", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("written_at", sa.BigInteger, nullable=False),
        sa.Column("body", Blob, nullable=False),
    )


def _partial_indexes() -> None:
    """Over what is alive, so that a million finished runs cost nothing; on MariaDB by columns NULL for the others."""
    if op.dialect_name() in op.COMMITS_AT_ONCE:
        op.create_index("runs_children", "runs", ["parent_id"])
    else:
        op.create_partial_index("runs_children", "runs", ["parent_id"], "parent_id IS NOT NULL")
    op.create_partial_index(
        "runs_ready",
        "runs",
        ["lane", "class", "priority", "not_before", "id"],
        "state = 'PENDING' AND parked = 0",
        live=("ready_lane", "INTEGER", "lane"),
    )
    op.create_partial_index(
        "runs_line",
        "runs",
        ["job_id", "place", "id"],
        "state IN ('PENDING', 'RUNNING') AND shard = -1",
        live=("line_job", "INTEGER", "CASE WHEN place IS NOT NULL THEN job_id END"),
    )
    op.create_partial_index(
        "runs_running",
        "runs",
        ["session_id", "request_no"],
        "state = 'RUNNING'",
        live=("held_by", "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "coalesce(session_id, '')"),
    )
    op.create_partial_index(
        "runs_parked",
        "runs",
        ["job_id", "place", "id"],
        "state = 'PENDING' AND parked = 1 AND place IS NOT NULL",
        live=("parked_job", "INTEGER", "job_id"),
    )
    later = "state = 'PENDING' AND place IS NULL"
    if op.dialect_name() in op.COMMITS_AT_ONCE:
        # One index for all that waits for its time: 1 to be leased, 2 to be admitted.
        op.create_live_column(
            "runs", "waits", "SMALLINT", f"CASE WHEN state = 'PENDING' AND parked = 0 THEN 1 WHEN {later} THEN 2 END"
        )
        op.create_index("runs_later", "runs", ["waits", "not_before", "id"])
    else:
        op.create_partial_index("runs_later", "runs", ["not_before", "id"], later)


def _ledger() -> None:
    op.create_table(
        "skips",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("fire_key", _name(60), nullable=False),
        sa.Column("from_at", sa.BigInteger, nullable=False),
        sa.Column("to_at", sa.BigInteger, nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("reason", _name(12), nullable=False),
        sa.Column("why", LongText, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("decided_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("job_id", "fire_key", name="skips_fire"),
        sqlite_autoincrement=True,
    )
    op.create_index("skips_by_job", "skips", ["job_id", "to_at"])


def _cluster() -> None:
    op.create_table(
        "store_meta",
        sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("fingerprint", _name(300), nullable=False),
        sa.Column("last_tick_at", sa.BigInteger, nullable=False),
        sa.Column("reap_after", sa.BigInteger, nullable=False),
        sa.Column("clock_suspect", sa.SmallInteger, nullable=False),
        sa.Column("last_good_time", sa.BigInteger, nullable=False),
        sa.Column("min_protocol", sa.Integer, nullable=False),
        sa.Column("lane_seq", sa.Integer, nullable=False),
        sa.Column("readable_from", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("id", _name(32), primary_key=True),
        sa.Column("name", _name(200), nullable=False),
        sa.Column("kind", _name(10), nullable=False),
        sa.Column("state", _name(10), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("last_beat_at", sa.BigInteger, nullable=False),
        sa.Column("beat_no", sa.BigInteger, nullable=False),
        sa.Column("settled", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("group_name", _name(100), nullable=False),
        sa.Column("slots", sa.Integer, nullable=False),
        sa.Column("version", _name(50), nullable=False),
        sa.Column("protocol", sa.Integer, nullable=False),
        sa.Column("host", _name(200), nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("clock_offset_us", sa.BigInteger, nullable=True),
        sa.Column("labels", LongText, nullable=False),
        sa.Column("handlers", LongText, nullable=False),
        sa.Column("load", LongText, nullable=True),
        sa.Column("progress", LongText, nullable=True),
        sa.Column("drained_by", LongText, nullable=True),
    )
    op.create_index("nodes_until", "nodes", ["state", "until"])
    op.create_table(
        "leases",
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("holder_session", _name(32), nullable=True),
        sa.Column("term", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "limits",
        sa.Column("name", _name(250), primary_key=True),
        sa.Column("max", sa.Integer, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.Column("ver", sa.BigInteger, nullable=False),
    )


def _first_rows() -> None:
    """The epoch starts at the present second, so that fences rise even across a store made anew (R6)."""
    seconds = SECONDS[op.dialect_name()]
    op.execute(
        "INSERT INTO store_meta (id, epoch, fingerprint, last_tick_at, reap_after, clock_suspect, last_good_time, "
        f"min_protocol, lane_seq, readable_from, created_at) "
        f"VALUES (1, {seconds}, '', 0, 0, 0, 0, 1, 0, 1, {seconds} * 1000000)"
    )
    op.execute("INSERT INTO leases (name, holder_session, term, until) VALUES ('leader', NULL, 0, 0)")
