"""Alerts: rules, troubles and what they touch, silences, channels, the outbox.

Kind: expand
"""

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from foliot.store.sql.kernel.migrations import resumable as op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables. An older Foliot neither fills nor reads them."""
    _alert_rules()
    _job_alerts()
    _failure_signs()
    _alerts()
    _alert_subjects()
    _silences()
    _channels()
    _outbox()


def _alert_rules() -> None:
    op.create_table(
        "alert_rules",
        sa.Column("namespace", _name(100), primary_key=True),
        sa.Column("name", _name(200), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
    )


def _job_alerts() -> None:
    op.create_table(
        "job_alerts",
        sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("late_us", sa.BigInteger, nullable=True),
        sa.Column("slower_us", sa.BigInteger, nullable=True),
        sa.Column("saved_at", sa.BigInteger, nullable=False),
    )
    op.create_index("job_alerts_saved", "job_alerts", ["saved_at", "job_id"])


def _failure_signs() -> None:
    op.create_table(
        "failure_signs",
        sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )


def _alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", _big_id(), primary_key=True, autoincrement=True),
        sa.Column("open_key", _name(250), nullable=False),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("rule", _name(250), nullable=False),
        sa.Column("kind", _name(20), nullable=False),
        sa.Column("level", _name(10), nullable=False),
        sa.Column("state", _name(14), nullable=False),
        sa.Column("job_id", sa.Integer, nullable=True),
        sa.Column("cause", _long_text(), nullable=False),
        sa.Column("channels", _long_text(), nullable=False),
        sa.Column("runbook", _long_text(), nullable=False),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("fired_at", sa.BigInteger, nullable=True),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("resolved_at", sa.BigInteger, nullable=True),
        sa.Column("acked_at", sa.BigInteger, nullable=True),
        sa.Column("acked_by", _name(200), nullable=True),
        sa.Column("ack_note", _long_text(), nullable=True),
        sa.Column("silence_id", sa.BigInteger, nullable=True),
        sa.Column("step", sa.SmallInteger, nullable=False),
        sa.Column("told_at", sa.BigInteger, nullable=True),
        sa.Column("acted", sa.Integer, nullable=False),
        sa.Column("seen", sa.Integer, nullable=False),
        sa.Column("ver", sa.Integer, nullable=False),
        sa.UniqueConstraint("open_key", name="alerts_open"),
        sqlite_autoincrement=True,
    )
    op.create_index("alerts_state", "alerts", ["state", "id"])
    op.create_index("alerts_resolved", "alerts", ["resolved_at", "id"])


def _alert_subjects() -> None:
    op.create_table(
        "alert_subjects",
        sa.Column("alert_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("subject_key", _name(250), primary_key=True),
        sa.Column("subject", _name(250), nullable=False),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("job_id", sa.Integer, nullable=True),
        sa.Column("run_id", sa.BigInteger, nullable=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("first_at", sa.BigInteger, nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=True),
        sa.Column("recent", _long_text(), nullable=False),
        sa.Column("data", _long_text(), nullable=False),
    )
    op.create_index("alert_subjects_job", "alert_subjects", ["job_id", "alert_id"])


def _silences() -> None:
    op.create_table(
        "silences",
        sa.Column("id", _big_id(), primary_key=True, autoincrement=True),
        sa.Column("namespace", _name(100), nullable=True),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("from_at", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
        sa.Column("made_by", _name(200), nullable=False),
        sa.Column("ended_by", _name(200), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("silences_until", "silences", ["until", "id"])


def _channels() -> None:
    op.create_table(
        "channels",
        sa.Column("namespace", _name(100), primary_key=True),
        sa.Column("name", _name(100), primary_key=True),
        sa.Column("kind", _name(40), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("document", _long_text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("updated_by", _name(200), nullable=False),
        sa.Column("reason", _long_text(), nullable=False),
        sa.Column("last_sent_at", sa.BigInteger, nullable=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("failing_since", sa.BigInteger, nullable=True),
        sa.Column("last_error", _long_text(), nullable=True),
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _big_id(), primary_key=True, autoincrement=True),
        sa.Column("notice_key", _name(250), nullable=False),
        sa.Column("delivery_id", _name(40), nullable=False),
        sa.Column("kind", _name(12), nullable=False),
        sa.Column("level", _name(10), nullable=False),
        sa.Column("namespace", _name(100), nullable=False),
        sa.Column("channel", _name(100), nullable=False),
        sa.Column("alert_id", sa.BigInteger, nullable=True),
        sa.Column("data", _long_text(), nullable=False),
        sa.Column("state", _name(10), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("is_repeat", sa.SmallInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("next_at", sa.BigInteger, nullable=True),
        sa.Column("claim", _name(40), nullable=True),
        sa.Column("settled_at", sa.BigInteger, nullable=True),
        sa.Column("sent_by", _name(200), nullable=True),
        sa.Column("error", _long_text(), nullable=True),
        sa.UniqueConstraint("notice_key", name="outbox_notice"),
        sqlite_autoincrement=True,
    )
    op.create_index("outbox_next", "outbox", ["next_at", "id"])
    op.create_index("outbox_settled", "outbox", ["settled_at", "id"])
    op.create_index("outbox_alert", "outbox", ["alert_id", "id"])


def _name(length: int) -> sa.types.TypeEngine[str]:
    """Text that compares by bytes on every engine."""
    return sa.String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")


def _long_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")


def _big_id() -> sa.types.TypeEngine[int]:
    """SQLite counts only INTEGER PRIMARY KEY upwards."""
    return sa.BigInteger().with_variant(sa.Integer, "sqlite")
