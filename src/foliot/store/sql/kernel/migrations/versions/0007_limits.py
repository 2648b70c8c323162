"""Whose a named limit is, and what a limit by weight or by rate will need.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Limits that are there already stay what they were: of the whole cluster."""
    op.add_column("limits", sa.Column("namespace", _name(100), nullable=True))
    op.add_column("limits", sa.Column("weight", sa.Integer, nullable=True))
    op.add_column("limits", sa.Column("rate", sa.BigInteger, nullable=True))
    op.add_column("limits", sa.Column("burst", sa.Integer, nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
