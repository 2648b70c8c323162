"""A forecast of slots: how many of them what is due will keep busy, minute by minute."""

from itertools import accumulate
from typing import Final

from foliot.domain.instants import MINUTE, Instant, Micros

RESERVE: Final = 0.3
"""The part of the slots of a group that stays free when all goes well: for triggers, retries and lost workers."""


class SlotForecast:
    """The minutes from `begin` until `until`, both whole minutes."""

    def __init__(self, begin: Instant, until: Instant) -> None:
        self._begin = begin
        count = max(1, (until - begin) // MINUTE)
        self._end = begin + count * MINUTE
        self._partly: list[Micros] = [0] * count  # by runs that begin or end in the minute
        self._wholly = [0] * (count + 1)  # how many more runs last for this whole minute than for the one before

    def add(self, at: Instant, lasts_us: Micros) -> None:
        """A run that is due at an instant of these minutes and keeps a slot for so long."""
        first = (at - self._begin) // MINUTE
        end = min(at + lasts_us, self._end)
        last = (end - self._begin) // MINUTE
        if first == last:
            self._partly[first] += end - at
            return
        self._partly[first] += self._begin + (first + 1) * MINUTE - at
        self._wholly[first + 1] += 1
        self._wholly[last] -= 1
        if last < len(self._partly):
            self._partly[last] += end - self._begin - last * MINUTE

    def slots(self) -> dict[Instant, float]:
        """How many slots are busy in each minute, on average."""
        lasting = accumulate(self._wholly)
        busy = [whole + part / MINUTE for whole, part in zip(lasting, self._partly, strict=False)]
        return {self._begin + nth * MINUTE: slots for nth, slots in enumerate(busy)}


def is_short(needs: float, slots: int) -> bool:
    """Whether a forecast leaves less of the slots free than the reserve."""
    return needs > slots * (1 - RESERVE)
