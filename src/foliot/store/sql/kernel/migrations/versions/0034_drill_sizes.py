"""Sizes of drills: how far the clock is off, how long each transaction waits.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. An older Foliot neither fills nor reads it: its drills have the usual size."""
    op.add_column("drills", sa.Column("size_us", sa.BigInteger, nullable=True))
