"""The statements behind lists for people: the last page costs what the first does, and nothing is counted."""

from typing import Any

from foliot.domain.fire import schedule_key
from foliot.domain.instants import DAY, HOUR
from foliot.store.sql.kernel.paging import LOOK_MAX
from foliot.store.sql.people import (
    cluster_reads,
    days,
    glance,
    job_reads,
    ledger_page,
    ledger_reads,
    ranking,
    run_reads,
    skip_reads,
    strips,
)
from foliot.store.sql.statistics import ranges, uncounted_runs
from tests.sql.explaining import ASSIGNED, BATCH, FINISHED, LONG_LINE, RUNNING, SESSIONS, Hot, Loaded

PAGE = 50
STRIP = 20
KEY = frozenset({""})


def page_of_jobs(**values: Any) -> Any:
    return lambda _: {"rows": PAGE, **values}


def _days(loaded: Loaded, job_id: int) -> dict[str, int]:
    stretch = {"from_at": loaded.now - DAY, "to_at": loaded.now + DAY}
    return {"job_id": job_id, "quarter": days.QUARTER_US, "look": LOOK_MAX, **stretch}


def _jobs_in(page: str, name: str) -> Hot:
    return Hot(
        name=f"jobs of a namespace, {page} page",
        statement=job_reads.BY_NAME_IN,
        uses=frozenset({"jobs_name"}),
        reads_max=PAGE,
        values=page_of_jobs(namespace="default", name=name),
    )


def _all_jobs(page: str, namespace: str, name: str) -> Hot:
    return Hot(
        name=f"all jobs, {page} page",
        statement=job_reads.BY_NAME,
        uses=frozenset({"jobs_name"}),
        reads_max=PAGE,
        values=page_of_jobs(namespace=namespace, name=name),
    )


def _runs(page: str, before: int) -> Hot:
    return Hot(
        name=f"runs, {page} page",
        statement=run_reads.WALK,
        uses=KEY,
        reads_max=PAGE,
        values=lambda _: {"before": before, "rows": PAGE},
    )


def _runs_of_a_job(page: str, before: int) -> Hot:
    return Hot(
        name=f"runs of a job, {page} page",
        statement=run_reads.WALK_JOB,
        uses=frozenset({"runs_by_job"}),
        reads_max=2 * PAGE,
        values=lambda _: {"before": before, "rows": PAGE, "job_id": LONG_LINE},
    )


NEARLY_LAST_JOB = "job-9994"  # names sort as text: some fifty come after this one

FIRST_AND_LAST: list[tuple[Hot, Hot]] = [
    (_jobs_in("first", ""), _jobs_in("last", NEARLY_LAST_JOB)),
    (_all_jobs("first", "", ""), _all_jobs("last", "default", NEARLY_LAST_JOB)),
    (_runs("first", 2**62), _runs("last", PAGE + 1)),
    (_runs_of_a_job("first", 2**62), _runs_of_a_job("last", FINISHED)),
]


def keys(loaded: Loaded) -> list[tuple[int]]:
    return [(run_id,) for run_id in loaded.runs[:PAGE]]


