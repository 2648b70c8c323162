"""The statements of leasing, ending, beats and upkeep whose plans are watched."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from foliot.domain.instants import HOUR, SECOND
from foliot.store.sql.cluster import beats, reaper
from foliot.store.sql.ending import cancellation, ends, fixed_delay, locked_runs, logs, parents, retention, success
from foliot.store.sql.firing import line_heads
from foliot.store.sql.leasing import candidates, leased_runs, leases, limits, merge_input, run_kinds
from tests.sql.explaining import ATTEMPTS, BATCH, LONG_LINE, RUNNING, SESSIONS, Hot, Loaded

KEY = frozenset({""})
READY = frozenset({"runs_ready"})
LINE = frozenset({"runs_line"})
CHILDREN = frozenset({"runs_children"})
IN_HANDS = frozenset({"runs_running"})
SQLITE, POSTGRESQL = ("sqlite",), ("postgresql",)
SMALL = frozenset({"nodes", "n", "store_meta", "m", "leases", "l", "limits"})  # some rows; a scan is as good
EVERYTHING = [(-1, -1, -1, 2**31 - 1, 32767, 32767)]
KINDS = [(1 + n % 20, n % 2, 1 + n % 10) for n in range(20)]  # as many as are loaded


def ids(loaded: Loaded) -> list[tuple[int]]:
    return [(run_id,) for run_id in loaded.running]


def sessions(loaded: Loaded) -> list[tuple[str]]:
    return [(loaded.session,), ("session-2",), ("nobody",)]


def kinds_wanted(loaded: Loaded, n: int) -> list[tuple[int, ...]]:
    return [(*kind, loaded.now - HOUR, n) for kind in KINDS]


def a_kind(loaded: Loaded) -> dict[str, int]:
    lane, class_, priority = KINDS[3]
    return {"now": loaded.now, "lane": lane, "class": class_, "priority": priority, "low": 0, "n": BATCH}


def lease_rows(loaded: Loaded, *columns: Any) -> list[tuple[Any, ...]]:
    return [(run_id, f"lease-{run_id}", *columns) for run_id in loaded.running]


def versions(runs: Sequence[int], *columns: Any) -> list[tuple[Any, ...]]:
    return [(run_id, 1, *columns) for run_id in runs]


def now(loaded: Loaded) -> dict[str, int]:
    return {"now": loaded.now}


def doubting(loaded: Loaded) -> dict[str, int]:
    """The store's clock jumped an hour ahead, two hours ago."""
    return {"believed": loaded.now - HOUR, "good": loaded.now - 3 * HOUR, "landed": loaded.now - 2 * HOUR}


