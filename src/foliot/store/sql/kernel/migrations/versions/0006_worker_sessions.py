"""Whose a worker's session is: the line of the token that began it. A token that is rotated keeps its line.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; an older Foliot leaves them empty."""
    op.add_column("tokens", sa.Column("line", _name(32), nullable=True))
    op.add_column("nodes", sa.Column("owner", _name(32), nullable=True))


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