LISTS: list[Hot] = [
    *(hot for pair in FIRST_AND_LAST for hot in pair),
    Hot(
        name="jobs by their next instant",
        statement=job_reads.BY_NEXT,
        uses=frozenset({"cursors_due"}),
        reads_max=PAGE,
        values=page_of_jobs(next_at=-1, job_id=0),
    ),
    Hot(
        name="a page of jobs by their ids",
        statement=job_reads.BY_ID,
        uses=KEY,
        reads_max=6 * PAGE,
        sets=lambda loaded: {"d": [(job_id,) for job_id in range(1000, 1000 + PAGE)]},
    ),
    Hot(
        name="how far runs are counted",
        statement=uncounted_runs.PROGRESS,
        uses=frozenset({""}),
        or_uses=frozenset({"sqlite_autoindex_stats_progress_1", "stats_left_look"}),
        scans=frozenset({"r", "p"}),
        reads_max=10,
    ),
    Hot(
        name="the next runs to be counted",
        statement=uncounted_runs.PASSED,
        uses=KEY,
        scans=frozenset({"q"}),
        reads_max=4 * PAGE,
        values=lambda _: {"after": FINISHED // 2, "until": FINISHED, "rows": PAGE},
    ),
    Hot(
        name="left runs that may have ended",
        statement=uncounted_runs.FOUND,
        uses=KEY,
        scans=frozenset({"q"}),
        reads_max=6 * PAGE,
        sets=lambda _: {"d": [(run_id,) for run_id in range(1000, 1000 + PAGE)]},
    ),
    Hot(
        name="runs of a job that are not counted yet",
        statement=uncounted_runs.UNCOUNTED,
        uses=frozenset({"runs_by_job", ""}),
        or_uses=frozenset({"runs_by_job"}),
        scans=frozenset({"q"}),
        reads_max=4 * PAGE,
        values=lambda _: {"job_id": LONG_LINE + 1000, "after": 0, "rows": PAGE},
    ),
    Hot(
        name="figures of a job",
        statement=ranges.OF_JOB,
        uses=KEY,
        or_uses=frozenset({"sqlite_autoindex_stats_1"}),
        reads_max=4 * PAGE,
        values=lambda _: {"resolution": 1, "job_id": 1000, "rows": PAGE},
        sets=lambda _: {"d": [(hour * HOUR,) for hour in range(PAGE)]},
    ),
    Hot(
        name="the newest run of each job",
        statement=job_reads.LAST_RUNS,
        uses=frozenset({"runs_by_job", ""}),
        reads_max=4 * PAGE,
        sets=lambda loaded: {"d": [(job_id,) for job_id in range(1000, 1000 + PAGE)]},
    ),
    Hot(
        name="the latest runs of each job of a page",
        statement=strips.STRIPS,
        uses=frozenset({"runs_by_job", ""}),
        scans=frozenset({"walk", "w"}),  # the runs that were found so far
        reads_max=6 * PAGE * STRIP,
        values=lambda _: {"length": STRIP},
        sets=lambda loaded: {"d": [(job_id,) for job_id in range(1000, 1000 + PAGE)]},
    ),
    Hot(
        name="outcomes of a job by the quarter of an hour",
        statement=days.ENDED,
        uses=frozenset({"runs_by_job"}),
        or_uses=KEY,  # as with a page of its runs
        scans=frozenset({"w"}),
        reads_max=4 * LOOK_MAX,
        values=lambda loaded: _days(loaded, LONG_LINE),
    ),
    Hot(
        name="skipped instants of a job by the quarter of an hour",
        statement=days.PASSED_OVER,
        uses=frozenset({"skips_by_job"}),
        scans=frozenset({"w"}),
        reads_max=4 * LOOK_MAX,
        values=lambda loaded: {**_days(loaded, LONG_LINE), "from_at": 0},
    ),
    Hot(
        name="the oldest run of a job that is looked at",
        statement=days.OLDEST_LOOKED_AT,
        uses=frozenset({"runs_by_job"}),
        or_uses=KEY,  # as with a page of its runs
        reads_max=4 * LOOK_MAX,
        values=lambda _: {"job_id": LONG_LINE, "look": LOOK_MAX},
    ),
    Hot(
        name="jobs that are due between two instants",
        statement=glance.BETWEEN,
        uses=frozenset({"cursors_due", ""}),
        scans=frozenset({"c"}),
        reads_max=4 * LOOK_MAX,
        values=lambda _: {"after": -1, "until": 2**62, "look": LOOK_MAX, "low": "", "high": "zzz", "rows": PAGE},
    ),
    Hot(
        name="the namespaces that there are",
        statement=glance.NAMESPACES,
        uses=frozenset({"jobs_name"}),
        scans=frozenset({"walk"}),
        reads_max=4 * glance.NAMESPACES_MAX,
        values=lambda _: {"most": glance.NAMESPACES_MAX},
    ),
    Hot(
        name="whether a namespace has jobs",
        statement=glance.THIS_NAMESPACE,
        uses=frozenset({"jobs_name"}),
        values=lambda _: {"namespace": "default"},
    ),
    Hot(
        name="a page of runs by their ids",
        statement=run_reads.FETCH,
        uses=KEY,
        reads_max=6 * PAGE,
        sets=lambda loaded: {"d": keys(loaded)},
    ),
    Hot(
        name="the latest runs of all jobs, by which they are ranked",
        statement=ranking.LATEST,
        uses=KEY,
        or_uses=frozenset(),  # SQLite's table is its key
        scans=frozenset({"runs", "q"}),  # along it, no further than the limit
        reads_max=2 * ranking.RUNS_JUDGED,
    ),
    Hot(
        name="what executes",
        statement=run_reads.LIVE,
        uses=frozenset({"runs_running"}),
        scans=frozenset({"r"}),
        reads_max=3 * 1000 + 200,
        values=lambda _: {"rows": 1000},
    ),
    Hot(
        name="runs newer than one",
        statement=run_reads.NEWER,
        uses=KEY,
        reads_max=6 * PAGE,
        values=lambda _: {"after": FINISHED, "rows": PAGE},
    ),
    Hot(
        name="what became of a day's instants",
        statement=ledger_reads.FIRED,
        uses=frozenset({"runs_fire"}),
        reads_max=6 * PAGE,
        values=lambda loaded: {
            "job_id": LONG_LINE,
            "low": schedule_key(loaded.now - DAY),
            "high": schedule_key(loaded.now),
            "rows": PAGE,
        },
    ),
    Hot(
        name="what became of one instant",
        statement=ledger_reads.BY_KEY,
        uses=frozenset({"runs_fire"}),
        reads_max=10,
        values=lambda loaded: {"job_id": LONG_LINE, "fire_key": schedule_key(loaded.now)},
    ),
    Hot(
        name="the skip over an instant",
        statement=ledger_reads.SKIP_OVER,
        uses=frozenset({"skips_by_job"}),
        reads_max=2 * BATCH,
        values=lambda loaded: {"job_id": LONG_LINE, "at": loaded.now - HOUR},
    ),
    Hot(
        name="the newest skips of all jobs",
        statement=skip_reads.NEWEST,
        uses=KEY,
        reads_max=4 * PAGE,
        values=lambda _: {"before": 2**62, "rows": PAGE},
    ),
    Hot(
        name="a job's line, and the runs that were in the way of its instants",
        statement=ledger_page.LINE_AND_OBSTACLES,
        uses=frozenset({"runs_line", "runs_by_job", ""}),
        scans=frozenset({"d", "q", "o", "w"}),
        reads_max=8 * PAGE,
        values=lambda loaded: {
            "job_id": LONG_LINE + 1000,
            "in_line": PAGE,
            "until": loaded.now,
            "look": PAGE,
            "rows": PAGE,
        },
    ),
    Hot(
        name="nodes with what they say and how much they run",
        statement=cluster_reads.NODES,
        uses=frozenset({"runs_running"}),
        scans=frozenset({"nodes", "n", "listed", "held"}),
        reads_max=RUNNING + 10 * SESSIONS,
        values=lambda loaded: {"since": loaded.now},
    ),
    Hot(
        name="the cluster in one row",
        statement=cluster_reads.CLUSTER,
        uses=frozenset({"cursors_due", "runs_ready", "runs_running"}),
        or_uses=frozenset({"cursors_due", "runs_ready", "runs_running", ""}),
        scans=frozenset({"m", "l", "n", "q"}),
        # What is counted to a limit is read once, and by MariaDB a second time from a table of its own.
        reads_max=2 * (2 * cluster_reads.QUEUE_COUNTED_MAX + 2 * ASSIGNED + RUNNING + SESSIONS),
    ),
]
