"""The pieces of the logs of a run's shards by time, so that who follows them reads what is new.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

NEWS = ["parent_id", "written_at"]


def upgrade() -> None:
    """Add the column and its index. An older Foliot writes no parent: its pieces are found shard by shard."""
    op.add_column("run_logs", sa.Column("parent_id", sa.BigInteger, nullable=True))
    if op.dialect_name() in op.COMMITS_AT_ONCE:
        op.create_index("run_logs_news", "run_logs", NEWS)
    else:
        op.create_partial_index("run_logs_news", "run_logs", NEWS, "parent_id IS NOT NULL")
