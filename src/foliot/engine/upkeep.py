"""Upkeep: what the leader does for the cluster: reap, time out, forget, repair."""

from collections.abc import Callable
from typing import Final, TypeAlias

import structlog

from foliot.domain.instants import DAY, Instant, Micros
from foliot.domain.verdict import Judge
from foliot.ports.store.jobs import JobStore
from foliot.ports.store.runs import RunStore

BATCH: Final = 500
FORGET_STEP: Final = 1000
STEPS_APART_S: Final = 0.05
RETENTION: Final[Micros] = 30 * DAY
STRAYS_EVERY: Final = 3  # rounds of reaping

BelievedNow: TypeAlias = Callable[[], Instant | None]
"""Store time as this server reckons it: a clock that jumped ahead ends and deletes nothing (R7). None: unknown."""

log = structlog.get_logger("foliot.engine")


class Reaping:
    """Sessions that fell silent, and runs that overran their time."""

    def __init__(
        self,
        store: RunStore,
        judge: Judge,
        *,
        grace_us: Micros,
        session_ttl_us: Micros,
        on_moved: Callable[[], None],
        believed_now: BelievedNow,
        may_be_silent: Callable[[], bool] = lambda: True,
        may_be_assigned: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._judge = judge
        self._may_be_silent = may_be_silent
        self._may_be_assigned = may_be_assigned
        self._believed_now = believed_now
        self._grace_us = grace_us
        self._session_ttl_us = session_ttl_us
        self._on_moved = on_moved
        self._rounds = 0

    async def reap(self, term: int) -> float | None:
        """Who just died is found in every round, with its runs; what turns up in dead hands later, in every third.

        A round needs no statement while the pulse says that nobody is silent.
        """
        silent = self._may_be_silent()
        if self._rounds % STRAYS_EVERY and not silent:
            self._rounds += 1
            return None
        rounds, self._rounds = self._rounds, 0  # what fails half-way is looked for in the next
        moved = await self._store.reap(
            self._judge,
            limit=BATCH,
            term=term,
            grace_us=self._grace_us,
            session_ttl_us=self._session_ttl_us,
            silent=silent,
            strays=rounds % STRAYS_EVERY == 0,
        )
        if not moved:
            self._rounds = rounds + 1
        return self._went_on(moved, "runs.reaped")

    async def end_orphans(self, term: int) -> float | None:
        """Shards that wait in vain for a worker of their own. No statement while no run waits for some worker."""
        if not self._may_be_assigned():
            return None
        ended = await self._store.end_orphans(
            limit=BATCH, term=term, grace_us=self._grace_us, session_ttl_us=self._session_ttl_us
        )
        return self._went_on(ended, "shards.orphaned")

    async def time_out(self, term: int) -> float | None:
        until = self._believed_now()
        if until is None:
            return None
        moved = await self._store.time_out(
            self._judge,
            limit=BATCH,
            term=term,
            grace_us=self._grace_us,
            session_ttl_us=self._session_ttl_us,
            until=until,
        )
        return self._went_on(moved, "runs.timed_out")

    def _went_on(self, moved: int, event: str) -> float | None:
        if not moved:
            return None
        log.warning(event, runs=moved)
        self._on_moved()
        return 0 if moved >= BATCH else None


class Forgetting:
    """Old history goes, in small steps that never hold anything up (R12)."""

    def __init__(
        self,
        store: RunStore,
        believed_now: BelievedNow,
        *,
        keep_us: Micros = RETENTION,
        step_max: int = FORGET_STEP,
    ) -> None:
        self._store = store
        self._believed_now = believed_now
        self._keep_us = keep_us
        self._step_max = step_max
        self._after_id = 0

    async def forget(self, term: int) -> float | None:
        now = self._believed_now()
        if now is None:
            return None
        before = now - self._keep_us
        deleted, self._after_id = await self._store.forget(
            before=before, after_id=self._after_id, limit=self._step_max, term=term
        )
        if deleted:
            log.info("runs.forgotten", runs=deleted)
        return STEPS_APART_S if self._after_id else None  # at the end: from the oldest again at the next visit


class Repairing:
    """The watchdog of what must always be true."""

    def __init__(self, jobs: JobStore, runs: RunStore) -> None:
        self._jobs = jobs
        self._runs = runs

    async def repair(self, term: int) -> None:
        repaired = await self._jobs.repair(limit=BATCH, term=term)
        recounted = await self._runs.recount_limits(term=term)
        if repaired or recounted:
            log.warning("watchdog.repaired", cursors=repaired, limits=recounted)
