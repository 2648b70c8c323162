"""The load of nodes by minute, hour and day, and how far it is kept.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

GAUGES = ("cpu", "memory", "disk", "score", "threads", "running", "slots")
COUNTED = ("samples", "online", "warning", "offline", "scheduled", "skipped", "leased")


def upgrade() -> None:
    """Make the tables. An older Foliot neither fills nor reads them."""
    gauges = [f"{name}_{part}" for part in ("count", "sum", "max") for name in GAUGES]
    op.create_table(
        "node_loads",
        sa.Column("resolution", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("start_at", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("node", _name(200), primary_key=True),
        sa.Column("kind", _name(10), nullable=False),
        *(sa.Column(column, sa.BigInteger, nullable=False) for column in (*COUNTED, *gauges)),
    )
    op.create_table(
        "history_progress",
        sa.Column("subject", _name(20), primary_key=True),
        sa.Column("ver", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("after_id", sa.BigInteger, nullable=False),
        sa.Column("noted", _long_text(), nullable=True),
    )


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
