"""How much each session says of its handlers: so that one token does not fill the memory of every server.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0011"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; an older Foliot leaves it empty, and its sessions do not count."""
    op.add_column("nodes", sa.Column("offer_bytes", sa.Integer, nullable=True))
