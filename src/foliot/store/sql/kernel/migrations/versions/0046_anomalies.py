"""Anomalies: in what a job differs from its own baseline, since when.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table. An older Foliot neither fills nor reads it."""
    op.create_table(
        "anomalies",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("kind", _name(12), nullable=False),
        sa.Column("is_open", sa.SmallInteger, nullable=False),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.Column("quiet", sa.SmallInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("facts", _long_text(), nullable=False),
        sa.UniqueConstraint("job_id", "kind", "began_at", name="anomalies_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("anomalies_open", "anomalies", ["is_open", "job_id"])
    op.create_index("anomalies_seen", "anomalies", ["seen_at"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
