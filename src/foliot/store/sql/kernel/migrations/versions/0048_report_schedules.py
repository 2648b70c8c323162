"""Schedules of reports: which report is sent when, and to whom.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table. An older Foliot neither fills nor reads it."""
    op.create_table(
        "report_schedules",
        sa.Column("namespace", _name(100), primary_key=True),
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("next_at", sa.BigInteger, nullable=True),
        sa.Column("last_at", sa.BigInteger, nullable=True),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
    )
    op.create_index("report_schedules_next", "report_schedules", ["next_at", "namespace", "name"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
