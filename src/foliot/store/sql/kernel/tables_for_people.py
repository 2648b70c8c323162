"""Tables of what people deal with beside jobs and runs: tokens, remembered answers, the journal, backfills."""

from typing import Final

import sqlalchemy as sa

from foliot.store.sql.kernel.tables import BigId, Flag, LongText, Name, Time, metadata

tokens: Final = sa.Table(
    "tokens",
    metadata,
    sa.Column("id", Name(16), primary_key=True),
    sa.Column("name", Name(100), nullable=False),
    sa.Column("hash", Name(64), nullable=False),  # sha256 of the whole token; the token itself is nowhere
    sa.Column("scopes", Name(100), nullable=False),  # joined by commas
    sa.Column("namespace", Name(100), nullable=True),
    sa.Column("group_name", Name(100), nullable=True),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("created_by", Name(200), nullable=False),
    sa.Column("expires_at", Time, nullable=False),
    sa.Column("last_used_at", Time, nullable=True),
    sa.Column("revoked_at", Time, nullable=False, server_default="0"),  # 0: not revoked, so the name is unique
    sa.Column("line", Name(32), nullable=True),  # id of the first token it took the place of by rotation, or its own
    sa.UniqueConstraint("hash", name="tokens_hash"),
    sa.UniqueConstraint("name", "revoked_at", name="tokens_name"),
)

login_codes: Final = sa.Table(
    "login_codes",
    metadata,
    sa.Column("hash", Name(64), primary_key=True),
    sa.Column("created_by", Name(200), nullable=False),
    sa.Column("expires_at", Time, nullable=False),
)

replies: Final = sa.Table(
    "replies",
    metadata,
    sa.Column("hash", Name(64), primary_key=True),  # of who asked, the route and the Idempotency-Key
    sa.Column("request_hash", Name(64), nullable=False),
    sa.Column("claim", Name(32), nullable=False),  # whose request is being answered
    sa.Column("status", sa.SmallInteger, nullable=True),  # NULL: still being answered
    sa.Column("headers", LongText, nullable=True),
    sa.Column("body", LongText, nullable=True),
    sa.Column("made_at", Time, nullable=False),
    sa.Index("replies_made", "made_at"),
)

events: Final = sa.Table(
    "events",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("event_key", Name(250), nullable=False),  # what happened, so that two observers write it once
    sa.Column("at", Time, nullable=False),
    sa.Column("topic", Name(10), nullable=False),  # jobs, runs, nodes, cluster
    sa.Column("kind", Name(40), nullable=False),  # job.paused
    sa.Column("namespace", Name(100), nullable=True),
    sa.Column("subject", Name(200), nullable=False),  # the name of the job, run or node
    sa.Column("made_by", Name(200), nullable=False),
    sa.Column("data", LongText, nullable=False),
    sa.UniqueConstraint("event_key", name="events_key"),
    sa.Index("events_by_subject", "subject", "id"),
    sa.Index("events_at", "at"),
    sqlite_autoincrement=True,
)

