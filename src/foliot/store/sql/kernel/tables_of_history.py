"""Tables of the history of a cluster: the load of nodes over time, anomalies of jobs, and schedules of reports."""

from typing import Final

import sqlalchemy as sa

from foliot.store.sql.kernel.tables import BigId, Flag, LongText, Name, Time, metadata

# As `stats`: by time first. Sums of whole numbers and maxima; shares are kept in millionths.
node_loads: Final = sa.Table(
    "node_loads",
    metadata,
    sa.Column("resolution", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("start_at", Time, primary_key=True, autoincrement=False),
    sa.Column("node", Name(200), primary_key=True),  # its name; empty: the whole cluster
    sa.Column("kind", Name(10), nullable=False),  # server, worker; empty: the whole cluster
    sa.Column("samples", sa.BigInteger, nullable=False),  # looks of the leader
    sa.Column("online", sa.BigInteger, nullable=False),  # how many looks found it in this band
    sa.Column("warning", sa.BigInteger, nullable=False),
    sa.Column("offline", sa.BigInteger, nullable=False),
    sa.Column("scheduled", sa.BigInteger, nullable=False),  # fires of a server with a run
    sa.Column("skipped", sa.BigInteger, nullable=False),  # fires without one
    sa.Column("leased", sa.BigInteger, nullable=False),
    *(
        sa.Column(f"{name}_{part}", sa.BigInteger, nullable=False)
        for part in ("count", "sum", "max")
        for name in ("cpu", "memory", "disk", "score", "threads", "running", "slots")
    ),
)

history_progress: Final = sa.Table(
    "history_progress",
    metadata,
    sa.Column("subject", Name(20), primary_key=True),  # load, anomalies
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("at", Time, nullable=False),  # the minute or the hour that is done, or under way
    sa.Column("after_id", sa.BigInteger, nullable=False),  # jobs up to it are done
    sa.Column("noted", LongText, nullable=True),  # JSON: what the next round goes on from
)

anomalies: Final = sa.Table(
    "anomalies",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("kind", Name(12), nullable=False),  # see domain.anomalies
    sa.Column("is_open", Flag, nullable=False),  # 1: it was there when the job was last judged
    sa.Column("began_at", Time, nullable=False),
    sa.Column("seen_at", Time, nullable=False),  # the end of the last hour in which it was seen
    sa.Column("quiet", sa.SmallInteger, nullable=False),  # hours since then that were judged
    sa.Column("ended_at", Time, nullable=True),
    sa.Column("facts", LongText, nullable=False),  # JSON: the numbers of its sentence
    sa.UniqueConstraint("job_id", "kind", "began_at", name="anomalies_once"),
    sa.Index("anomalies_open", "is_open", "job_id"),
    sa.Index("anomalies_seen", "seen_at"),
    sqlite_autoincrement=True,
)

report_schedules: Final = sa.Table(
    "report_schedules",
    metadata,
    sa.Column("namespace", Name(100), primary_key=True),  # empty: reports of the whole cluster
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON
    sa.Column("next_at", Time, nullable=True),  # when the next report is to be sent; NULL: it is off
    sa.Column("last_at", Time, nullable=True),  # when the last one was to be sent
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("updated_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Index("report_schedules_next", "next_at", "namespace", "name"),
)
