"""The key under which a backfill was asked for, and the namespace a worker's session is confined to.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them empty."""
    op.add_column("backfills", sa.Column("request_key", _name(64), nullable=True))
    op.create_index("backfills_key", "backfills", ["request_key"], unique=True)
    op.add_column("nodes", sa.Column("namespace", _name(100), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
