"""Clocks that differ: how far a node's is off, and whether the store's own can be believed (R7, C1, C2).

Store time decides; what nodes believe is only compared with it. Each server says how far store time has run ahead of
its own reckoning by the boot-time clock, each session how far its wall clock is from store time. A wall clock may raise
an alarm, and never says what is due.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from foliot.domain.instants import SECOND, Instant, Micros

STEP_US: Final[Micros] = 5 * SECOND
"""A step of the store's clock worth minding, and an offset of a node's worth a warning."""
APART_US: Final[Micros] = 30 * SECOND
"""A median offset of the nodes beyond which the store's clock is in doubt."""
WITNESSES_MIN: Final = 3
"""With fewer there is no majority worth the name: an alarm in the log, and nothing more."""


class ClockDoubt(NamedTuple):
    """The store's clock jumped ahead: which runs, due by that clock, are due indeed (R7).

    A run whose row was written since the jump goes by the clock as it is now. Any other run goes by `believed`.
    """

    believed: Instant  # the time that this server believes in
    good_until: Instant  # a store time after what was written before the jump, and before what was written since
    landed: Instant  # where the clock came out, or somewhat earlier: no start that was set since lies before it


class Offset:
    """How far this machine's wall clock is ahead of the store's; negative: behind. Shown, never decided by (C2)."""

    def __init__(self) -> None:
        self.us: Micros | None = None  # None: not measured yet
        self.is_off = False

    def learn(self, wall: Instant, store_now: Instant) -> bool:
        """Take in a reading of both; whether it is news that the clock is off, or no longer is."""
        self.us = wall - store_now
        was_off, self.is_off = self.is_off, abs(self.us) > STEP_US
        return was_off != self.is_off


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be thought of the store's clock."""

    suspect: bool
    ahead_us: Micros = 0  # so far its time has run ahead of the one most servers believe in


def judged(leads: Sequence[Micros], offsets: Sequence[Micros], *, trusted_us: Micros = 0) -> Verdict | None:
    """The verdict; None: opinions are divided and it stays as it is.

    `leads`: store time's over the reckoning of each live server that watched it; one that was only told of a lead says
    nothing. `offsets`: of the wall clocks of live sessions.
    `trusted_us`: their median when a person last said that the store's clock is right.
    """
    ahead = sorted(lead for lead in leads if lead > STEP_US)
    if len(leads) >= WITNESSES_MIN and 2 * len(ahead) > len(leads):
        return Verdict(suspect=True, ahead_us=ahead[len(ahead) // 2])
    if not leads:  # all who saw it are gone: the wall clocks may end a doubt, and know nothing of a lead
        return (
            Verdict(suspect=False)
            if len(offsets) >= WITNESSES_MIN and not is_apart(median(offsets), trusted_us)
            else None
        )
    if len(offsets) >= WITNESSES_MIN and is_apart(median(offsets), trusted_us):
        alike = [lead for lead in ahead if abs(lead + median(offsets)) <= APART_US]  # saw what the wall clocks show
        return Verdict(suspect=True, ahead_us=median(alike) if alike else max(0, median(leads)))
    if 2 * len(ahead) < len(leads):
        return Verdict(suspect=False)
    return None


def is_apart(offset_us: Micros, trusted_us: Micros = 0) -> bool:
    """Whether an offset is neither about none nor about the one that was trusted."""
    return min(abs(offset_us), abs(offset_us - trusted_us)) > APART_US


def median(values: Sequence[Micros]) -> Micros:
    """The middle one (the upper of two); 0 of none."""
    return sorted(values)[len(values) // 2] if values else 0
