"""Tables of the history of a cluster: the load of nodes over time."""

from typing import Final

import sqlalchemy as sa

from foliot.store.sql.kernel.tables import LongText, Name, Time, metadata

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
    sa.Column("subject", Name(20), primary_key=True),  # load
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("at", Time, nullable=False),  # the minute or the hour that is done, or under way
    sa.Column("after_id", sa.BigInteger, nullable=False),  # jobs up to it are done
    sa.Column("noted", LongText, nullable=True),  # JSON: what the next round goes on from
)
