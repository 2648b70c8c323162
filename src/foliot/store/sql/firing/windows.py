"""Windows of triggers in SQL: which run stands for a trigger that comes close behind others.

A window is a row per job and value of a parameter. It is read and written behind the bump of the job's cursor, so two
servers decide about one job one after the other; a run that a worker takes meanwhile is not touched any more, because
its change asks for a run that waits. A trigger that another run stands for leaves its idempotency key behind, so that a
repeat of it changes nothing (S4). Order of locks: cursors, runs, windows, keys.
"""

from typing import Final, NamedTuple

import msgspec

from foliot.domain.instants import Instant
from foliot.domain.job import Definition
from foliot.domain.own_parameters import usual_params
from foliot.domain.policies.windows import KEYS_KEPT_US, Debounce, StandsFor, TriggerRate, window_key
from foliot.domain.traces import kept_reason
from foliot.ports.store.runs import Triggered, TriggerRequest
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

FIND: Final = Statement(
    """
    SELECT w.run_id, w.opened_at, w.until, w.used, r.not_before FROM trigger_windows w JOIN runs r ON r.id = w.run_id
    WHERE w.job_id = :job_id AND w.window_key = :window_key
    """
)
"""A window whose run retention took away is none."""

PUT_OFF: Final = Statement(
    """
    UPDATE runs SET params = :params, due_at = :at, not_before = :at, priority = coalesce(:priority, priority),
           triggered_by = :by, reason = :reason, ver = ver + 1
    WHERE id = :run_id AND state = 'PENDING' AND attempt = 0 AND not_before > :now AND cancel_at IS NULL
    """
)
"""A run that nobody has begun waits on, with the last trigger's parameters. `attempt` never returns to 0, so the state
that is asked for comes once."""

LONGER: Final = Statement(
    "UPDATE trigger_windows SET until = :until WHERE job_id = :job_id AND window_key = :window_key"
)

AGAIN: Final = Statement(
    "UPDATE trigger_windows SET run_id = :run_id, opened_at = :opened_at, until = :until, used = :used "
    "WHERE job_id = :job_id AND window_key = :window_key"
)

OPEN: Final = Statement(
    "INSERT INTO trigger_windows (job_id, window_key, run_id, opened_at, until, used) "
    "VALUES (:job_id, :window_key, :run_id, :opened_at, :until, :used)"
)

_KEEP: Final = """
    INSERT INTO trigger_keys (job_id, fire_key, run_id, asked, until)
    VALUES (:job_id, :fire_key, :run_id, :asked, :until)
    """
KEEP_KEY: Final = Statement(
    f"{_KEEP} ON CONFLICT (job_id, fire_key) DO UPDATE SET run_id = :run_id, asked = :asked, until = :until",
    mysql=f"{_KEEP} ON DUPLICATE KEY UPDATE run_id = :run_id, asked = :asked, until = :until",
)
"""A row that is there is of a run that retention took away: a key with a run never comes so far."""


class Window(NamedTuple):
    """A window as it stands. `used`: how many runs it has."""

    run_id: int
    opened_at: Instant
    until: Instant
    used: int
    not_before: Instant


class WindowDoor:
    """The window that one trigger of a job belongs to."""

    def __init__(
        self, tx: Tx, job_id: int, fire_key: str, definition: Definition, request: TriggerRequest, now: Instant
    ) -> None:
        policy = definition.debounce or definition.throttle
        assert policy is not None, definition
        self._tx = tx
        self._policy: Debounce | TriggerRate = policy
        self._request = request
        self._fire_key = fire_key
        self._now = now
        params = usual_params(definition) if request.params is None else msgspec.json.decode(request.params)
        self._key = {"job_id": job_id, "window_key": window_key(policy.by, params)}
        rows = tx.tuples(FIND, self._key)
        found = Window(*rows[0]) if rows else None
        self._window = found if found is not None and found.until > now else None

    @property
    def delay_us(self) -> int | None:
        """How long the first run of a window waits for further triggers."""
        return self._policy.quiet_us if isinstance(self._policy, Debounce) else None

    def stand_in(self) -> Triggered | None:
        """The run that stands for the trigger; None: it is to have one of its own."""
        window = self._window
        if window is None:
            return None
        if isinstance(self._policy, Debounce):
            standing = self._put_off(self._policy, window)
        else:
            standing = _throttled(self._policy, window)
        if standing is not None:
            self._keep_key(standing.run_id, opened_at=window.opened_at, until=window.until)
        return standing

    def opened(self, triggered: Triggered) -> None:
        """A run was made for the trigger: the window stands for it."""
        window, until, used, opened_at = self._window, triggered.not_before, 1, self._now
        if isinstance(self._policy, TriggerRate):
            until = self._now + self._policy.per_us
            if window is not None:
                until, used, opened_at = window.until, window.used + 1, window.opened_at
        values = {**self._key, "run_id": triggered.run_id, "opened_at": opened_at, "until": until, "used": used}
        if not self._tx.change(AGAIN, values):
            self._tx.change(OPEN, values)
        if isinstance(self._policy, Debounce):  # what made the run is not what the run will have
            self._keep_key(triggered.run_id, opened_at=opened_at, until=until)

    def _put_off(self, policy: Debounce, window: Window) -> Triggered | None:
        request, at = self._request, policy.starts_at(self._now, window.opened_at)
        values = {
            "run_id": window.run_id,
            "at": at,
            "now": self._now,
            "params": request.params,
            "priority": request.priority,
            "by": request.by.name,
            "reason": kept_reason(request.by.reason or None, request.trace),
        }
        if not self._tx.change(PUT_OFF, values):
            return None  # somebody began or cancelled it: the next window opens
        self._tx.change(LONGER, {**self._key, "until": at})
        return Triggered(run_id=window.run_id, created=False, not_before=at, stands_for=StandsFor.DEBOUNCE)

    def _keep_key(self, run_id: int, *, opened_at: Instant, until: Instant) -> None:
        """Remember which run the trigger has and what it asked, for some time after the window closes at last.

        Nobody repeats a key that this server drew for a trigger without one.
        """
        if self._request.is_drawn:
            return
        closes_at = opened_at + self._policy.at_most_us if isinstance(self._policy, Debounce) else until
        values = {
            "job_id": self._key["job_id"],
            "fire_key": self._fire_key,
            "run_id": run_id,
            "asked": self._request.asked,
            "until": closes_at + KEYS_KEPT_US,
        }
        self._tx.change(KEEP_KEY, values)


def _throttled(rate: TriggerRate, window: Window) -> Triggered | None:
    """The newest run of a window that may have no more."""
    if window.used < rate.runs:
        return None
    return Triggered(run_id=window.run_id, created=False, not_before=window.not_before, stands_for=StandsFor.THROTTLE)
