"""Locks for users' code: their tokens, and the claims that wait for them and hold them.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. An older Foliot neither fills nor reads them."""
    op.create_table(
        "locks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("namespace", _name(100), nullable=False),
        sa.Column("name", _name(200), nullable=False),
        sa.Column("token", sa.BigInteger, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("namespace", "name", name="locks_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("locks_used", "locks", ["used_at"])
    op.create_table(
        "lock_claims",
        sa.Column("id", _name(32), primary_key=True),
        sa.Column("lock_id", sa.BigInteger, nullable=False),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("most", sa.Integer, nullable=False),
        sa.Column("owner", _name(32), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("token", sa.BigInteger, nullable=True),
        sa.Column("ttl_us", sa.BigInteger, nullable=False),
        sa.Column("asked_at", sa.BigInteger, nullable=False),
        sa.Column("granted_at", sa.BigInteger, nullable=True),
        sa.Column("session_id", _name(32), nullable=True),
        sa.Column("run_id", sa.BigInteger, nullable=True),
        sa.Column("lease_id", _name(32), nullable=True),
        sa.Column("line", _name(32), nullable=False),
        sa.Column("made_by", _name(200), nullable=False),
        sa.Column("broken", _long_text(), nullable=True),
    )
    op.create_index("lock_claims_line", "lock_claims", ["lock_id", "place"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
