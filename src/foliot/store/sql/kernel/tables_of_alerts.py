"""Tables of alerts: rules, troubles and what they touch, silences, channels, the outbox, what jobs ask for, checks."""

from typing import Final

import sqlalchemy as sa

from foliot.store.sql.kernel.tables import BigId, Flag, LongText, Name, Time, metadata

NO_NAMESPACE: Final = ""
"""In the place of a namespace: the whole cluster. No key rests on NULL."""

alert_rules: Final = sa.Table(
    "alert_rules",
    metadata,
    sa.Column("namespace", Name(100), primary_key=True),  # empty: of the whole cluster
    sa.Column("name", Name(200), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("updated_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
)

# What the present version of a job asks for (`alert=`), beside it: the leader asks of these jobs alone.
job_alerts: Final = sa.Table(
    "job_alerts",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON of the policy
    sa.Column("late_us", sa.BigInteger, nullable=True),
    sa.Column("slower_us", sa.BigInteger, nullable=True),  # a fixed one
    sa.Column("saved_at", Time, nullable=False),
    sa.Index("job_alerts_saved", "saved_at", "job_id"),
)

# A run that failed for good. Its end writes the row in its own transaction; the leader's round takes it away.
failure_signs: Final = sa.Table(
    "failure_signs",
    metadata,
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("at", Time, nullable=False),
)

alerts: Final = sa.Table(
    "alerts",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("open_key", Name(250), nullable=False),  # of rule, cause and channels; a resolved alert gives it up
    sa.Column("namespace", Name(100), nullable=True),
    sa.Column("rule", Name(250), nullable=False),
    sa.Column("kind", Name(20), nullable=False),
    sa.Column("level", Name(10), nullable=False),
    sa.Column("state", Name(14), nullable=False),  # pending, firing, acknowledged, resolved
    sa.Column("job_id", sa.Integer, nullable=True),  # of a rule that a job brings along
    sa.Column("cause", LongText, nullable=False),  # JSON: domain.alerts.alert.AlertCause
    sa.Column("channels", LongText, nullable=False),  # JSON: whom it tells
    sa.Column("runbook", LongText, nullable=False),
    sa.Column("began_at", Time, nullable=False),
    sa.Column("fired_at", Time, nullable=True),
    sa.Column("last_at", Time, nullable=False),
    sa.Column("resolved_at", Time, nullable=True),
    sa.Column("acked_at", Time, nullable=True),
    sa.Column("acked_by", Name(200), nullable=True),
    sa.Column("ack_note", LongText, nullable=True),
    sa.Column("silence_id", sa.BigInteger, nullable=True),
    sa.Column("step", sa.SmallInteger, nullable=False),  # of its escalation
    sa.Column("told_at", Time, nullable=True),
    sa.Column("acted", sa.Integer, nullable=False),  # how often Foliot did something by itself
    sa.Column("seen", sa.Integer, nullable=False),
    sa.Column("ver", sa.Integer, nullable=False),
    sa.Column("escalates_from", sa.BigInteger, nullable=True),  # the clock of its escalation; below 0: it stands
    sa.UniqueConstraint("open_key", name="alerts_open"),
    sa.Index("alerts_state", "state", "id"),
    sa.Index("alerts_resolved", "resolved_at", "id"),
    sqlite_autoincrement=True,
)

alert_subjects: Final = sa.Table(
    "alert_subjects",
    metadata,
    sa.Column("alert_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("subject_key", Name(250), primary_key=True),  # job:17, node:w-3 …
    sa.Column("subject", Name(250), nullable=False),  # as people call it
    sa.Column("namespace", Name(100), nullable=True),
    sa.Column("job_id", sa.Integer, nullable=True),
    sa.Column("run_id", sa.BigInteger, nullable=True),  # the latest
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("first_at", Time, nullable=False),
    sa.Column("last_at", Time, nullable=False),
    sa.Column("ended_at", Time, nullable=True),  # it is well again
    sa.Column("recent", LongText, nullable=False),  # JSON: the latest instants, for "2 in 24h"
    sa.Column("data", LongText, nullable=False),  # JSON: what words need
    sa.Index("alert_subjects_job", "job_id", "alert_id"),
)

silences: Final = sa.Table(
    "silences",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("namespace", Name(100), nullable=True),
    sa.Column("document", LongText, nullable=False),  # JSON: what is silent
    sa.Column("from_at", Time, nullable=False),
    sa.Column("until", Time, nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Column("made_by", Name(200), nullable=False),
    sa.Column("ended_by", Name(200), nullable=True),
    sa.Index("silences_until", "until", "id"),
    sqlite_autoincrement=True,
)

channels: Final = sa.Table(
    "channels",
    metadata,
    sa.Column("namespace", Name(100), primary_key=True),  # empty: every namespace may use it
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("kind", Name(40), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON; secrets are references
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("updated_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Column("last_sent_at", Time, nullable=True),
    sa.Column("failures", sa.Integer, nullable=False),  # since the last message that was sent
    sa.Column("failing_since", Time, nullable=True),
    sa.Column("last_error", LongText, nullable=True),
)

outbox: Final = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("notice_key", Name(250), nullable=False),  # the same thing is never told twice
    sa.Column("delivery_id", Name(40), nullable=False),  # receivers drop a repeat by it
    sa.Column("kind", Name(12), nullable=False),
    sa.Column("level", Name(10), nullable=False),
    sa.Column("namespace", Name(100), nullable=False),  # of the channel; empty: of the whole cluster
    sa.Column("channel", Name(100), nullable=False),
    sa.Column("alert_id", sa.BigInteger, nullable=True),
    sa.Column("data", LongText, nullable=False),
    sa.Column("state", Name(10), nullable=False),  # waiting, sending, sent, failed, dropped
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("is_repeat", Flag, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("next_at", Time, nullable=True),  # when it is due, or its claim runs out; NULL: it is settled
    sa.Column("claim", Name(40), nullable=True),
    sa.Column("settled_at", Time, nullable=True),
    sa.Column("sent_by", Name(200), nullable=True),
    sa.Column("error", LongText, nullable=True),
    sa.UniqueConstraint("notice_key", name="outbox_notice"),
    sa.Index("outbox_next", "next_at", "id"),
    sa.Index("outbox_settled", "settled_at", "id"),
    sa.Index("outbox_alert", "alert_id", "id"),
    sqlite_autoincrement=True,
)

# Jobs outside of Foliot that are to be heard of. The instants follow from the last ping, so no state is stored.
heartbeats: Final = sa.Table(
    "heartbeats",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("namespace", Name(100), nullable=False),
    sa.Column("name", Name(200), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON
    sa.Column("is_paused", Flag, nullable=False),
    sa.Column("pings", sa.BigInteger, nullable=False),  # how many came; each ping is guarded by it
    sa.Column("last_at", Time, nullable=True),
    sa.Column("last_kind", Name(10), nullable=True),  # start, ok, fail
    sa.Column("last_text", LongText, nullable=False),
    sa.Column("exit_code", sa.Integer, nullable=True),
    sa.Column("ok_at", Time, nullable=True),
    sa.Column("started_at", Time, nullable=True),
    sa.Column("took_us", sa.BigInteger, nullable=True),
    sa.Column("due_at", Time, nullable=True),
    sa.Column("deadline_at", Time, nullable=True),
    sa.Column("trouble", Name(10), nullable=True),
    sa.Column("alarm_at", Time, nullable=True),  # from then on it is down; NULL: nobody waits for it
    sa.Column("created_at", Time, nullable=False),
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("updated_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.UniqueConstraint("namespace", "name", name="heartbeats_name"),
    sa.Index("heartbeats_alarm", "alarm_at"),
    sqlite_autoincrement=True,
)

# The last pings of each check; a ping takes the oldest away.
heartbeat_pings: Final = sa.Table(
    "heartbeat_pings",
    metadata,
    sa.Column("heartbeat_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", Time, nullable=False),
    sa.Column("kind", Name(10), nullable=False),
    sa.Column("text", LongText, nullable=False),
    sa.Column("exit_code", sa.Integer, nullable=True),
    sa.Column("took_us", sa.BigInteger, nullable=True),
    sa.Column("made_by", Name(200), nullable=False),
)
