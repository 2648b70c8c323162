"""Callbacks: how a system that a run waits for says that the work is done.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. An older Foliot neither fills nor reads it: its retention leaves rows, which nothing reads."""
    op.create_table(
        "callbacks",
        sa.Column("id", _name(32), primary_key=True),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("lease_id", _name(32), nullable=False),
        sa.Column("session_id", _name(32), nullable=False),
        sa.Column("key_hash", _name(64), nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.Column("said_at", sa.BigInteger, nullable=True),
        sa.Column("progress", _long_text(), nullable=True),
        sa.Column("told_at", sa.BigInteger, nullable=True),
        sa.Column("end_hash", _name(64), nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
    )
    op.create_index("callbacks_run", "callbacks", ["run_id"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
