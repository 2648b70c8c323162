"""Windows of triggers: which run stands for triggers that come close together.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. An older Foliot cannot read a job that has windows, and makes no run of it."""
    op.create_table(
        "trigger_windows",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("window_key", _name(32), primary_key=True),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
    )
    op.create_index("trigger_windows_until", "trigger_windows", ["until"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
