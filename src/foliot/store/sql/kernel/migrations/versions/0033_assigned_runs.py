"""Runs that a route assigned to a worker: whose turn it is, and who let its time pass.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

ASSIGNED = "state = 'PENDING' AND parked = 2"


def upgrade() -> None:
    """Add the columns and their indexes. An older Foliot assigns no run, and leases none that is assigned."""
    op.add_column("runs", sa.Column("assigned_rank", sa.BigInteger, nullable=True), after="cancel_reason")
    op.add_column("runs", sa.Column("assigned_before", _name(100), nullable=True), after="assigned_rank")
    columns = ["assigned_to", "lane", "assigned_rank", "id"]
    if op.dialect_name() in op.COMMITS_AT_ONCE:
        op.create_index("runs_assigned", "runs", columns)
        return
    op.create_partial_index("runs_assigned", "runs", columns, ASSIGNED)
    op.create_partial_index("runs_assigned_until", "runs", ["assigned_until", "id"], ASSIGNED)


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
