"""Limits by key: how many runs of a job execute on one worker, or for one value of a parameter, and start for it.

A key is a row of `limit_keys`, made when a run first needs it. Names: `w:<job>:<session>` of a worker,
`c:<job>:<value>` by number and `r:<job>:<value>` by rate of a value, which stands there in a form of fixed length.

A run whose key is full or used up is parked (`runs.parked` = 3) and named in `limit_runs` with its rank, so leasing
does not meet it again. The end of a run with the key un-parks the next; for a rate the sweep does, when `wake_at` of
the key has come (`leasing.key_waiters`). The guarded update of the key's row alone decides (R1).

Order of locks: `limit_keys` after `limits`, each by name.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant, Micros
from foliot.domain.job import Definition
from foliot.domain.own_parameters import usual_params
from foliot.domain.policies.windows import window_key
from foliot.domain.rates import STEPPED_BACK_US, Bucket, refill_at, tokens_left
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.leasing.key_waiters import PARKED_FOR_KEY, SET_WAKE, refill

SAID_MAX: Final = 100
NO_NUMBER: Final = 2**31 - 1

USED: Final = Statement("SELECT k.name, k.used FROM {d} JOIN limit_keys k ON k.name = d.name", RowSet("d", name=TEXT))

LOCK_KEYS: Final = Statement(
    """
    SELECT k.name, k.used, k.spent_until FROM limit_keys k WHERE k.name IN (SELECT d.name FROM {d})
    ORDER BY k.name {for_update}
    """,
    RowSet("d", name=TEXT),
)

MAKE_KEYS: Final = Statement(
    """
    {insert_ignore} limit_keys (name, job_id, said, used, pace_us, burst, ver)
    SELECT d.name, d.job_id, d.said, 0, d.pace_us, d.burst, 1 FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", name=TEXT, job_id=BIGINT, said=TEXT, pace_us=BIGINT, burst=BIGINT),
)

_SPENT: Final = f"""
    CASE WHEN limit_keys.spent_until > :now
              AND limit_keys.spent_until <= :now + d.burst * d.pace_us + {STEPPED_BACK_US}
         THEN limit_keys.spent_until ELSE :now END
"""

TAKE_KEYS: Final = Statement(
    f"""
    UPDATE limit_keys SET used = limit_keys.used + d.n, ver = limit_keys.ver + 1,
           spent_until = CASE WHEN d.starts = 0 THEN limit_keys.spent_until ELSE {_SPENT} + d.starts * d.pace_us END,
           pace_us = d.pace_us, burst = d.burst
    FROM {{d}}
    WHERE limit_keys.name = d.name AND limit_keys.used + d.n <= d.most
          AND (d.starts = 0 OR {_SPENT} + d.starts * d.pace_us <= :now + d.burst * d.pace_us)
    """,
    RowSet("d", name=TEXT, n=BIGINT, most=BIGINT, starts=BIGINT, pace_us=BIGINT, burst=BIGINT),
)

GIVE_KEYS: Final = Statement(
    """
    UPDATE limit_keys SET used = CASE WHEN limit_keys.used > d.n THEN limit_keys.used - d.n ELSE 0 END,
           ver = limit_keys.ver + 1
    FROM {d} WHERE limit_keys.name = d.name
    """,
    RowSet("d", name=TEXT, n=BIGINT),
)

PARK: Final = Statement(
    f"""
    UPDATE runs SET parked = {PARKED_FOR_KEY}, ver = runs.ver + 1, assigned_to = NULL, assigned_until = NULL FROM {{d}}
    WHERE runs.id = d.id AND runs.ver = d.ver
    """,
    RowSet("d", id=BIGINT, ver=BIGINT),
)

FORGET: Final = Statement("DELETE FROM limit_runs WHERE run_id IN (SELECT d.id FROM {d})", RowSet("d", id=BIGINT))

NOTE: Final = Statement(
    "INSERT INTO limit_runs (run_id, name, waits, turn) SELECT d.id, d.name, d.waits, d.turn FROM {d}",
    RowSet("d", id=BIGINT, name=TEXT, waits=BIGINT, turn=BIGINT),
)

HELD: Final = Statement(
    "SELECT h.run_id, h.name FROM limit_runs h WHERE h.waits = 0 AND h.run_id IN (SELECT d.id FROM {d})",
    RowSet("d", id=BIGINT),
)


class RunKey(NamedTuple):
    """A key that a run counts in."""

    name: str
    job_id: int
    said: str  # the value, for people
    most: int  # by number
    bucket: Bucket | None  # by rate

    @property
    def pace_us(self) -> Micros:
        return 0 if self.bucket is None else self.bucket.pace_us

    @property
    def burst(self) -> int:
        """How many at once: starts after a quiet time, or runs."""
        return self.most if self.bucket is None else self.bucket.burst


def keys_of(job_id: int, definition: Definition, params: str | None) -> list[RunKey]:
    """The keys that a run with these parameters counts in."""
    values: Mapping[str, Any] = usual_params(definition) if params is None else json.loads(params)
    found: list[RunKey] = []
    if definition.max_per_key is not None and definition.concurrency_by is not None:
        by = definition.concurrency_by
        name = f"c:{job_id}:{window_key(by, values)}"
        found.append(RunKey(name, job_id, _said(values.get(by)), definition.max_per_key, None))
    if definition.rate_by is not None:
        by = definition.rate_by
        name = f"r:{job_id}:{window_key(by, values)}"
        found.append(RunKey(name, job_id, _said(values.get(by)), NO_NUMBER, definition.bucket))
    return found


def _said(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:SAID_MAX]


