"""Weights of workers, and why a node is in WARNING: by late beats or by its load.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0028"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. An older Foliot neither fills nor reads them: its workers have the weight 1."""
    op.add_column("nodes", sa.Column("weight", sa.Integer, nullable=False, server_default="1"))
    op.add_column("nodes", sa.Column("band_cause", _name(10), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
