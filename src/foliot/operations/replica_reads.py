"""Reads from a replica while the store is away: whether it may be used, and how old its answers are.

A replica may be used when two things are known. It follows this store: its epoch was seen to be that of the store's
pulse, and no two stores have the same. And it had followed well: what it has seen is at most `LAG_MAX` older than the
last word of the store, so that tokens and grants that were taken away before that are gone here, too.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Final

import structlog

from foliot.domain.instants import MINUTE, SECOND, Instant, Micros
from foliot.operations.services import Services
from foliot.ports.store.errors import StoreBusy, StoreUnavailable
from foliot.ports.store.replica import Freshness, Replica

LAG_MAX: Final[Micros] = 5 * MINUTE
LOOK_LASTS_S: Final = 1.0
LOOK_WITHIN_S: Final = 3.0

log = structlog.get_logger("foliot.server")


class ReplicaReads:
    """The replica of one server, looked at again and again."""

    def __init__(
        self,
        replica: Replica,
        services: Services,
        *,
        heard: Callable[[], tuple[int, Instant] | None],
        is_away: Callable[[], bool],
    ) -> None:
        """`services`: over the replica. `heard`: epoch and time of the store's last pulse. `is_away`: it missed one."""
        self.services = services
        self.is_away = is_away
        self.answers = 0  # of this server, from the replica
        self._replica = replica
        self._heard = heard
        self._clock = services.clock
        self._is_ours = False  # it was seen to have the store's epoch
        self._looking: asyncio.Task[None] | None = None
        self._found: Freshness | None = None
        self._looked_at = float("-inf")
        self._unfit: str | None = "nobody looked yet"

    @property
    def age_s(self) -> int | None:
        """How old answers are at most, in whole seconds, by the last look; None: the replica is not fit."""
        if self._unfit is not None or self._found is None:
            return None
        since_s = self._clock.monotonic() - self._looked_at
        return math.ceil(self._found.age_us / SECOND + since_s)

    def load(self) -> dict[str, float]:
        """As a part of what the server's beat says of its load, so that every server can show it."""
        age_s = self.age_s
        return {"replica_fit": 0.0} if age_s is None else {"replica_fit": 1.0, "replica_age_s": float(age_s)}

    async def look(self) -> None:
        """Look how the replica is: those who ask together share a look, and one lasts for a second."""
        if self._clock.monotonic() - self._looked_at < LOOK_LASTS_S:
            return
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="replica")
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        before_at = self._clock.monotonic()
        try:
            async with asyncio.timeout(LOOK_WITHIN_S):
                found = await self._replica.freshness()
            unfit = self._why_unfit(found)
        except (StoreBusy, StoreUnavailable, TimeoutError) as error:
            found = None
            unfit = str(error) or "it does not answer"
        self._found = found
        self._looked_at = before_at
        self._learn(unfit)

    def _why_unfit(self, found: Freshness) -> str | None:
        heard = self._heard()
        if heard is None:
            return "the store has not been heard of yet"
        epoch, now = heard
        self._is_ours = self._is_ours or found.epoch == epoch
        if not self._is_ours:
            return "it was never seen to follow this store"
        if now - found.seen_at > LAG_MAX:
            return "it has fallen behind"
        return None

    def _learn(self, unfit: str | None) -> None:
        was, self._unfit = self._unfit, unfit
        if unfit is not None and unfit != was:
            log.warning("replica.unfit", why=unfit, hint="reads fail while the store is away")
        if unfit is None and was is not None:
            log.info("replica.fit", age_s=self.age_s)
