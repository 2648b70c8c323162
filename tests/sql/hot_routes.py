"""The statements of assigning, and of leasing what is assigned, whose plans are watched."""

from foliot.domain.instants import HOUR
from foliot.store.sql.firing import assigned_fires
from foliot.store.sql.leasing import assigned, assignment, broadcast, fire_routes, fitting_workers, leases, unassigned
from tests.sql.explaining import ASSIGNED, BATCH, RUNNING, SESSIONS, Hot, Loaded
from tests.sql.hot_leasing import KEY, POSTGRESQL, READY, SMALL, doubting, now, sessions, versions

MEANT = frozenset({"runs_assigned"})
WALKED = frozenset({"walk", "w", "s"})  # a row for each session and lane


def queues(loaded: Loaded) -> list[tuple[str, int, int, int, int]]:
    return [
        (*assigned.Queue(session, lane, is_late).stretch, 10)
        for (session,) in sessions(loaded)
        for lane in loaded.lanes
        for is_late in (False, True)
    ]


def kinds(loaded: Loaded) -> list[tuple[int, int, int, int]]:
    return [(lane, 0, priority, BATCH) for lane in loaded.lanes[:3] for priority in (1, 5)]


def routed_steps(loaded: Loaded) -> list[tuple[object, ...]]:
    at = loaded.now + HOUR
    return [(job_id, 1, at, at, "kept") for job_id in loaded.jobs]


def assigned_run_rows(loaded: Loaded) -> list[tuple[object, ...]]:
    at = loaded.now
    return [(job_id, 1, f"s:{at}", at, at, 2, 1 << 16, loaded.session) for job_id in loaded.jobs]


ROUTES: list[Hot] = [
    Hot(
        name="queues of sessions",
        statement=assigned.QUEUES,
        uses=MEANT,
        scans=WALKED,
        reads_max=400,
        sets=lambda loaded: {"s": sessions(loaded)},
    ),
    Hot(
        name="take what is assigned",
        statement=assigned.TAKE.every,
        uses=MEANT,
        engines=POSTGRESQL,
        values=now,
        sets=lambda loaded: {"k": queues(loaded)},
    ),
    Hot(
        name="take what is assigned, of one queue",
        statement=assigned.TAKE.each,
        uses=MEANT,
        values=lambda loaded: {**now(loaded), "session": loaded.session, "lane": 2, "low": 0, "high": 2**59, "n": 10},
    ),
    Hot(
        name="lease what was assigned",
        statement=leases.LEASE_ASSIGNED,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": versions(loaded.runs, "x" * 32, "session-1", 7, 1 << 40, loaded.now)},
    ),
    Hot(
        name="in which lanes something waits",
        statement=unassigned.WAITING,
        uses=READY,
        scans=frozenset({"l"}),
        engines=("sqlite",),
        reads_max=4 * len(Loaded(now=0).lanes),
        sets=lambda loaded: {"l": [(lane,) for lane in loaded.lanes]},
    ),
    Hot(
        name="what waits for its route",
        statement=unassigned.UNASSIGNED.every,
        uses=READY,
        engines=POSTGRESQL,
        reads_max=6 * BATCH,
        sets=lambda loaded: {"k": kinds(loaded)},
    ),
    Hot(
        name="what waits for its route, of one kind",
        statement=unassigned.UNASSIGNED.each,
        uses=READY,
        values=lambda _: {"lane": 2, "class": 0, "priority": 5, "n": BATCH},
    ),
    Hot(
        name="what waits for its route while the clock is in doubt",
        statement=unassigned.UNASSIGNED_DOUBTING.every,
        uses=READY,
        engines=POSTGRESQL,
        reads_max=6 * BATCH,
        values=doubting,
        sets=lambda loaded: {"k": kinds(loaded)},
    ),
    Hot(
        name="assign",
        statement=assignment.ASSIGN,
        uses=KEY,
        sets=lambda loaded: {"d": versions(loaded.runs, "session-1", loaded.now, 1)},
    ),
    Hot(
        name="what routes of due jobs keep",
        statement=fire_routes.KEPT,
        uses=KEY,
        sets=lambda loaded: {"d": [(job_id,) for job_id in loaded.jobs]},
    ),
    Hot(
        name="move cursors on with what their routes keep",
        statement=assigned_fires.STEP,
        uses=KEY,
        sets=lambda loaded: {"d": routed_steps(loaded)},
    ),
    Hot(
        name="insert assigned runs",
        statement=assigned_fires.INSERT,
        uses=frozenset(),
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": assigned_run_rows(loaded)},
    ),
    Hot(
        name="sessions that lost their runs",
        statement=assignment.LOST,
        uses=MEANT,
        values=lambda _: {"amnesty": 0},
        scans=SMALL | WALKED,
        reads_max=10 * SESSIONS,
    ),
    Hot(
        name="shards of workers that are gone",
        statement=broadcast.OF_GONE,
        uses=MEANT,
        or_uses=frozenset({"runs_assigned_until"}),
        scans=SMALL,
        reads_max=10 * ASSIGNED,
        values=lambda _: {"limit": BATCH, "term": 0},
        sets=lambda loaded: {"d": sessions(loaded)},
    ),
    Hot(
        name="sessions that shards wait for in vain",
        statement=broadcast.ORPHANING,
        uses=MEANT,
        scans=SMALL | WALKED,
        reads_max=10 * SESSIONS,
        values=lambda _: {"session_ttl": 15_000_000, "grace": 2_000_000},
    ),
    Hot(
        name="lanes of shards that are some workers' own",
        statement=broadcast.LANES_OF,
        uses=MEANT,
        or_uses=frozenset({"runs_assigned_until"}),
        reads_max=10 * ASSIGNED,
        sets=lambda loaded: {"d": sessions(loaded)},
    ),
    Hot(
        name="shards that their workers cannot execute any more",
        statement=broadcast.OF_LANES,
        uses=MEANT,
        or_uses=frozenset({"runs_assigned_until"}),
        scans=SMALL,
        reads_max=10 * ASSIGNED,
        values=lambda _: {"limit": BATCH, "term": 0},
        sets=lambda loaded: {"d": [(session, lane) for session, lane, *_ in queues(loaded)]},
    ),
    Hot(
        name="of how many shards each is one",
        statement=broadcast.COUNTS,
        uses=KEY | {"runs_fire"},
        sets=lambda loaded: {"d": [(run,) for run, *_ in versions(loaded.runs)]},
    ),
    Hot(
        name="assignments whose time is over",
        statement=assignment.OVERDUE,
        uses=frozenset({"runs_assigned_until"}),
        values=lambda _: {"limit": BATCH},
    ),
    Hot(
        name="what workers have to do",
        statement=fitting_workers.BUSY,
        uses=frozenset({"runs_assigned", "runs_running"}),
        reads_max=2 * (ASSIGNED + RUNNING),
    ),
    Hot(
        name="what waits for each worker",
        statement=fitting_workers.ASSIGNED_TO,
        uses=frozenset({"runs_assigned"}),
        reads_max=2 * ASSIGNED,
    ),
    Hot(
        name="what workers have to do for some jobs",
        statement=fitting_workers.OWN,
        uses=frozenset({"runs_assigned", "runs_running"}),
        reads_max=3 * (ASSIGNED + RUNNING),
        sets=lambda loaded: {"d": [(job_id,) for job_id in range(1, 4)]},
    ),
]
