"""Idempotency keys of triggers that another trigger's run stands for.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. An older Foliot keeps no such keys, and does not look for them."""
    op.create_table(
        "trigger_keys",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("fire_key", _name(250), primary_key=True),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("asked", _name(32), nullable=True),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_index("trigger_keys_until", "trigger_keys", ["until"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
