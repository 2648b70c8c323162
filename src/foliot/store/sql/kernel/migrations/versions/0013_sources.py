"""Which code declares a job, and what the code of each worker declares.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns and tables. An older Foliot leaves them empty: its jobs and its sessions retire nothing."""
    op.add_column("jobs", sa.Column("source_module", _name(250), nullable=True))
    op.add_column("jobs", sa.Column("source_group", _name(100), nullable=True))
    op.add_column("jobs", sa.Column("undeclared_at", sa.BigInteger, nullable=True))
    op.add_column("jobs", sa.Column("retirement", sa.SmallInteger, nullable=True))
    op.add_column("jobs", sa.Column("renamed_to", _name(200), nullable=True))
    op.create_index("jobs_source", "jobs", ["source_module", "id"])
    op.create_index("jobs_undeclared", "jobs", ["undeclared_at", "id"])
    op.add_column("nodes", sa.Column("code", _name(64), nullable=True))
    op.create_index("nodes_code", "nodes", ["code", "state"])
    _make_tables()


def _make_tables() -> None:
    op.create_table(
        "codes",
        sa.Column("hash", _name(64), primary_key=True),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("group_name", _name(100), nullable=True),
        sa.Column("whole", sa.SmallInteger, nullable=False),
        sa.Column("ver", sa.BigInteger, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
    )
    op.create_index("codes_used", "codes", ["used_at"])
    op.create_table(
        "code_modules",
        sa.Column("code", _name(64), primary_key=True),
        sa.Column("module", _name(250), primary_key=True),
    )
    op.create_table(
        "code_jobs",
        sa.Column("namespace", _name(100), primary_key=True),
        sa.Column("name", _name(200), primary_key=True),
        sa.Column("code", _name(64), primary_key=True),
        sa.Column("module", _name(250), nullable=False),
    )
    op.create_index("code_jobs_code", "code_jobs", ["code"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
