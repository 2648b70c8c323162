"""Roles of servers: active or standby, since when, and for which session a standby was promoted.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0024"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. An older Foliot neither fills nor reads them: its servers are active."""
    op.add_column("nodes", sa.Column("role", _name(10), nullable=True))
    op.add_column("nodes", sa.Column("role_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("promoted_for", _name(32), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
