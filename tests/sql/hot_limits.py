"""The statements of `foliot limit show` whose plans are watched."""

from foliot.store.sql.people import limit_use
from tests.sql.explaining import ASSIGNED, READY, RUNNING, SESSIONS, Hot, Loaded


def lanes(loaded: Loaded) -> list[tuple[int]]:
    return [(lane,) for lane in loaded.lanes]


def kinds(loaded: Loaded) -> list[tuple[int, int, int]]:
    return [(lane, class_, priority) for lane in loaded.lanes for class_ in (0, 1, 2) for priority in range(1, 11)]


LIMITS: list[Hot] = [
    Hot(
        name="runs that hold a limit",
        statement=limit_use.HOLDERS,
        uses=frozenset({"runs_running"}),
        scans=frozenset({"n", "nodes"}),
        reads_max=3 * RUNNING + SESSIONS,
        values=lambda _: {"rows": 200},
        sets=lambda loaded: {"d": lanes(loaded)},
    ),
    Hot(
        name="runs that wait for a limit",
        statement=limit_use.WAITING,
        uses=frozenset({"runs_ready"}),
        reads_max=READY + 1,
        values=lambda loaded: {"lane": 1, "class": 0, "priority": 1, "now": loaded.now, "rows": 10_000},
    ),
    Hot(
        name="assigned runs that wait for a limit",
        statement=limit_use.ASSIGNED,
        uses=frozenset({"runs_assigned"}),
        or_uses=frozenset({"runs_assigned_until"}),
        reads_max=2 * ASSIGNED,
        values=lambda loaded: {"now": loaded.now, "rows": 10_000},
        sets=lambda loaded: {"d": lanes(loaded)},
    ),
    Hot(
        name="the runs that have waited longest for a limit",
        statement=limit_use.FIRSTS,
        uses=frozenset({"runs_ready", ""}),
        reads_max=4 * 600,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": kinds(loaded)},
    ),
]
