"""The statements of windows of triggers whose plans are watched: each by a key, however many windows there are."""

from foliot.store.sql.ending import retention
from foliot.store.sql.firing import triggers, windows
from tests.sql.explaining import BATCH, WINDOW_JOBS, Hot, Loaded

KEY = frozenset({""})


def window(_: Loaded) -> dict[str, object]:
    return {"job_id": WINDOW_JOBS, "window_key": "k7999"}


WINDOWS: list[Hot] = [
    Hot(name="window of a trigger", statement=windows.FIND, uses=KEY, reads_max=2, values=window),
    Hot(
        name="put a run off",
        statement=windows.PUT_OFF,
        uses=KEY,
        reads_max=1,
        values=lambda loaded: {
            "run_id": loaded.runs[0], "at": loaded.now, "now": 0, "params": None, "priority": None, "by": "someone",
            "reason": None,
        },
    ),
    Hot(
        name="a window that goes on",
        statement=windows.AGAIN,
        uses=KEY,
        reads_max=1,
        values=lambda loaded: {**window(loaded), "run_id": 1, "opened_at": 1, "until": 2, "used": 1},
    ),
    Hot(
        name="key of a trigger that shares a run",
        statement=windows.KEEP_KEY,
        uses=frozenset(),
        reads_max=1,
        values=lambda _: {"job_id": WINDOW_JOBS, "fire_key": "m:k7999", "run_id": 1, "asked": None, "until": 1},
    ),
    Hot(
        name="keys of triggers that share runs",
        statement=triggers.BY_KEY,
        uses=frozenset({"runs_fire", ""}),
        sets=lambda _: {"d": [(n, 1 + n % WINDOW_JOBS, f"m:k{n}") for n in range(1, BATCH)]},
    ),
    Hot(
        name="closed windows and old keys",
        statement=retention.OLD_WINDOWS,
        uses=frozenset({"trigger_windows_until", "trigger_keys_until"}),
        reads_max=200,
        values=lambda _: {"listed": 0, "limit": 100},
    ),
    Hot(
        name="delete windows",
        statement=retention.DELETE_WINDOWS,
        uses=KEY,
        reads_max=100,
        values=lambda _: {"listed": 0},
        sets=lambda _: {"d": [(1 + n % WINDOW_JOBS, f"k{n}") for n in range(1, 100)]},
    ),
    Hot(
        name="delete keys of triggers",
        statement=retention.DELETE_KEYS,
        uses=KEY,
        reads_max=100,
        sets=lambda _: {"d": [(1 + n % WINDOW_JOBS, f"m:k{n}") for n in range(1, 100)]},
    ),
]  # fmt: skip
