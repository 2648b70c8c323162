"""Maintenance: until when no server decides, since when, who said so and why.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. An older server does not read them: maintenance begins only where every server does."""
    op.add_column("store_meta", sa.Column("maintenance_until", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("store_meta", sa.Column("maintenance_at", sa.BigInteger, nullable=True))
    op.add_column("store_meta", sa.Column("maintenance_by", _name(200), nullable=True))
    op.add_column("store_meta", sa.Column("maintenance_reason", _long_text(), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