class LeaseKeys:
    """The keys of one lease, locked: what is left of each, what was taken, and which runs wait for one."""

    def __init__(
        self, wanted: Mapping[str, RunKey], locked: Mapping[str, tuple[int, Instant | None]], now: Instant
    ) -> None:
        self._now = now
        self._wanted = wanted
        self._used = {name: locked[name][0] for name in wanted}
        self._left: dict[str, int] = {}
        self._refill_at: dict[str, Instant] = {}
        for name, key in wanted.items():
            used, spent_until = locked[name]
            self._left[name] = key.most - used
            if key.bucket is not None:
                self._left[name] = tokens_left(key.pace_us, key.burst, spent_until, now)
                self._refill_at[name] = refill_at(key.pace_us, key.burst, spent_until, now)
        self._taken: Counter[str] = Counter()
        self._holds: list[tuple[int, str, int, int]] = []
        self._parks: dict[int, tuple[int, str, int]] = {}  # run: version, key, rank
        self._passed_over: set[str] = set()  # other keys of parked runs, which have room for another run by number

    def short_of(self, run_keys: Iterable[RunKey]) -> str | None:
        """The first key that keeps a run from starting."""
        return next((key.name for key in run_keys if self._left[key.name] <= 0), None)

    def used(self, name: str) -> int:
        """How many runs counted in this key when it was locked."""
        return self._used[name]

    def park(self, run_id: int, ver: int, name: str, rank: int, run_keys: Iterable[RunKey]) -> None:
        """A run waits for this one of its keys."""
        self._parks[run_id] = (ver, name, rank)
        self._passed_over.update(key.name for key in run_keys if key.name != name and key.bucket is None)

    def take(self, run_id: int, run_keys: Iterable[RunKey]) -> None:
        """A run begins."""
        for key in run_keys:
            self._left[key.name] -= 1
            self._taken[key.name] += 1
            if key.name.startswith("c:"):
                self._holds.append((run_id, key.name, 0, 0))

    @property
    def has_parked(self) -> bool:
        return bool(self._parks)

    def write(self, tx: Tx) -> None:
        """Take what was taken, and park what waits."""
        rows = []
        for name, n in sorted(self._taken.items()):
            key = self._wanted[name]
            is_rate = key.bucket is not None
            rows.append((name, 0 if is_rate else n, key.most, n if is_rate else 0, key.pace_us, key.burst))
        if rows and tx.change(TAKE_KEYS, {"now": self._now}, d=rows) != len(rows):
            raise TryAgain("a key filled up although it was locked")
        waits = [(run_id, name, 1, rank) for run_id, (_, name, rank) in sorted(self._parks.items())]
        noted = sorted([*self._holds, *waits])
        if noted:
            tx.change(FORGET, d=keys([run_id for run_id, *_ in noted]))
            tx.change(NOTE, d=noted)
        if self._parks:
            parked = [(run_id, ver) for run_id, (ver, _, _) in sorted(self._parks.items())]
            if tx.change(PARK, d=parked) != len(parked):
                raise TryAgain("a run changed although it was locked")
            self._set_wakes(tx)

    def _set_wakes(self, tx: Tx) -> None:
        """A rate that is used up lets the next run start at an instant that is known.

        A run that waits for its rate may have been un-parked for another key: the next run may go there.
        """
        wakes: dict[str, Instant] = {name: self._now for name in self._passed_over if self._left[name] > 0}
        for _, name, _ in self._parks.values():
            if name in self._refill_at:
                wakes[name] = self._refill_at[name] + self._taken[name] * self._wanted[name].pace_us
        if wakes:
            tx.change(SET_WAKE, d=sorted(wakes.items()))


def lock(tx: Tx, wanted: Mapping[str, RunKey], now: Instant) -> LeaseKeys:
    """Lock these keys by name, made where they are missing."""
    if not wanted:
        return LeaseKeys({}, {}, now)
    locked = _locked(tx, wanted)
    missing = sorted(wanted.keys() - locked.keys())
    if missing:
        rows = [
            (name, wanted[name].job_id, wanted[name].said, wanted[name].pace_us, wanted[name].burst) for name in missing
        ]
        tx.change(MAKE_KEYS, d=rows)
        locked |= _locked(tx, missing)
        if len(locked) < len(wanted):
            raise TryAgain("a key was forgotten meanwhile")
    return LeaseKeys(wanted, locked, now)


def _locked(tx: Tx, names: Iterable[str]) -> dict[str, tuple[int, Instant | None]]:
    rows = tx.tuples(LOCK_KEYS, d=keys(sorted(names)))
    return {name: (int(used), spent_until) for name, used, spent_until in rows}


def used_by(tx: Tx, names: Collection[str]) -> dict[str, int]:
    """How many runs count in these keys, unlocked; a key that is missing has none."""
    return {name: int(used) for name, used in tx.pairs(USED, d=keys(sorted(names))).items()} if names else {}


def forget(tx: Tx, run_ids: Collection[int]) -> None:
    """These runs, whose rows are locked, wait for no key any more."""
    tx.change(FORGET, d=keys(sorted(run_ids)))


def give_back(tx: Tx, runs: Sequence[int], workers: Mapping[str, int]) -> None:
    """These runs left RUNNING and had taken keys; `workers`: so many runs of each key of a worker."""
    held: dict[int, str] = tx.pairs(HELD, d=keys(sorted(runs))) if runs else {}
    given = Counter(held.values())
    rows = sorted((given + Counter(workers)).items())
    if not rows:
        return
    if len(rows) > 1:
        tx.rows(LOCK_KEYS, d=keys([name for name, _ in rows]))  # by name, so that two who give back do not deadlock
    tx.change(GIVE_KEYS, d=rows)
    if held:
        tx.change(FORGET, d=keys(sorted(held)))
    refill(tx, given)
