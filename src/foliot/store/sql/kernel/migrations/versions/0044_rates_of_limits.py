"""Rates of limits, and limits of whole groups and namespaces.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. While an older server lives, no limit of a group or namespace is made."""
    op.add_column("store_meta", sa.Column("scopes_ver", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("limits", sa.Column("rate_per_us", sa.BigInteger, nullable=True))
    op.add_column("limits", sa.Column("pace_us", sa.BigInteger, nullable=True))
    op.add_column("limits", sa.Column("spent_until", sa.BigInteger, nullable=True))
