"""Tokens and login codes, answers to repeat, the journal of events, backfills.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")
LongText = sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")


def upgrade() -> None:
    """Make the tables of what people deal with beside jobs and runs."""
    _access()
    _replies()
    _events()
    _backfills()


def _name(length: int) -> "sa.types.TypeEngine[str]":
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _access() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", _name(16), primary_key=True),
        sa.Column("name", _name(100), nullable=False),
        sa.Column("hash", _name(64), nullable=False),
        sa.Column("scopes", _name(100), nullable=False),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("group_name", _name(100), nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", _name(200), nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.BigInteger, nullable=True),
        sa.Column("revoked_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.UniqueConstraint("hash", name="tokens_hash"),
        sa.UniqueConstraint("name", "revoked_at", name="tokens_name"),
    )
    op.create_table(
        "login_codes",
        sa.Column("hash", _name(64), primary_key=True),
        sa.Column("created_by", _name(200), nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )


def _replies() -> None:
    op.create_table(
        "replies",
        sa.Column("hash", _name(64), primary_key=True),
        sa.Column("request_hash", _name(64), nullable=False),
        sa.Column("claim", _name(32), nullable=False),
        sa.Column("status", sa.SmallInteger, nullable=True),
        sa.Column("headers", LongText, nullable=True),
        sa.Column("body", LongText, nullable=True),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )
    op.create_index("replies_made", "replies", ["made_at"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("event_key", _name(250), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("topic", _name(10), nullable=False),
        sa.Column("kind", _name(40), nullable=False),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("subject", _name(200), nullable=False),
        sa.Column("made_by", _name(200), nullable=False),
        sa.Column("data", LongText, nullable=False),
        sa.UniqueConstraint("event_key", name="events_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("events_by_subject", "events", ["subject", "id"])
    op.create_index("events_at", "events", ["at"])


def _backfills() -> None:
    op.create_table(
        "backfills",
        sa.Column("id", BigId, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("from_at", sa.BigInteger, nullable=False),
        sa.Column("to_at", sa.BigInteger, nullable=False),
        sa.Column("selection", _name(10), nullable=False),
        sa.Column("parallel", sa.Integer, nullable=False),
        sa.Column("newest_first", sa.SmallInteger, nullable=False),
        sa.Column("state", _name(10), nullable=False),
        sa.Column("ver", sa.Integer, nullable=False),
        sa.Column("instants", LongText, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("inserted", sa.Integer, nullable=False),
        sa.Column("succeeded", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("live", LongText, nullable=False),
        sa.Column("params", LongText, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", _name(200), nullable=False),
        sa.Column("reason", LongText, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("backfills_by_job", "backfills", ["job_id", "id"])
    op.create_index("backfills_state", "backfills", ["state", "id"])
