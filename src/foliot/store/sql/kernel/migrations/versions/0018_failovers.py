"""Failovers: each failure from its beginning to its end, and the policies that users changed.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. An older Foliot neither fills nor reads them."""
    op.create_table(
        "failovers",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("occurrence", _name(250), nullable=False),
        sa.Column("type", _name(40), nullable=False),
        sa.Column("subject", _name(200), nullable=False),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("detected_at", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("evidence", _long_text(), nullable=False),
        sa.Column("affected", _long_text(), nullable=False),
        sa.Column("action", _name(40), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("session_id", _name(32), nullable=False),
        sa.Column("term", sa.BigInteger, nullable=True),
        sa.Column("ver", sa.Integer, nullable=False),
        sa.Column("outcome", _name(20), nullable=True),
        sa.Column("done", _long_text(), nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("escalated_at", sa.BigInteger, nullable=True),
        sa.Column("level", _name(10), nullable=True),
        sa.Column("channel", _name(100), nullable=True),
        sa.UniqueConstraint("occurrence", name="failovers_occurrence"),
        sqlite_autoincrement=True,
    )
    op.create_index("failovers_ended", "failovers", ["ended_at", "id"])
    op.create_table(
        "failover_policies",
        sa.Column("type", _name(40), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
    )


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
