"""Statistics: figures of runs by minute, hour and day, and how far runs are counted.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0032"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. An older Foliot neither fills nor reads them: a newer leader counts its runs later."""
    op.create_table(
        "stats",
        sa.Column("resolution", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("start_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("is_part", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("node", _name(200), primary_key=True),
        sa.Column("runs", sa.BigInteger, nullable=False),
        sa.Column("succeeded", sa.BigInteger, nullable=False),
        sa.Column("failed", sa.BigInteger, nullable=False),
        sa.Column("retries", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("took", sa.BigInteger, nullable=False),
        sa.Column("took_us", sa.BigInteger, nullable=False),
        sa.Column("took_max_us", sa.BigInteger, nullable=False),
        sa.Column("took_sketch", _long_text(), nullable=False),
        sa.Column("delays", sa.BigInteger, nullable=False),
        sa.Column("delay_us", sa.BigInteger, nullable=False),
        sa.Column("delay_max_us", sa.BigInteger, nullable=False),
        sa.Column("delay_sketch", _long_text(), nullable=False),
        sa.Column("kinds", _long_text(), nullable=True),
    )
    op.create_table(
        "stats_progress",
        sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("ver", sa.BigInteger, nullable=False),
        sa.Column("counted_id", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "stats_left",
        sa.Column("first_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("run_ids", _long_text(), nullable=False),
        sa.Column("left_at", sa.BigInteger, nullable=False),
        sa.Column("look_at", sa.BigInteger, nullable=False),
    )
    op.create_index("stats_left_look", "stats_left", ["look_at"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
