"""Claims of locks by who asked for them: the session of a worker, or the token of a program.

Kind: expand
"""

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0022"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index. An older Foliot does not need it."""
    op.create_index("lock_claims_asker", "lock_claims", ["session_id", "line"])
