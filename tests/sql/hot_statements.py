"""The statements whose plans are watched. A new one is one line here."""

from foliot.domain.instants import HOUR, SECOND
from foliot.store.sql import firing_store
from foliot.store.sql.firing import line, new_runs, queues, record, repair, sweep, triggers
from foliot.store.sql.jobs import change, declaration, definitions, removal, retirement, suggestions, version_move
from foliot.store.sql.people import job_reads
from tests.sql.explaining import BATCH, LONG_LINE, SESSIONS, Hot, Loaded
from tests.sql.hot_alerts import ALERTS
from tests.sql.hot_checkup import CHECKUP
from tests.sql.hot_console import CONSOLE
from tests.sql.hot_counts import COUNTS
from tests.sql.hot_leasing import LEASING
from tests.sql.hot_limits import LIMITS
from tests.sql.hot_lists import LISTS
from tests.sql.hot_reports import REPORTS
from tests.sql.hot_routes import ROUTES
from tests.sql.hot_windows import WINDOWS

KEY = frozenset({""})


def due(loaded: Loaded) -> list[tuple[int]]:
    return [(job_id,) for job_id in loaded.jobs]


def steps(loaded: Loaded) -> list[tuple[int, int, int, int]]:
    return [(job_id, 1, loaded.now + HOUR, loaded.now + HOUR) for job_id in loaded.jobs]


def moves(loaded: Loaded) -> list[tuple[object, ...]]:
    at = loaded.now + HOUR
    return [(job_id, 1, 1, 1, "active", at, at, None, None, None, None, None) for job_id in loaded.jobs]


def new_run_rows(loaded: Loaded) -> list[tuple[object, ...]]:
    return [(job_id, 1, f"s:{loaded.now}", loaded.now, loaded.now, 2, 1 << 16) for job_id in loaded.jobs]


def later_ids(loaded: Loaded) -> list[tuple[int]]:
    return [(run_id,) for run_id in loaded.runs]