backfills: Final = sa.Table(
    "backfills",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("job_id", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("from_at", Time, nullable=False),
    sa.Column("to_at", Time, nullable=False),
    sa.Column("selection", Name(10), nullable=False),  # missing, failed, all
    sa.Column("parallel", sa.Integer, nullable=False),
    sa.Column("newest_first", Flag, nullable=False),
    sa.Column("state", Name(10), nullable=False),  # active, paused, done, cancelled
    sa.Column("ver", sa.Integer, nullable=False),
    sa.Column("instants", LongText, nullable=False),  # JSON: all chosen instants, in the order of insertion
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("inserted", sa.Integer, nullable=False),
    sa.Column("succeeded", sa.Integer, nullable=False),
    sa.Column("failed", sa.Integer, nullable=False),
    sa.Column("live", LongText, nullable=False),  # JSON: ids of its live runs, at most `parallel`
    sa.Column("params", LongText, nullable=True),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("created_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Column("ended_at", Time, nullable=True),
    sa.Column("request_key", Name(64), nullable=True),  # of who asked and the Idempotency-Key
    sa.Index("backfills_by_job", "job_id", "id"),
    sa.Index("backfills_state", "state", "id"),
    sa.Index("backfills_key", "request_key", unique=True),
    sqlite_autoincrement=True,
)

calendars: Final = sa.Table(
    "calendars",
    metadata,
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("document", LongText, nullable=False),  # canonical JSON
    sa.Column("created_at", Time, nullable=False),
    sa.Column("created_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Column("latest", Flag, nullable=False),  # 1: the version that new saves take; 0: an older one, or all are gone
    sa.Index("calendars_latest", "latest", "name"),
)

calendar_uses: Final = sa.Table(
    "calendar_uses",
    metadata,
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),  # the one its present version is pinned to
    sa.Index("calendar_uses_version", "name", "version"),
)

views: Final = sa.Table(
    "views",
    metadata,
    sa.Column("owner", Name(200), primary_key=True),  # the name of a token; empty: everybody's
    sa.Column("name", Name(100), primary_key=True),
    sa.Column("path", LongText, nullable=False),  # an address of the console
    sa.Column("saved_at", Time, nullable=False),
    sa.Column("saved_by", Name(200), nullable=False),
)

failovers: Final = sa.Table(
    "failovers",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("occurrence", Name(250), nullable=False),  # which failure it is, so that all who see it write one row
    sa.Column("type", Name(40), nullable=False),
    sa.Column("subject", Name(200), nullable=False),  # the name of the node, lock, job or service
    sa.Column("namespace", Name(100), nullable=True),  # of a lock or a job
    sa.Column("began_at", Time, nullable=False),
    sa.Column("detected_at", Time, nullable=False),
    sa.Column("last_at", Time, nullable=False),  # when something was last added
    sa.Column("evidence", LongText, nullable=False),  # JSON: what was seen
    sa.Column("affected", LongText, nullable=False),  # JSON: domain.failover.Affected
    sa.Column("action", Name(40), nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),  # how often the action was needed
    sa.Column("session_id", Name(32), nullable=False),  # of the server that saw it; empty: a leader did
    sa.Column("term", sa.BigInteger, nullable=True),  # of that leader
    sa.Column("ver", sa.Integer, nullable=False),
    sa.Column("outcome", Name(20), nullable=True),  # NULL: it is open
    sa.Column("done", LongText, nullable=True),  # JSON: what was done
    sa.Column("ended_at", Time, nullable=True),
    sa.Column("escalated_at", Time, nullable=True),  # since when it needs a person, by its policy
    sa.Column("level", Name(10), nullable=True),  # these two: of the escalation
    sa.Column("channel", Name(100), nullable=True),
    sa.UniqueConstraint("occurrence", name="failovers_occurrence"),
    sa.Index("failovers_ended", "ended_at", "id"),
    sqlite_autoincrement=True,
)

failover_policies: Final = sa.Table(
    "failover_policies",
    metadata,
    sa.Column("type", Name(40), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("document", LongText, nullable=False),  # JSON: what a user may set
    sa.Column("updated_at", Time, nullable=False),
    sa.Column("updated_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
)

drills: Final = sa.Table(
    "drills",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=True),
    sa.Column("slot", Name(40), nullable=False),  # `open` while it is: at most one drill is
    sa.Column("type", Name(40), nullable=False),
    sa.Column("node", Name(200), nullable=False),
    sa.Column("session_id", Name(32), nullable=False),  # of the node: another session knows nothing of the drill
    sa.Column("for_us", sa.BigInteger, nullable=False),
    sa.Column("made_by", Name(200), nullable=False),
    sa.Column("reason", LongText, nullable=False),
    sa.Column("state", Name(10), nullable=False),  # asked, running, ended, stopped, lost
    sa.Column("asked_at", Time, nullable=False),
    sa.Column("began_at", Time, nullable=True),  # the node said that it begins
    sa.Column("over_at", Time, nullable=True),  # the node said that nothing is broken any more
    sa.Column("noticed_us", sa.BigInteger, nullable=True),  # how long after its beginning the node itself noticed it
    sa.Column("ended_at", Time, nullable=True),  # it was judged, stopped or lost
    sa.Column("report", LongText, nullable=True),  # JSON: what the judge found
    sa.Column("size_us", sa.BigInteger, nullable=True),  # how much is broken; NULL: the usual size, or none
    sa.UniqueConstraint("slot", name="drills_slot"),
    sqlite_autoincrement=True,
)

checkups: Final = sa.Table(
    "checkups",
    metadata,
    sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),  # always 1
    sa.Column("at", Time, nullable=False),
    sa.Column("grades", LongText, nullable=False),  # JSON: check -> grade, what the last rounds saw, how many of them
)

# The time comes first in the key: new figures stand together and old ones go together. Readers know the starts.
stats: Final = sa.Table(
    "stats",
    metadata,
    sa.Column("resolution", sa.SmallInteger, primary_key=True, autoincrement=False),  # see domain.statistics
    sa.Column("start_at", Time, primary_key=True, autoincrement=False),
    sa.Column("job_id", sa.Integer, primary_key=True, autoincrement=False),  # 0: of a node, over all jobs
    sa.Column("is_part", Flag, primary_key=True, autoincrement=False),  # 1: shards and merges
    sa.Column("node", Name(200), primary_key=True),  # its name; empty: no worker had the runs, or it is not known
    sa.Column("runs", sa.BigInteger, nullable=False),
    sa.Column("succeeded", sa.BigInteger, nullable=False),
    sa.Column("failed", sa.BigInteger, nullable=False),
    sa.Column("retries", sa.BigInteger, nullable=False),
    sa.Column("last_at", Time, nullable=False),
    sa.Column("took", sa.BigInteger, nullable=False),  # runs that were started
    sa.Column("took_us", sa.BigInteger, nullable=False),  # the sum of their durations
    sa.Column("took_max_us", sa.BigInteger, nullable=False),
    sa.Column("took_sketch", LongText, nullable=False),  # see domain.statistics.sketch
    sa.Column("delays", sa.BigInteger, nullable=False),
    sa.Column("delay_us", sa.BigInteger, nullable=False),
    sa.Column("delay_max_us", sa.BigInteger, nullable=False),
    sa.Column("delay_sketch", LongText, nullable=False),
    sa.Column("kinds", LongText, nullable=True),  # of failures: `timeout 3 lost 1`
)

stats_progress: Final = sa.Table(
    "stats_progress",
    metadata,
    sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),  # always 1
    sa.Column("ver", sa.BigInteger, nullable=False),
    sa.Column("counted_id", sa.BigInteger, nullable=False),  # runs up to it are counted, or left
)

stats_left: Final = sa.Table(
    "stats_left",
    metadata,
    sa.Column("first_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run_ids", LongText, nullable=False),  # runs that had not ended: the first id, then the differences
    sa.Column("left_at", Time, nullable=False),
    sa.Column("look_at", Time, nullable=False),
    sa.Index("stats_left_look", "look_at"),
)
