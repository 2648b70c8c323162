"""Limits by key: what each key has left, and which runs hold or await one.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. While an older server lives, no job with such a limit is saved."""
    op.create_table(
        "limit_keys",
        sa.Column("name", _name(120), primary_key=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("said", _name(100), nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.Column("pace_us", sa.BigInteger, nullable=False),
        sa.Column("burst", sa.Integer, nullable=False),
        sa.Column("ver", sa.BigInteger, nullable=False),
        sa.Column("spent_until", sa.BigInteger, nullable=True),
        sa.Column("wake_at", sa.BigInteger, nullable=True),
    )
    op.create_index("limit_keys_wake", "limit_keys", ["wake_at"])
    op.create_table(
        "limit_runs",
        sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("name", _name(120), nullable=False),
        sa.Column("waits", sa.SmallInteger, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
    )
    op.create_index("limit_runs_waiting", "limit_runs", ["name", "waits", "turn", "run_id"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
