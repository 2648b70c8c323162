"""Anomalies: once an hour the leader judges every job against its own baseline, a page of jobs at a time.

It judges an hour when every run that was there at its end is counted: figures that are still to come would look like
silence. How far it came stands in the store, so the next leader goes on there, and no page is judged twice.

A step has at most three statements, whatever it finds: a page is read by one and kept by two.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import structlog

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.domain.anomalies.course import course
from foliot.domain.anomalies.history import JobHistory, Usual
from foliot.domain.instants import DAY, HOUR, MINUTE, Instant, Micros
from foliot.domain.statistics.resolution import Resolution
from foliot.engine.upkeep import STEPS_APART_S, BelievedNow
from foliot.ports.store.anomalies import ALL_JOBS, JudgingPage, JudgingProgress
from foliot.ports.store.statistics import StatisticsStore

EVERY_S: Final = 60.0
SETTLED_US: Final[Micros] = 5 * MINUTE
"""After the end of an hour: a run that ended in it and took long is looked at again in this time."""
PAGE: Final = 500
"""Jobs that are judged at a time: the leader's memory."""
EXCUSE_US: Final[Micros] = 6 * HOUR
ALONE_MAX: Final = 20
ALONE_SHARE: Final = 3
"""When more jobs than these, and more than a third of the page, fall silent together, it is not the jobs."""
KEPT_US: Final[Micros] = 400 * DAY
FORGET_STEP: Final = 1000

AnomaliesTold: TypeAlias = Callable[[Sequence[Anomaly]], None]
"""Called with anomalies that began, and with those that ended (`ended_at`), after they are kept."""

log = structlog.get_logger("foliot.engine")


@dataclass(slots=True)
class _Found:
    """What a page changed."""

    opened: list[Anomaly] = field(default_factory=list)
    changed: list[Anomaly] = field(default_factory=list)
    ended: list[Anomaly] = field(default_factory=list)


class Judging:
    """Jobs are compared with what is usual for them."""

    def __init__(
        self,
        store: StatisticsStore,
        believed_now: BelievedNow,
        *,
        on_anomalies: Sequence[AnomaliesTold],
        page: int = PAGE,
    ) -> None:
        self._store = store
        self._believed_now = believed_now
        self._on_anomalies = on_anomalies
        self._page = page
        self._done_at: Instant = 0  # the last hour that this server knows to be judged
        self._awaited: tuple[Instant, int] | None = (
            None  # an hour, and the run that must be counted before it is judged
        )
        self._counted_at: Instant = 0  # the last hour whose runs are known to be counted
        self._left: tuple[int, JudgingProgress] | None = None  # a term, and where this server came to in it

    async def judge(self, term: int) -> float | None:
        """One page. It costs no statement when the last hour is judged."""
        now = self._believed_now()
        if now is None:
            return None
        hour_at = Resolution.HOUR.start_of(now - SETTLED_US) - HOUR
        if hour_at == self._done_at:
            return None
        if hour_at != self._counted_at:
            return STEPS_APART_S if await self._is_counted(hour_at) else None
        if self._left is None or self._left[0] != term:
            self._left = (term, await self._begun(hour_at, term))
            return STEPS_APART_S
        seen = self._left[1]
        after_id = seen.after_id if seen.hour_at == hour_at else 0
        if after_id >= ALL_JOBS:
            self._done_at = hour_at
            return None
        page = await self._store.judging_page(
            hour_at, after_id=after_id, limit=self._page, excused_since=hour_at - EXCUSE_US
        )
        found = await asyncio.to_thread(judged, page, hour_at)
        reached = ALL_JOBS if page.is_last else page.jobs[-1].job_id
        is_kept = await self._store.keep_course(
            seen, hour_at=hour_at, after_id=reached, opened=found.opened, changed=found.changed, term=term
        )
        self._left = None
        if is_kept:
            self._left = (term, JudgingProgress(seen.ver + 1, hour_at, reached))
            self._tell(found)
        return STEPS_APART_S

    async def _begun(self, hour_at: Instant, term: int) -> JudgingProgress:
        """Where judging stands. Between its own pages a leader knows it; its version says if another went on."""
        seen = await self._store.judging_progress()
        if not seen.ver:  # the first time of this store: the row of progress is made without a page
            await self._store.keep_course(seen, hour_at=hour_at, after_id=0, opened=(), changed=(), term=term)
            seen = JudgingProgress(1, hour_at, 0)
        return seen

    async def _is_counted(self, hour_at: Instant) -> bool:
        """Whether statistics have every run that was there when this hour was over. An hour stays counted."""
        progress = await self._store.progress()
        if self._awaited is None or self._awaited[0] != hour_at:
            self._awaited = (hour_at, progress.newest_id)
        if progress.counted_id < self._awaited[1]:
            return False
        self._counted_at = hour_at
        return True

    def _tell(self, found: _Found) -> None:
        for one in found.opened:
            log.warning("anomaly.seen", job=one.job, namespace=one.namespace, kind=str(one.kind), facts=dict(one.facts))
        if found.opened or found.ended:
            for told in self._on_anomalies:
                told([*found.opened, *found.ended])


def judged(page: JudgingPage, hour_at: Instant) -> _Found:
    """Judge every job of a page. It takes long: call it beside the event loop.

    Silence that a calendar, a blackout or a pause explains is left out, and that of a whole cluster.
    """
    found = _Found()
    today = Resolution.DAY.start_of(hour_at)
    silent: set[int] = set()
    for job in page.jobs:
        history = JobHistory(
            job_id=job.job_id,
            hour_at=hour_at,
            hours=page.hours.get(job.job_id, {}),
            usual=Usual(page.days.get(job.job_id, {}), today),
            is_active=job.is_active,
            is_scheduled=job.is_scheduled,
            since_at=job.since_at,
        )
        made = course(history, page.open.get(job.job_id, ()))
        opened = [one for one in made.opened if one.kind is not AnomalyKind.SILENCE or not job.is_excused]
        silent |= {one.job_id for one in opened if one.kind is AnomalyKind.SILENCE}
        found.opened += [replace(one, namespace=job.namespace, job=job.name) for one in opened]
        found.ended += [replace(one, namespace=job.namespace, job=job.name) for one in made.ended]
        found.changed += [*made.continued, *made.ended]
    if len(silent) > max(ALONE_MAX, len(page.jobs) // ALONE_SHARE):
        log.warning("anomalies.all_silent", jobs=len(silent), hour_at=hour_at)
        found.opened = [one for one in found.opened if one.kind is not AnomalyKind.SILENCE]
    return found


class ForgettingAnomalies:
    """Old anomalies go, in small steps."""

    def __init__(self, store: StatisticsStore, believed_now: BelievedNow) -> None:
        self._store = store
        self._believed_now = believed_now

    async def forget(self, term: int) -> float | None:
        now = self._believed_now()
        if now is None:
            return None
        gone = await self._store.forget_anomalies(before=now - KEPT_US, limit=FORGET_STEP, term=term)
        return STEPS_APART_S if gone >= FORGET_STEP else None
