"""Where a scan of an index begins (R9). The one home of this rule: nobody outside the store knows of it.

A row that moved on leaves a dead entry at the front of its index until the database cleans up, which an old snapshot
can hold up for long. A scan therefore begins a little below the least value that the last one saw. What is to be done
at once gets the present as its time, so it is not missed; and once a minute a scan looks at everything.
"""

from typing import Final

from foliot.domain.instants import SECOND, Instant, Micros

LOOK_BACK_US: Final[Micros] = 10 * SECOND
FULL_SCAN_EVERY_US: Final[Micros] = 60 * SECOND
NEVER: Final[Instant] = -(2**63)


class ScanBound:
    """The lower bound of one kind of scan. A hint: it only saves work."""

    def __init__(self) -> None:
        self.low: Instant = NEVER
        self._full_scan_at: Instant = NEVER

    def saw(self, least: Instant, now: Instant) -> None:
        """A scan at store time `now` saw nothing below `least`."""
        is_full_scan_due = now >= self._full_scan_at
        has_stepped_back = now < self._full_scan_at - FULL_SCAN_EVERY_US
        if is_full_scan_due or has_stepped_back:
            self._full_scan_at = now + FULL_SCAN_EVERY_US
            self.low = NEVER
        else:
            self.low = least - LOOK_BACK_US
