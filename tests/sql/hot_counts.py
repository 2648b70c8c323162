"""The statements that count limits, rates and keys, whose plans are watched: of leases, ends and the watchdog."""

from foliot.domain.instants import SECOND
from foliot.store.sql.firing.follow import OF_GROUP
from foliot.store.sql.leasing import key_limits, key_upkeep, key_waiters, limits, scopes
from foliot.store.sql.people import holds, key_holds, key_use, named_limits
from tests.sql.explaining import BATCH, KEYED, LIMIT_KEYS, LIMITS, RUNNING, Hot, Loaded

KEY = frozenset({""})
WAITING = frozenset({"limit_runs_waiting"})
KEYS = frozenset({"k", "h", "w"})
FEW = 20


def some_limits(*columns: object) -> list[tuple[object, ...]]:
    """As many as a lease may touch: limits of jobs, and rates."""
    return [(f"{'job' if n % 4 == 0 else 'rate'}:{n}", *columns) for n in range(4, 40) if n % 4 < 2]


def some_keys(*columns: object) -> list[tuple[object, ...]]:
    return [(f"c:7:k{3 * n}", *columns) for n in range(1, FEW + 1)]


def running(loaded: Loaded) -> list[tuple[int]]:
    return [(run_id,) for run_id in loaded.running]


