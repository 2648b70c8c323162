"""The statements of the doctor: the leader asks them once a minute, so none of them may walk the runs."""

from foliot.domain.instants import DAY
from foliot.operations.checkup import FAILING_MAX, OVERDUE_COUNTED_MAX
from foliot.store.sql.checkup import gauges, lane_waits, outcomes
from foliot.store.sql.people.limit_use import WAITING_MAX
from tests.sql.explaining import ASSIGNED, JOBS, LANES, LONG_LINE, Hot

_READY = frozenset({"runs_ready"})

CHECKUP: list[Hot] = [
    Hot(
        name="doctor: jobs that are overdue",
        statement=lane_waits.OVERDUE,
        uses=frozenset({"cursors_due"}),
        reads_max=OVERDUE_COUNTED_MAX,
        values=lambda _: {"rows": OVERDUE_COUNTED_MAX},
    ),
    Hot(
        name="doctor: the first run of the first kind",
        statement=lane_waits.FIRST_OF_KIND,
        uses=_READY,
        reads_max=1,
        values=lambda _: {"lane": -1, "class": -1, "priority": -1},
    ),
    Hot(
        name="doctor: the first run of the next kind",
        statement=lane_waits.FIRST_OF_KIND,
        uses=_READY,
        reads_max=1,
        values=lambda _: {"lane": LANES // 2, "class": 0, "priority": 5},
    ),
    Hot(
        name="doctor: the first run that is assigned",
        statement=lane_waits.FIRST_OF_QUEUE,
        uses=frozenset({"runs_assigned"}),
        reads_max=1,
        values=lambda _: {"session": "", "lane": -1},
    ),
    Hot(
        name="doctor: the first run of the next worker and lane",
        statement=lane_waits.FIRST_OF_QUEUE,
        uses=frozenset({"runs_assigned"}),
        reads_max=1,
        values=lambda loaded: {"session": loaded.session, "lane": LANES // 2},
    ),
    Hot(
        name="doctor: lanes that are needed soon",
        statement=lane_waits.NEEDED_SOON,
        uses=frozenset({"cursors_due", ""}),
        scans=frozenset({"c"}),  # the jobs that were found
        reads_max=2 * lane_waits.SOON_MAX,
    ),
    Hot(
        name="metrics: runs that wait for the worker that is named",
        statement=gauges.ASSIGNED_BY_LANE,
        uses=frozenset({"runs_assigned"}),
        or_uses=frozenset({"runs_assigned_until"}),
        reads_max=2 * ASSIGNED,
        scans=frozenset({"q"}),
        values=lambda _: {"rows": WAITING_MAX},
    ),
    Hot(
        name="metrics: jobs by state",
        statement=gauges.JOBS_BY_STATE,
        uses=frozenset(),
        engines=(),  # it reads every job, on purpose: engine/gauges.py says how rarely
    ),
    Hot(
        name="metrics: names of jobs",
        statement=gauges.NAMES,
        uses=frozenset({""}),
        scans=frozenset({"d"}),
        sets=lambda loaded: {"d": [(job,) for job in loaded.jobs]},
    ),
    Hot(
        name="doctor: jobs whose newest runs failed",
        statement=outcomes.FAILING,
        uses=frozenset({""}),
        reads_max=2 * outcomes.NEWEST_LOOKED_AT,
        values=lambda _: {"rows": FAILING_MAX},
        engines=("postgresql",),  # SQLite walks the table from its end, as wanted, and calls that a scan
    ),
    Hot(
        name="doctor: the newest runs of a job",
        statement=outcomes.ENDED,
        uses=frozenset({"runs_by_job"}),
        reads_max=2 * outcomes.RUNS_OF_A_JOB,
        values=lambda _: {"job": JOBS // 2},
    ),
    Hot(
        name="doctor: the newest runs of a job with a long line",
        statement=outcomes.ENDED,
        uses=frozenset({"runs_by_job"}),
        or_uses=frozenset({""}),  # from the newest run of all on: only jobs that failed among those are asked for
        reads_max=2 * outcomes.NEWEST_LOOKED_AT,
        values=lambda _: {"job": LONG_LINE},
    ),
    Hot(
        name="doctor: how runs of failing jobs ended in the weeks before",
        statement=outcomes.USUAL,
        uses=frozenset({""}),
        or_uses=frozenset({"sqlite_autoindex_stats_1"}),
        reads_max=4 * outcomes.DAYS_BEFORE * FAILING_MAX,
        sets=lambda _: {"d": [(day * DAY, job) for day in range(outcomes.DAYS_BEFORE) for job in range(FAILING_MAX)]},
    ),
]
