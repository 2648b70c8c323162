"""Resolutions of statistics: minutes are kept for days, hours for weeks, days for more than a year."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from foliot.domain.instants import DAY, HOUR, MINUTE, Instant, Micros

POINTS_MAX: Final = 1500
"""Points of one answer."""
POINTS_USUAL: Final = 200
"""Points of an answer whose resolution nobody chose, or a few more."""


class Resolution(IntEnum):
    """How long one point is. The numbers stand in the store."""

    MINUTE = 0
    HOUR = 1
    DAY = 2

    @property
    def word(self) -> str:
        """As users write it."""
        return self.name.lower()

    @property
    def length_us(self) -> Micros:
        """How long one point is."""
        return _LENGTHS[self]

    def start_of(self, at: Instant) -> Instant:
        """When the point begins that an instant belongs to. Days are those of UTC."""
        return at - at % self.length_us

    def starts(self, from_at: Instant, to_at: Instant) -> range:
        """When the points begin that [from, to) touches."""
        return range(self.start_of(from_at), to_at, self.length_us)


_LENGTHS: Final = {Resolution.MINUTE: MINUTE, Resolution.HOUR: HOUR, Resolution.DAY: DAY}

KEPT_US: Final[Mapping[Resolution, Micros]] = {
    Resolution.MINUTE: 2 * DAY,
    Resolution.HOUR: 60 * DAY,
    Resolution.DAY: 400 * DAY,
}
"""How long the points of each resolution are kept: the last are kept for 13 months."""


def usual_resolution(from_at: Instant, to_at: Instant, now: Instant) -> Resolution:
    """The finest resolution that is kept for the whole range and has not too many points in it."""
    for resolution in Resolution:
        is_kept = from_at >= now - KEPT_US[resolution]
        if is_kept and len(resolution.starts(from_at, to_at)) <= POINTS_USUAL:
            return resolution
    return Resolution.DAY