LEASING: list[Hot] = [
    Hot(
        name="look around",
        statement=run_kinds.LOOK_AROUND,
        uses=READY,
        scans=SMALL,
        reads_max=200,
        engines=POSTGRESQL,
        values=lambda _: {"most": run_kinds.CROWD_MIN},
        sets=lambda loaded: {"s": sessions(loaded), "g": EVERYTHING},
    ),
    Hot(
        name="look around knowing most",
        statement=run_kinds.LOOK_AROUND,
        uses=READY,
        scans=SMALL,
        reads_max=200,
        engines=POSTGRESQL,
        values=lambda _: {"most": run_kinds.CROWD_MIN},
        sets=lambda loaded: {"s": sessions(loaded), "g": [(*low, *high) for low, high in pairwise(sorted(KINDS))]},
    ),
    Hot(
        name="kinds present",
        statement=run_kinds.PRESENT,
        uses=READY,
        reads_max=200,
        engines=POSTGRESQL,
        values=lambda _: {"most": run_kinds.CROWD_MIN},
        sets=lambda _: {"g": EVERYTHING},
    ),
    Hot(
        name="next kind present",
        statement=run_kinds.PRESENT_NEXT,
        uses=READY,
        engines=SQLITE,
        values=lambda _: {"lane": 3, "class": 0, "priority": 4},
    ),
    Hot(
        name="peek",
        statement=candidates.PEEK,
        uses=READY,
        engines=POSTGRESQL,
        values=now,
        sets=lambda loaded: {"s": sessions(loaded), "k": kinds_wanted(loaded, 2 * BATCH // len(KINDS))},
    ),
    Hot(
        name="look",
        statement=candidates.LOOK,
        uses=READY,
        engines=POSTGRESQL,
        values=now,
        sets=lambda loaded: {"s": sessions(loaded), "k": kinds_wanted(loaded, BATCH // len(KINDS))},
    ),
    Hot(
        name="take",
        statement=candidates.TAKE,
        uses=READY,
        engines=POSTGRESQL,
        values=now,
        sets=lambda loaded: {"s": sessions(loaded), "k": kinds_wanted(loaded, BATCH // len(KINDS))},
    ),
    Hot(
        name="take of one kind",
        statement=candidates.TAKE_OF_KIND,
        uses=READY,
        values=a_kind,
        sets=lambda loaded: {"s": sessions(loaded)},
    ),
    Hot(
        name="take, the clock in doubt",
        statement=candidates.TAKE_DOUBTING,
        uses=READY,
        engines=POSTGRESQL,
        values=lambda loaded: {**now(loaded), **doubting(loaded)},
        sets=lambda loaded: {"s": sessions(loaded), "k": kinds_wanted(loaded, BATCH // len(KINDS))},
    ),
    Hot(
        name="take of one kind, the clock in doubt",
        statement=candidates.TAKE_OF_KIND_DOUBTING,
        uses=READY,
        values=lambda loaded: {**a_kind(loaded), **doubting(loaded)},
        sets=lambda loaded: {"s": sessions(loaded)},
    ),
    Hot(
        name="repeated requests",
        statement=leased_runs.REPEATED,
        uses=IN_HANDS,
        sets=lambda _: {"d": [(f"session-{n % SESSIONS}", n) for n in range(BATCH)]},
    ),
    Hot(
        name="raise fences",
        statement=leases.RAISE_FENCES,
        uses=KEY,
        sets=lambda loaded: {"d": [(*job, 2) for job in _jobs(loaded)]},
    ),
    Hot(name="fences", statement=leases.FENCES, uses=KEY, sets=lambda loaded: {"d": _jobs(loaded)}),
    Hot(
        name="lock what was picked",
        statement=leases.LOCK_PICKED,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id,) for run_id in loaded.runs]},
    ),
    Hot(
        name="lease",
        statement=leases.LEASE,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": versions(loaded.runs, "x" * 32, "session-1", 7, 1 << 40, loaded.now)},
    ),
    Hot(name="glance at runs", statement=success.GLANCE, uses=KEY, sets=lambda loaded: {"d": ids(loaded)}),
    Hot(
        name="succeed",
        statement=success.SUCCEED,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": lease_rows(loaded, loaded.now, "null")},
    ),
    Hot(
        name="succeed at once",
        statement=success.SUCCEED_AT_ONCE,
        uses=KEY,
        values=lambda loaded: {"session": loaded.session},
        sets=lambda loaded: {"d": lease_rows(loaded, 1000, "null")},
    ),
    Hot(
        name="see runs",
        statement=locked_runs.SEE,
        uses=KEY,
        reads_max=3 * BATCH,
        sets=lambda loaded: {"d": ids(loaded)},
    ),
    Hot(
        name="lock runs",
        statement=locked_runs.LOCK,
        uses=KEY,
        reads_max=3 * BATCH,
        sets=lambda loaded: {"d": ids(loaded)},
    ),
    Hot(
        name="lock cursors of runs",
        statement=locked_runs.LOCK_CURSORS,
        uses=KEY,
        sets=lambda loaded: {"d": _jobs(loaded)},
    ),
    Hot(
        name="end",
        statement=ends.END,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": lease_rows(loaded, 1, "FAILED", "error", loaded.now, None, "x", "E", None, 0)},
    ),
    Hot(
        name="end what waits",
        statement=ends.END_WAITING,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": versions(loaded.runs, "CANCELLED", None, "x")},
    ),
    Hot(
        name="back",
        statement=ends.BACK,
        uses=KEY,
        sets=lambda loaded: {"d": lease_rows(loaded, 1, loaded.now, 1, 0, None)},
    ),
    Hot(
        name="insert attempts",
        statement=ends.INSERT_ATTEMPTS,
        uses=frozenset(),
        values=now,
        sets=lambda loaded: {
            "d": [(run_id, 9, 1, "error", "l", "s", 1, 1, None, "x", "E", 1) for run_id in loaded.running]
        },
    ),
    Hot(
        name="retries of the last hour",
        statement=ends.RETRIES,
        uses=frozenset({"attempts_by_job"}),
        reads_max=10 * ATTEMPTS // 1000 + BATCH,
        values=lambda loaded: {"since": loaded.now - HOUR},
        sets=lambda _: {"d": [(job_id,) for job_id in range(1, 11)]},
    ),
    Hot(name="tally of shards", statement=parents.TALLY, uses=CHILDREN, sets=lambda loaded: {"d": ids(loaded)}),
    Hot(name="parents of merges", statement=merge_input.PARENTS, uses=KEY, sets=lambda loaded: {"d": ids(loaded)}),
    Hot(name="sizes of parts", statement=merge_input.SIZES, uses=CHILDREN, sets=lambda loaded: {"d": ids(loaded)}),
    Hot(name="parts of merges", statement=merge_input.RESULTS, uses=CHILDREN, sets=lambda loaded: {"d": ids(loaded)}),
    Hot(
        name="count down",
        statement=parents.COUNT_DOWN,
        uses=KEY,
        sets=lambda loaded: {"d": versions(loaded.running, 1, "RUNNING", None, None, None, None)},
    ),
    Hot(
        name="insert merge runs",
        statement=parents.INSERT_MERGE,
        uses=KEY,
        values=now,
        sets=lambda loaded: {"d": [(run_id, f"d:{run_id}:merge", 1, 20) for run_id in loaded.running]},
    ),
    Hot(
        name="set the next instant",
        statement=fixed_delay.SET_NEXT,
        uses=KEY,
        sets=lambda loaded: {"d": [(job_id, 1, "active", loaded.now, loaded.now) for job_id in loaded.jobs]},
    ),
    Hot(
        name="heads of lines",
        statement=line_heads.HEADS,
        uses=LINE,
        reads_max=3 * BATCH,
        sets=lambda loaded: {"d": _jobs(loaded)},
    ),
    Hot(
        name="the head of a long line",
        statement=line_heads.HEADS,
        uses=LINE,
        reads_max=3,
        sets=lambda _: {"d": [(LONG_LINE,)]},
    ),
    Hot(
        name="parked heads",
        statement=line_heads.PARKED,
        uses=KEY,
        or_uses=frozenset({"runs_parked"}),
        sets=lambda loaded: {"d": [(run_id,) for run_id in loaded.runs]},
    ),
    Hot(
        name="parked shards", statement=line_heads.PARKED_SHARDS, uses=CHILDREN, sets=lambda loaded: {"d": ids(loaded)}
    ),
    Hot(name="un-park", statement=line_heads.UNPARK, uses=KEY, sets=lambda loaded: {"d": versions(loaded.runs)}),
    Hot(
        name="room of limits", statement=limits.ROOM, uses=frozenset(), scans=SMALL, sets=lambda _: {"d": [("res:a",)]}
    ),
    Hot(
        name="what really runs, by lane",
        statement=limits.RUNNING,
        uses=IN_HANDS,
        reads_max=RUNNING,
        sets=lambda loaded: {"d": [(lane,) for lane in loaded.lanes]},
    ),
    Hot(
        name="what a session holds",
        statement=beats.HELD,
        uses=IN_HANDS,
        scans=SMALL,
        reads_max=3 * RUNNING // SESSIONS + SESSIONS,
        values=lambda loaded: {"session": loaded.session},
    ),
    Hot(
        name="note starts",
        statement=beats.STARTED,
        uses=KEY,
        sets=lambda loaded: {"d": lease_rows(loaded, loaded.now, loaded.now, None)},
    ),
    Hot(
        name="runs in dead hands",
        statement=reaper.OF_THE_DEAD,
        uses=frozenset(),
        scans=SMALL,
        reads_max=RUNNING + SESSIONS + 1,
        values=lambda _: {"term": 0, "limit": BATCH},
    ),
    Hot(
        name="runs past their deadline",
        statement=reaper.LATE,
        uses=IN_HANDS,
        scans=SMALL,
        reads_max=RUNNING + 1,
        values=lambda _: {
            "term": 0,
            "limit": BATCH,
            "grace": 2 * SECOND,
            "before": 2**62,
            "after_at": 0,
            "after_id": 0,
        },
    ),
    Hot(
        name="walk for retention",
        statement=retention.WALK,
        uses=KEY,
        values=lambda loaded: {"before": loaded.now, "after": 5000, "limit": BATCH},
    ),
    Hot(
        name="delete runs",
        statement=retention.DELETE_RUNS,
        uses=KEY,
        scans=SMALL,
        sets=lambda _: {"d": _old()},
    ),
    Hot(
        name="delete attempts",
        statement=retention.DELETE_ATTEMPTS,
        uses=KEY,
        scans=SMALL,
        sets=lambda _: {"d": _old()},
    ),
    Hot(
        name="open children",
        statement=cancellation.OPEN_CHILDREN,
        uses=CHILDREN,
        sets=lambda loaded: {"d": ids(loaded)},
    ),
    Hot(
        name="logs written",
        statement=logs.WRITTEN,
        uses=KEY,
        scans=frozenset({"run_logs"}),
        sets=lambda loaded: {"d": [(run_id,) for run_id, _ in lease_rows(loaded)]},
    ),
]


def _jobs(loaded: Loaded) -> list[tuple[int]]:
    return [(job_id,) for job_id in loaded.jobs]


def _old() -> list[tuple[int]]:
    return [(run_id,) for run_id in range(1, BATCH + 1)]
