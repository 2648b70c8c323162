"""Tables of limits by worker and by key: what each key has left, and which runs hold or await one."""

from typing import Final

import sqlalchemy as sa

from foliot.store.sql.kernel.tables import Flag, Name, Time, metadata

limit_keys: Final = sa.Table(
    "limit_keys",
    metadata,
    sa.Column("name", Name(120), primary_key=True),  # see store.sql.leasing.key_limits
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("said", Name(100), nullable=False),  # the value, for people
    sa.Column("used", sa.Integer, nullable=False),
    sa.Column("pace_us", sa.BigInteger, nullable=False),  # 0: it counts runs, not starts
    sa.Column("burst", sa.Integer, nullable=False),  # how many at once: starts after a quiet time, or runs
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("spent_until", Time, nullable=True),
    sa.Column("wake_at", Time, nullable=True),  # runs wait for it: then they are looked at
    sa.Index("limit_keys_wake", "wake_at"),
)

limit_runs: Final = sa.Table(
    "limit_runs",
    metadata,
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("name", Name(120), nullable=False),  # of the key that the run holds, or waits for
    sa.Column("waits", Flag, nullable=False),
    sa.Column("turn", sa.BigInteger, nullable=False),  # its rank among those that wait
    sa.Index("limit_runs_waiting", "name", "waits", "turn", "run_id"),
)
