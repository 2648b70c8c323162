"""When a session last changed what it offers: no shard of a broadcast waits for a handler that is gone.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. An older Foliot neither fills nor reads it: what changes there is known when it changes again."""
    op.add_column("nodes", sa.Column("offers_at", sa.BigInteger, nullable=True))