COUNTS: list[Hot] = [
    Hot(
        name="lock limits",
        statement=limits.LOCK,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits()},
    ),
    Hot(
        name="take limits and tokens of rates",
        statement=limits.TAKE,
        uses=KEY,
        reads_max=4 * FEW,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda _: {"d": some_limits(1, 1)},
    ),
    Hot(
        name="keep limits for a heavy run",
        statement=limits.CLAIM,
        uses=KEY,
        reads_max=4 * FEW,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda loaded: {"d": some_limits(1, 1, loaded.now + SECOND)},
    ),
    Hot(
        name="a heavy run has begun",
        statement=limits.UNCLAIM,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits(1)},
    ),
    Hot(
        name="give limits back",
        statement=limits.GIVE,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits(1)},
    ),
    Hot(
        name="maxima of limits",
        statement=limits.MAXIMA,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits()},
    ),
    Hot(
        name="a stretch of limits",
        statement=limits.NAMES,
        uses=KEY,
        reads_max=limits.RECOUNT_STEP,
        values=lambda _: {"after": "job:", "limit": limits.RECOUNT_STEP},
    ),
    Hot(
        name="correct limits",
        statement=limits.CORRECT,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits(1, 3)},
    ),
    Hot(
        name="limits of groups and namespaces",
        statement=scopes.SCOPES,
        uses=KEY,
        or_uses=frozenset(),  # a quarter of them: PostgreSQL reads the small table as it is
        scans=frozenset({"limits"}),
        reads_max=LIMITS,
    ),
    Hot(
        name="running runs that a limit of a group does not count yet",
        statement=scopes.UNCOUNTED,
        uses=frozenset({"runs_running"}),
        reads_max=3 * RUNNING,
        sets=lambda loaded: {"d": [(lane, OF_GROUP) for lane in loaded.lanes]},
    ),
    Hot(
        name="lock what a limit counts in", statement=scopes.LOCK, uses=KEY, sets=lambda loaded: {"d": running(loaded)}
    ),
    Hot(
        name="count running runs in a limit",
        statement=scopes.COUNT_IN,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id, f"lease-{run_id}", OF_GROUP) for (run_id,) in running(loaded)]},
    ),
    Hot(
        name="how much keys of workers have",
        statement=key_limits.USED,
        uses=KEY,
        aliases=KEYS,
        reads_max=2 * FEW,
        sets=lambda _: {"d": some_keys()},
    ),
    Hot(
        name="lock keys",
        statement=key_limits.LOCK_KEYS,
        uses=KEY,
        aliases=KEYS,
        reads_max=2 * FEW,
        sets=lambda _: {"d": some_keys()},
    ),
    Hot(
        name="make keys",
        statement=key_limits.MAKE_KEYS,
        uses=frozenset(),
        sets=lambda _: {"d": some_keys(7, "v", 0, 0)},
    ),
    Hot(
        name="take keys",
        statement=key_limits.TAKE_KEYS,
        uses=KEY,
        reads_max=2 * FEW,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda _: {"d": some_keys(1, 9, 0, 0, 0)},
    ),
    Hot(
        name="give keys back",
        statement=key_limits.GIVE_KEYS,
        uses=KEY,
        reads_max=2 * FEW,
        sets=lambda _: {"d": some_keys(1)},
    ),
    Hot(
        name="when a key has tokens again",
        statement=key_waiters.SET_WAKE,
        uses=KEY,
        reads_max=2 * FEW,
        sets=lambda loaded: {"d": some_keys(loaded.now)},
    ),
    Hot(
        name="park runs for keys",
        statement=key_limits.PARK,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id, 1) for run_id in loaded.runs]},
    ),
    Hot(
        name="forget what runs held or waited for",
        statement=key_limits.FORGET,
        uses=KEY,
        sets=lambda loaded: {"d": running(loaded)[:FEW]},
    ),
    Hot(
        name="note who holds and who waits",
        statement=key_limits.NOTE,
        uses=frozenset(),
        sets=lambda loaded: {"d": [(run_id, "c:7:k3", 1, run_id) for run_id in loaded.runs]},
    ),
    Hot(
        name="keys that runs hold",
        statement=key_limits.HELD,
        uses=KEY,
        aliases=KEYS,
        sets=lambda loaded: {"d": running(loaded)[:FEW]},
    ),
    Hot(
        name="the first that waits for each key",
        statement=key_waiters.FIRST,
        uses=WAITING,
        aliases=KEYS,
        reads_max=2 * FEW,
        sets=lambda _: {"d": some_keys()},
    ),
    Hot(
        name="the first that wait for a key",
        statement=key_waiters.WAITERS,
        uses=WAITING,
        aliases=KEYS,
        reads_max=2,
        values=lambda _: {"name": "c:7:k3", "n": 2},
    ),
    Hot(
        name="lock runs that wait for keys",
        statement=key_waiters.PARKED_RUNS,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id,) for run_id in loaded.runs]},
    ),
    Hot(
        name="runs that still wait for keys",
        statement=key_waiters.STILL_PARKED,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id,) for run_id in loaded.runs]},
    ),
    Hot(
        name="forget who waited",
        statement=key_waiters.FORGET_WAITERS,
        uses=KEY,
        sets=lambda loaded: {"d": [(run_id, "c:7:k3") for run_id in loaded.runs]},
    ),
    Hot(
        name="keys that are to be looked at now",
        statement=key_waiters.DUE_KEYS,
        uses=frozenset({"limit_keys_wake"}),
        aliases=KEYS,
        reads_max=key_waiters.WAKE_STEP,
        values=lambda _: {"limit": key_waiters.WAKE_STEP},
    ),
    Hot(
        name="a stretch of keys",
        statement=key_upkeep.NAMES,
        uses=KEY,
        reads_max=key_upkeep.STEP,
        values=lambda _: {"after": "c:7:", "limit": key_upkeep.STEP},
    ),
    Hot(
        name="what really holds keys",
        statement=key_upkeep.HOLDING,
        uses=WAITING | KEY,
        aliases=KEYS,
        reads_max=4 * FEW * RUNNING // 300,
        sets=lambda _: {"d": some_keys()},
    ),
    Hot(
        name="what really runs on workers, by job",
        statement=key_upkeep.ON_WORKERS,
        uses=frozenset({"runs_running"}),
        reads_max=RUNNING,
    ),
    Hot(
        name="drop keys that nobody needs",
        statement=key_upkeep.DROP_IDLE,
        uses=KEY,
        reads_max=2 * FEW,
        values=lambda loaded: {"now": loaded.now},
        sets=lambda _: {"d": some_keys()},
    ),
    Hot(
        name="keys that some runs wait for",
        statement=key_holds.AWAITED,
        uses=KEY,
        aliases=KEYS,
        reads_max=10 * BATCH,
        sets=lambda loaded: {"d": [(run_id,) for run_id in loaded.runs]},
    ),
    Hot(
        name="workers that are full of a job",
        statement=key_holds.FULL_WORKERS,
        uses=KEY,
        reads_max=LIMIT_KEYS // 2,
        values=lambda _: {"first": "w:7:", "beyond": "w:7;", "most": 1},
    ),
    Hot(
        name="keys of a job that are full",
        statement=key_use.FULL,
        uses=KEY,
        aliases=frozenset({"l"}),
        reads_max=LIMIT_KEYS,
        values=lambda _: {"first": "c:7:", "beyond": "c:7;", "most": 1, "rows": key_use.SHOWN},
    ),
    Hot(
        name="how many runs wait for a key",
        statement=key_use.WAITING,
        uses=WAITING,
        aliases=KEYS,
        reads_max=2 * KEYED // 300,
        values=lambda _: {"name": "c:7:k3", "rows": key_use.WAITING_MAX},
    ),
    Hot(
        name="which runs hold a key",
        statement=key_use.HOLDING,
        uses=WAITING,
        aliases=KEYS,
        reads_max=2 * key_use.HOLDERS_SHOWN,
        values=lambda _: {"name": "c:7:k3", "rows": key_use.HOLDERS_SHOWN},
    ),
    Hot(
        name="limits as `why` reads them",
        statement=holds.LIMITS,
        uses=KEY,
        reads_max=4 * FEW,
        sets=lambda _: {"d": some_limits()},
    ),
    Hot(
        name="a page of limits",
        statement=named_limits.LIST_LIMITS,
        uses=KEY,
        or_uses=frozenset(),
        scans=frozenset({"limits"}),
        reads_max=LIMITS,
        values=lambda _: {"after": "", "rows": 200},
    ),
]
