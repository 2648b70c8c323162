"""What every way of saying "when" can answer."""

from typing import Final, Protocol

from foliot.domain.instants import SECOND, Instant
from foliot.domain.schedule.zones import HORIZON_S

# Due instants lie in [0, HORIZON): from 1970 to the end of 2199, in UTC. Searches end there, so every one is bounded.
HORIZON: Final[Instant] = HORIZON_S * SECOND


class Trigger(Protocol):
    """One way of saying when: a set of due instants on whole seconds."""

    def next_after(self, instant: Instant) -> Instant | None:
        """The least due instant after this one; None means never again."""
        ...

    def previous_before(self, instant: Instant) -> Instant | None:
        """The greatest due instant before this one; None means never before."""
        ...

    def count_between(self, after: Instant, until: Instant) -> int:
        """How many due instants lie in (after, until]; the work never grows with their number."""
        ...

    def due_mask(self, day: int) -> int:
        """The due seconds of one UTC day (numbered from the epoch) as a bit mask, so that unions can be counted."""
        ...
