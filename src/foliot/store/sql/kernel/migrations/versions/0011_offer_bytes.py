"""How much each session says of its handlers: so that one token does not fill the memory of every server.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0011"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them empty, and its sessions do not count."""
    op.add_column("nodes", sa.Column("offer_bytes", sa.Integer, nullable=True))
    op.add_column("nodes", sa.Column("offer_hash", _name(64), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
