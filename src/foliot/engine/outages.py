"""Times without the store, as a leader knows them: what is late afterwards is being caught up, and was not silent."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from foliot.domain.failover import FailoverType
from foliot.domain.instants import DAY, MINUTE, SECOND, Instant, Micros
from foliot.ports.store.failovers import Failover, FailoverFilter, FailoverStore

KEPT_US: Final[Micros] = 31 * DAY
KEPT_MAX: Final = 100
LONG_US: Final[Micros] = 30 * SECOND
"""A shorter one is nobody's alert. What is late after it is caught up in no time."""
AFTER_LONG_US: Final[Micros] = 2 * MINUTE
CATCH_UP_MOST_US: Final[Micros] = 15 * MINUTE


class Outage(NamedTuple):
    """The store was away, or no server was there."""

    began_at: Instant
    back_at: Instant

    @property
    def lasted_us(self) -> Micros:
        return max(0, self.back_at - self.began_at)

    @property
    def caught_up_at(self) -> Instant:
        """Until then what waits may wait because of it: as long again as it lasted, and a little more."""
        slack = AFTER_LONG_US if self.lasted_us >= LONG_US else 0
        return self.back_at + min(self.lasted_us + slack, CATCH_UP_MOST_US)


LastOutage: TypeAlias = Callable[[], Outage | None]
"""What this server saw by itself, before anybody wrote it down."""


class Outages:
    """Those of the last weeks, without overlap, the oldest first."""

    def __init__(self) -> None:
        self._found: list[Outage] = []

    def copy(self) -> "Outages":
        """The same times."""
        other = Outages()
        other._found = list(self._found)
        return other

    async def read(self, store: FailoverStore, now: Instant) -> None:
        """What the leaders before this one knew: one statement."""
        wanted = FailoverFilter(types=frozenset({FailoverType.STORE_UNREACHABLE}), since=now - KEPT_US)
        self.learn_of((await store.list(wanted, limit=KEPT_MAX)).items)

    def learn_of(self, failovers: Iterable[Failover]) -> None:
        """The outages among these."""
        for one in failovers:
            if one.type is FailoverType.STORE_UNREACHABLE:
                away_us = int(one.evidence.get("away_us", 0))
                self.learn(Outage(min(one.began_at, one.last_at - away_us), one.last_at))

    def learn(self, outage: Outage | None) -> None:
        """One more, or the same as another server saw it."""
        if outage is None or outage in self._found:
            return
        merged: list[Outage] = []
        for one in sorted([*self._found, outage]):
            if merged and one.began_at <= merged[-1].back_at:
                merged[-1] = Outage(merged[-1].began_at, max(merged[-1].back_at, one.back_at))
            else:
                merged.append(one)
        self._found = merged[-KEPT_MAX:]

    def is_catching_up(self, now: Instant) -> bool:
        """Whether what waits now may wait because of an outage."""
        return any(one.began_at <= now < one.caught_up_at for one in self._found)

    @property
    def long_ones(self) -> list[Outage]:
        """Those in which a job may have missed its hour."""
        return [one for one in self._found if one.lasted_us >= LONG_US]

    def away_us(self, since: Instant, now: Instant) -> Micros:
        """How much of this time the store was away."""
        return sum(max(0, min(one.back_at, now) - max(one.began_at, since)) for one in self._found)
