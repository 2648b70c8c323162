"""How long nobody led: each server sees it in its pulses, and the next leader tells of it."""

from typing import Final

from foliot.domain.instants import DAY, Micros
from foliot.ports.store.firing import Pulse

GAP_MAX_US: Final[Micros] = 7 * DAY
"""A store that was off for longer had no leader to lose."""


class LeaderGap:
    """The last time without a leader."""

    def __init__(self) -> None:
        self._gap_us: Micros = 0

    def heard(self, pulse: Pulse) -> None:
        """A lease that has run out and that nobody took: nobody leads."""
        if 0 < pulse.leader_until < pulse.now:
            self._gap_us = pulse.now - pulse.leader_until

    def taken(self) -> Micros:
        """The time without a leader before now, once; 0: there was none."""
        gap_us, self._gap_us = self._gap_us, 0
        return gap_us if gap_us <= GAP_MAX_US else 0
