"""Claims on limits: what comes free is kept for a run that needs more of a limit than there is.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0040"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. An older Foliot heeds no claim: the order of runs is then as it was before."""
    op.add_column("limits", sa.Column("claim_lane", sa.Integer, nullable=True))
    op.add_column("limits", sa.Column("claim_rank", sa.BigInteger, nullable=True))
    op.add_column("limits", sa.Column("claim_until", sa.BigInteger, nullable=True))