HOT: list[Hot] = [
    *LEASING,
    *ROUTES,
    *LISTS,
    *LIMITS,
    *COUNTS,
    *CHECKUP,
    *ALERTS,
    *WINDOWS,
    *REPORTS,
    *CONSOLE,
    Hot(
        name="pulse",
        statement=firing_store.PULSE,
        uses=frozenset({"cursors_due", "runs_ready", "runs_parked", "runs_later"}),
        scans=frozenset({"l", "n", "f"}),
        reads_max=100 + SESSIONS,
        values=lambda loaded: {"low": loaded.now - HOUR, "soon": 2 * SECOND},
    ),
    Hot(
        name="take due cursors",
        statement=firing_store.TAKE,
        uses=frozenset({"cursors_due"}),
        values=lambda loaded: {"low": loaded.now - HOUR, "limit": BATCH, "until": 2**62},
    ),
    Hot(
        name="take overdue cursors",
        statement=firing_store.TAKE_OVERDUE,
        uses=frozenset({"cursors_due", ""}),
        values=lambda _: {"overdue": SECOND // 2, "limit": BATCH, "until": 2**62},
        reads_max=2 * BATCH + 1,  # each cursor by both indexes, and the store's own row
    ),
    Hot(
        name="definitions",
        statement=definitions.VERSIONS,
        uses=KEY,
        sets=lambda loaded: {"d": [(job_id, 1) for job_id in loaded.jobs]},
    ),
    Hot(
        name="situation",
        statement=line.SITUATION,
        uses=frozenset({"runs_line"}),
        reads_max=2 * BATCH + 2 * 1001,  # of the long line no more than the cap
        values=lambda _: {"cap": 1001},
        sets=lambda loaded: {"d": due(loaded)},
    ),
    Hot(
        name="waiting runs of limited jobs",
        statement=queues.QUEUED,
        uses=frozenset({"runs_line"}),
        reads_max=2 * BATCH + 2 * 1000,  # of the long line no more than the limit
        values=lambda _: {"most": 1000, "with_later": 1},
        sets=lambda loaded: {"d": due(loaded)},
    ),
    Hot(name="move cursors on", statement=record.STEP, uses=KEY, sets=lambda loaded: {"d": steps(loaded)}),
    Hot(name="move cursors", statement=record.MOVE, uses=KEY, sets=lambda loaded: {"d": moves(loaded)}),
    Hot(
        name="insert runs",
        statement=new_runs.INSERT_RUNS,
        uses=frozenset(),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": new_run_rows(loaded)},
    ),
    Hot(
        name="insert shards",
        statement=new_runs.INSERT_CHILDREN,
        uses=frozenset({"runs_fire"}),
        or_uses=frozenset({"runs_line"}),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {
            "d": [(job_id, "s:7", 7, shard, 4, 0) for job_id in loaded.jobs[:100] for shard in range(3)]
        },
    ),
    Hot(
        name="extend skips",
        statement=record.EXTEND_SKIPS,
        uses=frozenset({"skips_fire"}),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": [(job_id, "x:1", 1, 2, 1, "overlap", "", "", 1, 0) for job_id in loaded.jobs]},
    ),
    Hot(
        name="waiting catch-up runs",
        statement=record.WAITING_CATCH_UP,
        uses=frozenset({"runs_line"}),
        values=lambda _: {"limit": 2000},
        sets=lambda loaded: {"d": [(job_id,) for job_id in loaded.jobs if job_id != LONG_LINE]},
    ),
    Hot(
        name="triggers that became due",
        statement=sweep.DUE_LATER,
        uses=frozenset({"runs_later"}),
        values=lambda _: {"limit": BATCH},
    ),
    Hot(
        name="free cursors",
        statement=sweep.FREE_CURSORS,
        uses=KEY,
        sets=lambda loaded: {"d": due(loaded)},
    ),
    Hot(
        name="jobs with parked runs",
        statement=sweep.PARKED_JOBS,
        uses=frozenset({"runs_parked"}),
        reads_max=20,
        values=lambda _: {"after": 0, "limit": BATCH},
    ),
    Hot(
        name="runs that a later one replaces",
        statement=sweep.REPLACED_WAITING,
        uses=frozenset({"runs_line"}),
        values=lambda _: {"limit": BATCH},
        sets=lambda loaded: {"d": [(job_id,) for job_id in loaded.jobs[10:60]]},
    ),
    Hot(
        name="jobs of a source",
        statement=retirement.OF_SOURCE,
        uses=frozenset({"jobs_source"}),
        values=lambda _: {"module": "billing", "after": 0, "rows": BATCH},
    ),
    Hot(
        name="jobs that came back",
        statement=retirement.MARKED_OF_LIVE,
        uses=frozenset({"jobs_undeclared"}),
        values=lambda _: {"rows": BATCH},
    ),
    Hot(
        name="jobs that code declares",
        statement=declaration.KNOWN,
        uses=frozenset({"jobs_name", ""}),
        sets=lambda loaded: {"d": [(job_id, "default", f"job-{job_id}") for job_id in loaded.jobs]},
    ),
    Hot(name="bump", statement=line.BUMP, uses=KEY, sets=lambda loaded: {"d": [(job_id, 1) for job_id in loaded.jobs]}),
    Hot(name="places", statement=line.PLACES, uses=KEY, sets=lambda loaded: {"d": due(loaded)}),
    Hot(
        name="places and queues of triggers",
        statement=line.PLACES_AND_QUEUE,
        uses=frozenset({"runs_line", *KEY}),
        reads_max=3 * BATCH,
        sets=lambda loaded: {"d": due(loaded)},
    ),
    Hot(name="lock cursors", statement=line.LOCK, uses=KEY, sets=lambda loaded: {"d": due(loaded)}),
    Hot(name="lock a cursor", statement=change.LOCK, uses=KEY, reads_max=1, values=lambda _: {"job_id": 5}),
    Hot(
        name="a job by name",
        statement=job_reads.ONE,
        uses=frozenset({"jobs_name", ""}),
        reads_max=3,
        values=lambda _: {"namespace": "default", "name": "job-77"},
    ),
    Hot(
        name="names around one",
        statement=suggestions.NAMES_NEAR,
        uses=frozenset({"jobs_name"}),
        values=lambda _: {"namespace": "default", "name": "job-77x", "limit": 200},
    ),
    Hot(
        name="jobs of triggers",
        statement=triggers.JOBS,
        uses=frozenset({"jobs_name"}),
        sets=lambda _: {"d": [(n, "default", f"job-{n}") for n in range(1, BATCH)]},
    ),
    Hot(
        name="runs by key",
        statement=triggers.BY_KEY,
        uses=frozenset({"runs_fire"}),
        sets=lambda loaded: {"d": [(n, job_id, f"m:f{n}") for n, job_id in enumerate(loaded.jobs)]},
    ),
    Hot(
        name="waiting runs of an edited job",
        statement=version_move.IN_LINE.take,
        uses=frozenset({"runs_line"}),
        reads_max=2100,
        values=lambda _: {"job_id": LONG_LINE, "version": 2, "after": 4_010_000, "limit": 1000},
    ),
    Hot(
        name="waiting runs of a deleted job",
        statement=removal.IN_LINE,
        uses=frozenset({"runs_line"}),
        reads_max=2100,
        values=lambda _: {"job_id": LONG_LINE, "after": 4_010_000, "limit": 1000},
    ),
    Hot(
        name="the newest fire in a long line",
        statement=line.NEWEST_FIRES,
        uses=frozenset({"runs_fire"}),
        sets=lambda _: {"d": [(LONG_LINE,)]},
    ),
    Hot(
        name="jobs whose runs still move",
        statement=version_move.UNFINISHED,
        uses=frozenset({"jobs_moving"}),
        scans=frozenset({"leases", "l"}),
        reads_max=10,
        values=lambda _: {"moving": 0, "after": 0, "limit": BATCH, "term": None},
    ),
    Hot(
        name="jobs of which it is not known whether they have a fixed delay",
        statement=repair.UNKNOWN,
        uses=frozenset({"jobs_from_end"}),
        values=lambda _: {"limit": BATCH},
    ),
    Hot(
        name="fixed delays without a next instant",
        statement=repair.WITHOUT_NEXT,
        uses=frozenset({"jobs_from_end"}),
        values=lambda _: {"after": 0, "limit": BATCH},
    ),
    Hot(
        name="new lanes",
        statement=definitions.LANES_AFTER,
        uses=KEY,
        reads_max=1,
        values=lambda _: {"after": 0},
    ),
]
