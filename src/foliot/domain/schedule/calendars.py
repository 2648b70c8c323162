"""Named calendars: which days count, and which stretches are closed."""

from dataclasses import dataclass
from typing import Final, Literal

from foliot.domain.instants import Instant


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a calendar says about one instant: allowed, or ruled out for a reason."""

    reason: Literal["calendar", "blackout"] | None = None
    why: str = ""

    @property
    def is_allowed(self) -> bool:
        return self.reason is None


ALLOWED: Final = Ruling()


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A named set of allowed days and closed stretches."""

    name: str

    def ruling(self, instant: Instant) -> Ruling:
        """Whether a job may run at this instant."""
        return ALLOWED
