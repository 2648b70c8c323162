"""How far the clock of each node is off, and what is known of the store's own.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them as they are."""
    op.add_column("nodes", sa.Column("wall_offset_us", sa.BigInteger, nullable=True))
    op.add_column("store_meta", sa.Column("clock_ahead_us", sa.BigInteger, nullable=True))
    op.add_column("store_meta", sa.Column("clock_trusted_us", sa.BigInteger, nullable=True))
