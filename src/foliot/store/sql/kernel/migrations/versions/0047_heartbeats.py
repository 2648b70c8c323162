"""Checks of jobs outside of Foliot, and their last pings.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables. An older Foliot neither fills nor reads them."""
    _heartbeats()
    op.create_table(
        "heartbeat_pings",
        sa.Column("heartbeat_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", _name(10), nullable=False),
        sa.Column("text", _long_text(), nullable=False),
        sa.Column("exit_code", sa.Integer, nullable=True),
        sa.Column("took_us", sa.BigInteger, nullable=True),
        sa.Column("made_by", _name(200), nullable=False),
    )


def _heartbeats() -> None:
    op.create_table(
        "heartbeats",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("namespace", _name(100), nullable=False),
        sa.Column("name", _name(200), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("is_paused", sa.SmallInteger, nullable=False),
        sa.Column("pings", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=True),
        sa.Column("last_kind", _name(10), nullable=True),
        sa.Column("last_text", _long_text(), nullable=False),
        sa.Column("exit_code", sa.Integer, nullable=True),
        sa.Column("ok_at", sa.BigInteger, nullable=True),
        sa.Column("started_at", sa.BigInteger, nullable=True),
        sa.Column("took_us", sa.BigInteger, nullable=True),
        sa.Column("due_at", sa.BigInteger, nullable=True),
        sa.Column("deadline_at", sa.BigInteger, nullable=True),
        sa.Column("trouble", _name(10), nullable=True),
        sa.Column("alarm_at", sa.BigInteger, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
        sa.UniqueConstraint("namespace", "name", name="heartbeats_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("heartbeats_alarm", "heartbeats", ["alarm_at"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
