"""Drills: failures that users make on purpose, which node takes part in them, and its order.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the columns. An older Foliot neither fills nor reads them: its nodes take no part."""
    op.create_table(
        "drills",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("slot", _name(40), nullable=False),
        sa.Column("type", _name(40), nullable=False),
        sa.Column("node", _name(200), nullable=False),
        sa.Column("session_id", _name(32), nullable=False),
        sa.Column("for_us", sa.BigInteger, nullable=False),
        sa.Column("made_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
        sa.Column("state", _name(10), nullable=False),
        sa.Column("asked_at", sa.BigInteger, nullable=False),
        sa.Column("began_at", sa.BigInteger, nullable=True),
        sa.Column("over_at", sa.BigInteger, nullable=True),
        sa.Column("noticed_us", sa.BigInteger, nullable=True),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("report", _long_text(), nullable=True),
        sa.UniqueConstraint("slot", name="drills_slot"),
        sqlite_autoincrement=True,
    )
    op.add_column("nodes", sa.Column("drills", _name(200), nullable=True))
    op.add_column("nodes", sa.Column("drill", _long_text(), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
