"""The statements of windows of triggers whose plans are watched: each by a key, however many windows there are."""

from foliot.store.sql.ending import retention
from foliot.store.sql.firing import windows
from tests.sql.explaining import WINDOW_JOBS, Hot, Loaded

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
        name="closed windows",
        statement=retention.OLD_WINDOWS,
        uses=frozenset({"trigger_windows_until"}),
        reads_max=100,
        values=lambda _: {"listed": 0, "limit": 100},
    ),
]  # fmt: skip
