"""The statements of a round of alerts: every five seconds, so none of them may walk the runs or the history."""

from foliot.domain.instants import DAY, HOUR
from foliot.ports.store.alert_rounds import LIVE_MAX
from foliot.ports.store.heartbeats import DOWN_MAX
from foliot.store.sql.alerts import heartbeat_rows, looks, questions, record, rounds
from foliot.store.sql.ending import failure_signs
from foliot.store.sql.statistics import anomalies, ranges
from tests.sql.explaining import ALERTING, BATCH, FAILED, OPEN_ALERTS, READY, RUNNING, Hot

_KEY = frozenset({""})
_OF_STATS = frozenset({"sqlite_autoindex_stats_1"})

ALERTS: list[Hot] = [
    Hot(
        name="alerts: what there is to read",
        statement=looks.MARKS,
        uses=frozenset({"job_alerts_saved", "alerts_resolved"}),
        scans=frozenset({"alert_rules", "channels", "silences", "failure_signs", "h"}),  # of a few rows each
        reads_max=2 * ALERTING,
    ),
    Hot(
        name="alerts: checks that are down",
        statement=heartbeat_rows.DOWN,
        uses=frozenset({"heartbeats_alarm"}),
        values=lambda _: {"rows": DOWN_MAX},
        engines=("sqlite",),
    ),
    Hot(
        name="alerts: signs of failures",
        statement=looks.SIGNS,
        uses=_KEY,
        reads_max=4 * FAILED,
        values=lambda _: {"rows": FAILED},
    ),
    Hot(
        name="alerts: those that are open, with what they touch",
        statement=looks.KNOWN,
        uses=frozenset({"alerts_resolved", "runs_by_job"}),
        or_uses=frozenset({"alerts_resolved", ""}),
        reads_max=100 * OPEN_ALERTS,
        values=lambda _: {"rows": looks.KNOWN_PAGE, "from_id": 0},
    ),
    Hot(
        name="alerts: late and slow runs of the jobs that ask for it",
        statement=looks.OF_JOBS,
        uses=frozenset({"runs_line"}),
        scans=frozenset({"a"}),
        reads_max=10 * (ALERTING + READY + RUNNING),
        values=lambda _: {"rows": LIVE_MAX},
    ),
    Hot(
        name="alerts: signs are taken away",
        statement=record.TAKE_SIGNS,
        uses=_KEY,
        scans=frozenset({"failure_signs"}),  # it is nearly empty
        reads_max=4 * FAILED,
        sets=lambda loaded: {"d": [(job,) for job in loaded.jobs]},
        engines=("postgresql",),
    ),
    Hot(
        name="alerts: signs are left",
        statement=failure_signs.LEAVE,
        uses=frozenset(),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": [(run, 1) for run in loaded.running]},
    ),
    Hot(
        name="alerts: how the last runs of jobs ended",
        statement=questions.LAST_RUNS,
        uses=frozenset({"runs_by_job"}),
        reads_max=300 * len(range(20)),
        values=lambda _: {"depth": 4},
        sets=lambda loaded: {"d": [(job * 10, 5) for job in loaded.jobs[:20]]},
    ),
    Hot(
        name="alerts: failures of jobs within a time",
        statement=questions.FAILED_SINCE,
        uses=frozenset({"attempts_by_job", ""}),
        reads_max=20_000,
        sets=lambda loaded: {"d": [(job, 86_400_000_000) for job in loaded.jobs[:20]]},
    ),
    Hot(
        name="alerts: how often rules acted in the last hour",
        statement=questions.ACTED,
        uses=frozenset({"events_by_subject"}),
        values=lambda _: {"hour": HOUR},
        sets=lambda _: {"d": [("night",), ("day",)]},
    ),
    Hot(
        name="alerts: those that are to be forgotten",
        statement=rounds.OLD,
        uses=frozenset({"alerts_resolved"}),
        scans=frozenset({"silences"}),
        values=lambda loaded: {"before": loaded.now, "rows": BATCH},
        reads_max=4 * BATCH,
    ),
    Hot(
        name="anomalies: all of a page of jobs",
        statement=anomalies.PAGE,
        uses=_KEY,
        or_uses=_OF_STATS,
        reads_max=40 * BATCH,  # MariaDB looks up each job in each hour
        values=lambda loaded: {"after": 5000, "rows": BATCH, "excused_since": loaded.now - DAY},
        sets=lambda _: {"d": [(1, hour * HOUR) for hour in range(10)]},
    ),
    Hot(
        name="forecast: how long runs of jobs keep slots",
        statement=ranges.SLOT_TIMES,
        uses=_KEY,
        or_uses=_OF_STATS,
        reads_max=20 * BATCH,
        sets=lambda loaded: {"d": [(day * DAY, job) for day in range(7) for job in loaded.jobs]},
    ),
]
