"""Which jobs have a fixed delay: so that the watchdog looks at these, and not at every job without a next instant.

Kind: expand
"""

import sqlalchemy as sa

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. An older Foliot leaves it empty: its watchdog looks at every job."""
    op.add_column("jobs", sa.Column("from_end", sa.SmallInteger, nullable=True))
    op.create_index("jobs_from_end", "jobs", ["from_end", "id"])
    # The underscore stands for a colon, which would begin the name of a value here.
    op.execute(
        """
        UPDATE jobs SET from_end = 1 WHERE deleted_at = 0 AND EXISTS (
          SELECT 1 FROM job_versions v
          WHERE v.job_id = jobs.id AND v.version = jobs.version AND v.definition LIKE '%"from_end"_true%')
        """
    )
