"""The statements of a round of alerts: every five seconds, so none of them may walk the runs or the history."""

from foliot.ports.store.alert_rounds import LIVE_MAX
from foliot.ports.store.heartbeats import DOWN_MAX
from foliot.store.sql.alerts import heartbeat_rows, looks, questions, record
from foliot.store.sql.ending import failure_signs
from tests.sql.explaining import ALERTING, FAILED, OPEN_ALERTS, READY, RUNNING, Hot

_KEY = frozenset({""})

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
]
