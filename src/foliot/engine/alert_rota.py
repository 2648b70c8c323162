"""The rota of a leader's dear looks: each is had once a minute, and one in a round.

So a quiet round has one statement more than the cheap looks at most, however many kinds of rules there are. A look that
was never had, or that waited for long, is had at once, with all others of its kind: new rules are asked at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from foliot.domain.alerts.observation import Observation
from foliot.domain.instants import MINUTE, SECOND, Instant, Micros

EVERY_US: Final[Micros] = MINUTE - SECOND
LATE_US: Final[Micros] = 90 * SECOND
"""So long after the last time a look does not wait for its turn any more."""


class DearLook(NamedTuple):
    """Something that costs a statement, and what it shows: what it does not name is over."""

    name: str
    look: Callable[[Instant], Awaitable[Sequence[Observation]]]


class _Seen(NamedTuple):
    at: Instant
    observations: Sequence[Observation]


class Rota:
    """What each look brought last."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def forget(self) -> None:
        """All looks are had in the next round."""
        self._seen = {}

    async def go_on(self, looks: Sequence[DearLook], now: Instant, *, may_look: bool = True) -> list[Observation]:
        """Have the look whose turn it is, if this round may; what all of them brought last."""
        wanted = {one.name for one in looks}
        self._seen = {name: seen for name, seen in self._seen.items() if name in wanted}
        for one in self._due(looks, now, may_look=may_look):
            self._seen[one.name] = _Seen(now, tuple(await one.look(now)))
        return [observation for one in looks if one.name in self._seen for observation in self._seen[one.name][1]]

    def _due(self, looks: Sequence[DearLook], now: Instant, *, may_look: bool) -> list[DearLook]:
        waited = {one.name: self._waited_us(one, now) for one in looks}
        late = [one for one in looks if waited[one.name] >= LATE_US]
        if late or not may_look:
            return late
        due = [one for one in looks if waited[one.name] >= EVERY_US]
        return sorted(due, key=lambda one: -waited[one.name])[:1]

    def _waited_us(self, one: DearLook, now: Instant) -> Micros:
        """Since the last time. A clock that was put back makes no look wait for it."""
        seen = self._seen.get(one.name)
        return LATE_US if seen is None or seen.at > now else now - seen.at
