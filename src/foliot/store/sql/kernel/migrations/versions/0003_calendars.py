"""Calendars people define, and which jobs use them.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

LongText = sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")


def upgrade() -> None:
    """Make the tables of calendars."""
    op.create_table(
        "calendars",
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("document", LongText, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", _name(200), nullable=False),
        sa.Column("reason", LongText, nullable=False),
        sa.Column("latest", sa.SmallInteger, nullable=False),
    )
    op.create_index("calendars_latest", "calendars", ["latest", "name"])
    op.create_table(
        "calendar_uses",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index("calendar_uses_version", "calendar_uses", ["name", "version"])


def _name(length: int) -> "sa.types.TypeEngine[str]":
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
