"""The pieces of a run's log by time, so that the logs of many shards are read together.

Kind: expand
"""

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index. An older Foliot does not need it."""
    op.create_index("run_logs_time", "run_logs", ["run_id", "written_at"])
