"""Bands and the life of nodes: how a session is by its beats, when it began and was ready, where a server is reached.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. An older Foliot neither fills nor reads them: its sessions are in no band."""
    op.add_column("nodes", sa.Column("band", _name(10), nullable=True))
    op.add_column("nodes", sa.Column("band_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("band_turn_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("begun_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("asked_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("ready_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("draining_at", sa.BigInteger, nullable=True))
    op.add_column("nodes", sa.Column("address", _name(200), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
