"""What each database says of itself: one text a question, in the words of each database that can answer it.

Each is cheap, and ends at the time limit of its connection. PostgreSQL answers all of them in one statement.
"""

from typing import Final, NamedTuple

from foliot.store.sql.kernel.schema import VERSION_TABLE
from foliot.store.sql.kernel.statement import Statement

NO_ANSWER: Final = "SELECT id FROM store_meta WHERE id < 0"
"""The text for databases that cannot answer: they are not asked."""

HOT_TABLES: Final = ("runs", "cursors", "nodes", "limits", "attempts", "leases", "lock_claims", "events")
_HOT: Final = ", ".join(f"'{table}'" for table in HOT_TABLES)


class Question(NamedTuple):
    """What is asked, and the right that the store's user needs for it on each database."""

    name: str
    statement: Statement
    postgresql: str = "GRANT pg_monitor TO CURRENT_USER"
    mysql: str = "GRANT PROCESS ON *.* TO CURRENT_USER"

    def grant(self, dialect: str) -> str:
        return self.postgresql if dialect == "postgresql" else self.mysql

    def has_answer(self, dialect: str) -> bool:
        return self.statement.text_for(dialect) != NO_ANSWER


TRANSACTIONS: Final = Statement(
    NO_ANSWER,
    # Of a session that the user may not see, the type is hidden. Those without a user are the database's own.
    postgresql="""
    SELECT extract(epoch FROM statement_timestamp() - a.xact_start) AS age_s, a.pid AS session,
           nullif(a.application_name, '') AS name, 'SELECT pg_terminate_backend(' || a.pid || ')' AS stop, h.hidden
    FROM (SELECT count(*) AS hidden FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type IS NULL AND usesysid IS NOT NULL) h
    LEFT JOIN (SELECT pid, xact_start, application_name FROM pg_stat_activity
               WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
                     AND backend_type = 'client backend'
               ORDER BY xact_start LIMIT 1) a ON true
    """,
    # Here `trx_started` is in the machine's own zone, whatever the zone of the session. Thread 0 is the server's own.
    mysql="""
    SELECT greatest(0, TIMESTAMPDIFF(SECOND, t.trx_started, CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM'))) AS age_s,
           t.trx_mysql_thread_id AS session, NULL AS name, concat('KILL ', t.trx_mysql_thread_id) AS stop, 0 AS hidden
    FROM (SELECT 1 AS one) o
    LEFT JOIN (SELECT trx_started, trx_mysql_thread_id FROM information_schema.innodb_trx
               WHERE trx_mysql_thread_id NOT IN (0, CONNECTION_ID()) ORDER BY trx_started LIMIT 1) t ON true
    """,
)

REPLICATION: Final = Statement(
    NO_ANSWER,
    postgresql="""
    SELECT coalesce(nullif(application_name, ''), 'pid ' || pid) AS name, state,
           extract(epoch FROM coalesce(replay_lag, interval '0')) AS lag_s, 0 AS kept_bytes
    FROM pg_stat_replication
    UNION ALL
    SELECT slot_name, 'away', 0, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)
    FROM pg_replication_slots WHERE NOT active AND slot_type = 'physical'
    """,
    # A primary knows who reads its log, and not how much of it was applied there. Behind a host stands its port.
    mysql="""
    SELECT left(host, char_length(host) - char_length(substring_index(host, ':', -1)) - 1) AS name,
           'follows' AS state, NULL AS lag_s, 0 AS kept_bytes
    FROM information_schema.processlist WHERE command IN ('Binlog Dump', 'Binlog Dump GTID')
    """,
)

SCHEMA: Final = Statement(
    f"SELECT v.version_num AS revision, m.readable_from FROM {VERSION_TABLE} v JOIN store_meta m ON m.id = 1"
)

STATUS: Final = Statement(
    NO_ANSWER,
    mysql="""
    SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected',
      'wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_ready', 'wsrep_flow_control_paused')
    """,
)

DEAD_ROWS: Final = Statement(
    "SELECT 'file' AS name, f.freelist_count AS dead, p.page_count - f.freelist_count AS live "
    "FROM pragma_freelist_count f, pragma_page_count p",
    postgresql=f"""
    SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND relname IN ({_HOT})
    """,
    mysql=NO_ANSWER,
)

HISTORY: Final = Statement(
    NO_ANSWER,
    mysql="SELECT `count` AS length FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'",
)

CONNECTIONS: Final = Statement(
    NO_ANSWER,
    postgresql="""
    SELECT count(*) AS used, CAST(current_setting('max_connections') AS integer)
           - CAST(current_setting('superuser_reserved_connections') AS integer) AS most
    FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL
    """,
)

SETTINGS: Final = Statement(
    NO_ANSWER,
    postgresql="SELECT name, setting AS value FROM pg_settings WHERE name IN ('fsync', 'full_page_writes')",
    mysql="""
    SELECT 'innodb_doublewrite' AS name,
           CASE @@global.innodb_doublewrite WHEN 0 THEN 'off' WHEN 1 THEN 'on'
                ELSE lower(@@global.innodb_doublewrite) END AS value
    UNION ALL
    SELECT 'sync_binlog', CASE WHEN @@global.log_bin = 1 THEN @@global.sync_binlog ELSE 1 END
    UNION ALL
    SELECT 'max_connections', @@global.max_connections
    """,
)

SIZE: Final = Statement(
    "SELECT p.page_count * s.page_size AS bytes FROM pragma_page_count p, pragma_page_size s",
    postgresql="SELECT pg_database_size(current_database()) AS bytes",
    mysql="""
    SELECT sum(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()
    """,
)

FILE: Final = Statement(
    "SELECT file AS path FROM pragma_database_list WHERE name = 'main'", postgresql=NO_ANSWER, mysql=NO_ANSWER
)
"""Where a store in a file is: its disk and its write-ahead log are looked at there."""

QUESTIONS: Final = (
    Question("transactions", TRANSACTIONS),
    Question("replication", REPLICATION),
    Question("schema", SCHEMA),
    Question("status", STATUS),
    Question("dead_rows", DEAD_ROWS),
    Question("history", HISTORY),
    Question("connections", CONNECTIONS),
    Question("settings", SETTINGS),
    Question("size", SIZE),
)


def _together(dialect: str) -> str:
    """All questions as one: each answer is a column, its rows are written as JSON."""
    answers = (
        f"(SELECT CAST(json_agg(q) AS text) FROM ({question.statement.text_for(dialect)}) q) AS {question.name}"
        for question in QUESTIONS
        if question.has_answer(dialect)
    )
    return f"SELECT {', '.join(answers)}"


TOGETHER: Final = Statement(NO_ANSWER, postgresql=_together("postgresql"))
"""One statement for all. When the database refuses a part of it, each question is asked by itself."""
