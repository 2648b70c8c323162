"""Statistics: the leader counts each run that ended, once, and forgets figures that are too old.

It reads runs in the order of their ids, some time behind the newest one: ids are drawn before a run is committed, so
a smaller id may appear after a greater one. A run that has not ended when the leader passes it is left behind, and
looked at again. The figures and how far the leader came are written together, so nothing is counted twice.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from foliot.domain.instants import Instant, Micros
from foliot.domain.statistics.figures import EndedRun, FigureKey, Minutes, RunFigures, count, roll_up
from foliot.domain.statistics.resolution import KEPT_US, Resolution
from foliot.engine.upkeep import STEPS_APART_S, BelievedNow
from foliot.ports.clock import Clock
from foliot.ports.store.statistics import Counted, CountProgress, LeftPage, StatisticsStore

EVERY_S: Final = 15.0
BUSY_EVERY_S: Final = 60.0
"""After a round with many figures: later rounds then add more runs to each of them, for the same writes."""
BUSY_FIGURES: Final = 500
SETTLED_S: Final = 10.0
"""An id that was there so long ago has no smaller one still to come: a transaction ends within five seconds."""
PAGE: Final = 500
RUNS_MAX: Final = 100_000
"""Runs of one round."""
MINUTES_MAX: Final = 2000
"""Figures of minutes that a round gathers before it writes them: the leader's memory, and the store's transaction."""
AT_ONCE: Final = 100
"""Runs, or figures of minutes, that are counted in one go: about a millisecond. Firing and leasing wait meanwhile."""
LEFT_PAGES: Final = 4
"""Pages of left runs that a round looks at."""
FORGET_EVERY_S: Final = 600.0
FORGET_STEP: Final = 2000


CountTold: TypeAlias = Callable[[Mapping[FigureKey, RunFigures]], None]
"""Called with the minutes of runs that were counted, each run once in the whole cluster."""


class Counting:
    """Runs that ended become figures."""

    def __init__(
        self,
        store: StatisticsStore,
        clock: Clock,
        *,
        kept_us: Mapping[Resolution, Micros] = KEPT_US,
        on_counted: CountTold = lambda _minutes: None,
    ) -> None:
        self._store = store
        self._on_counted = on_counted
        self._clock = clock
        self._kept_us = kept_us
        self._settled_id = 0
        self._noted: tuple[float, int] | None = None  # when, by the monotonic clock, and which id was the newest

    async def count(self, term: int) -> float | None:
        """One round. It costs one statement when there is nothing to count."""
        seen = await self._store.progress()
        self._settle(seen.newest_id)
        if self._settled_id <= seen.counted_id and not seen.has_left:
            return None
        round_ = _Round(self._store, self._clock, seen)
        await round_.pass_runs(self._settled_id)
        if seen.has_left:
            await round_.look_at_the_left()
        figures = await self._rolled_up(round_.minutes, seen.now)
        counted = Counted(figures, round_.counted_id, round_.left, round_.gone)
        if not await self._store.add(seen, counted, term=term):
            return None  # another server counts by now, or did meanwhile
        self._on_counted(round_.minutes)
        if round_.has_more:
            return STEPS_APART_S
        return BUSY_EVERY_S if len(figures) > BUSY_FIGURES else None

    async def _rolled_up(self, minutes: Minutes, now: Instant) -> Mapping[FigureKey, RunFigures]:
        """What `figures.rolled_up` returns. Between two steps the server does other things."""
        sums: dict[FigureKey, RunFigures] = {}
        left = iter(minutes.items())
        while some := list(islice(left, AT_ONCE)):
            roll_up(sums, some, now=now, kept_us=self._kept_us)
            await _let_others_work(self._clock)
        return sums

    def _settle(self, newest_id: int) -> None:
        """Learn up to which id no run is still to come. By this server's own clock: the store's may be set."""
        now_s = self._clock.monotonic()
        if self._noted is not None:
            noted_s, noted_id = self._noted
            if now_s - noted_s < SETTLED_S:
                return
            self._settled_id = noted_id
        self._noted = (now_s, newest_id)


class _Round:
    """What one round reads. The leader's memory holds the figures, not the runs."""

    def __init__(self, store: StatisticsStore, clock: Clock, seen: CountProgress) -> None:
        self._store = store
        self._clock = clock
        self._now: Instant = seen.now
        self.counted_id = seen.counted_id
        self.minutes: Minutes = {}
        self.left: list[LeftPage] = []
        self.gone: list[int] = []
        self.has_more = False

    async def pass_runs(self, until_id: int) -> None:
        """Count the next runs, up to an id, or until there is enough for one round."""
        unended: list[int] = []
        for _ in range(RUNS_MAX // PAGE):
            if self.counted_id >= until_id:
                break
            passed = await self._store.passed(after_id=self.counted_id, until_id=until_id, limit=PAGE)
            await self._count(passed.ended)
            unended += passed.unended
            self.counted_id = passed.last_id
            if len(self.minutes) >= MINUTES_MAX:
                break
        self.has_more = self.counted_id < until_id
        self.left += _pages(unended, left_at=self._now)

    async def _count(self, ended: Sequence[EndedRun]) -> None:
        for first in range(0, len(ended), AT_ONCE):
            count(self.minutes, ended[first : first + AT_ONCE])
            await _let_others_work(self._clock)

    async def look_at_the_left(self) -> None:
        """Count those of the left runs that have ended since; those that retention took are nobody's any more."""
        pages = await self._store.left(limit=LEFT_PAGES)
        for page in pages:
            found = await self._store.found(page.run_ids)
            await self._count(found.ended)
            if found.unended:
                self.left.append(page._replace(run_ids=found.unended))
            else:
                self.gone.append(page.first_id)
        self.has_more |= len(pages) == LEFT_PAGES


async def _let_others_work(clock: Clock) -> None:
    """Give the other duties and requests of this server their turn."""
    await clock.wait(asyncio.Event(), for_s=0)


def _pages(unended: list[int], *, left_at: Instant) -> Iterable[LeftPage]:
    for first in range(0, len(unended), PAGE):
        run_ids = unended[first : first + PAGE]
        yield LeftPage(run_ids[0], run_ids, left_at)


class ForgettingFigures:
    """Old figures go, in small steps."""

    def __init__(
        self, store: StatisticsStore, believed_now: BelievedNow, *, kept_us: Mapping[Resolution, Micros] = KEPT_US
    ) -> None:
        self._store = store
        self._believed_now = believed_now
        self._kept_us = kept_us

    async def forget(self, term: int) -> float | None:
        now = self._believed_now()
        if now is None:
            return None
        has_more = False
        for resolution, kept_us in self._kept_us.items():
            has_more |= await self._store.forget(resolution, before=now - kept_us, limit=FORGET_STEP, term=term)
        return STEPS_APART_S if has_more else None
