"""The clock of an alert's escalation, which stands while the alert is silent.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. An older Foliot leaves it as it is, and counts from when the alert fired."""
    op.add_column("alerts", sa.Column("escalates_from", sa.BigInteger, nullable=True))
