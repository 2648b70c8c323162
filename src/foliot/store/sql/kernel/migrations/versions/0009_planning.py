"""The words of the open skip row, and paused time that a resume may still catch up.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them as they are."""
    op.add_column("cursors", sa.Column("skip_why", _long_text(), nullable=True))
    op.add_column("skips", sa.Column("held", sa.SmallInteger, nullable=False, server_default="0"))


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
