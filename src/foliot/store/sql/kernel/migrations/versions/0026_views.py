"""Saved views: addresses of the console, each under a name.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0026"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. An older Foliot neither fills nor reads it."""
    long_text = sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
    op.create_table(
        "views",
        sa.Column("owner", _name(200), primary_key=True),
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("path", long_text, nullable=False),
        sa.Column("saved_at", sa.BigInteger, nullable=False),
        sa.Column("saved_by", _name(200), nullable=False),
    )


def _name(length: int) -> sa.String:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
