"""Kinds of handlers: what workers say of theirs, kept once for all workers that say the same.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column. An older Foliot neither fills nor reads them: its sessions state no kinds."""
    op.create_table(
        "worker_kinds",
        sa.Column("hash", _name(64), primary_key=True),
        sa.Column("stated", _long_text(), nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
    )
    op.add_column("nodes", sa.Column("kinds", _name(64), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
