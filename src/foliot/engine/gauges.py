"""Gauges: the leader reads some figures of the cluster for its metrics. Nobody's request costs the store anything.

A look at every job is taken once a minute at most, and rarer where it takes long: it never takes more than a
two-hundredth of the time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import structlog

from foliot.domain.metric_bounds import LIMITS_SHOWN
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.gauges import ClusterGauges, GaugeStore

EVERY_S: Final = 20.0
JOBS_EVERY_S: Final = 60.0
REST_OF_TOOK: Final = 200
KINDS_MAX: Final = 100

GaugesTold: TypeAlias = Callable[[int, ClusterGauges], None]
"""Called with a term and what was read."""

log = structlog.get_logger("foliot.engine")


class JobNames:
    """Which jobs the metrics want the names of, and where these are told."""

    def __init__(
        self,
        wanted: Callable[[], Sequence[int]] = tuple,
        learn: Callable[[Mapping[int, tuple[str, str]]], None] = lambda _names: None,
    ) -> None:
        self.wanted = wanted
        self.learn = learn


class GaugeReading:
    """A store that is busy or away is read at the next round."""

    def __init__(
        self,
        store: GaugeStore,
        clock: Clock,
        *,
        told: GaugesTold,
        names: JobNames,
        may_wait: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may_wait`: whether some run may be ready; if not, queues are not looked at."""
        self._store = store
        self._may_wait = may_wait
        self._clock = clock
        self._told = told
        self._names = names
        self._jobs: Mapping[str, int] = {}
        self._jobs_again_at = float("-inf")

    async def read(self, term: int) -> float | None:
        """One round under a term; how long to rest."""
        try:
            if self._clock.monotonic() >= self._jobs_again_at:
                await self._look_at_jobs()
            began_at = self._clock.monotonic()
            read = await self._store.read(self._jobs, kinds=KINDS_MAX if self._may_wait() else 0, limits=LIMITS_SHOWN)
            self._told(term, read)
            if wanted := self._names.wanted():
                self._names.learn(await self._store.names(wanted))
        except (StoreBusy, StoreUnavailable) as trouble:
            log.info("gauges.not_read", why=str(trouble))
            return None
        took_s = self._clock.monotonic() - began_at
        return max(EVERY_S, REST_OF_TOOK * took_s)

    async def _look_at_jobs(self) -> None:
        began_at = self._clock.monotonic()
        self._jobs = await self._store.jobs()
        ended_at = self._clock.monotonic()
        self._jobs_again_at = ended_at + max(JOBS_EVERY_S, REST_OF_TOOK * (ended_at - began_at))
