"""Who paused a job, and who cancelled a run and why.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them empty."""
    op.add_column("jobs", sa.Column("paused_by", _name(200), nullable=True))
    op.add_column("runs", sa.Column("cancelled_by", _name(200), nullable=True), after="checkpoint")
    op.add_column("runs", sa.Column("cancel_reason", _long_text(), nullable=True), after="cancelled_by")


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
