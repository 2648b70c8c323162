"""On MariaDB: the runs for later of one job, which have no place in its line yet, found without those of other jobs.

Kind: expand
"""

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0039"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index. The other databases have the line of a job with its runs for later in `runs_line`."""
    if op.dialect_name() in op.COMMITS_AT_ONCE:
        op.create_index("runs_without_place", "runs", ["place", "job_id"])
