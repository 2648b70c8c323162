"""Misfire: what happens to instants that were not decided in time (outage, pause of a machine, clock step)."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from foliot.domain.instants import DAY, HOUR, SECOND, Micros, parse_duration

MISFIRE_AFTER: Final[Micros] = 60 * SECOND
CATCH_UP_MAX: Final = 1000
WITHIN_MAX: Final[Micros] = 3660 * DAY


class MisfireMode(StrEnum):
    """Which of the late instants still get a run."""

    LATEST = "latest"
    ALL = "all"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfire:
    """Too late. Instants older than MISFIRE_AFTER follow `mode`; those outside `within` or `limit` become one skip.

    Younger ones are on time and run, whatever the mode and however many older ones were missed.
    """

    mode: MisfireMode = MisfireMode.LATEST
    within_us: Micros = HOUR
    limit: int = CATCH_UP_MAX


def latest(within: str | float | timedelta = "1h") -> Misfire:
    """Of the missed instants the newest gets a run if it is not older than `within`, and if none is on time."""
    return Misfire(mode=MisfireMode.LATEST, within_us=parse_duration(within))


def all(within: str | float | timedelta = "1h", limit: int = CATCH_UP_MAX) -> Misfire:  # noqa: A001  the word of job files
    """Every instant missed in the last `within` still gets a run, the newest `limit` of them."""
    return Misfire(mode=MisfireMode.ALL, within_us=parse_duration(within), limit=limit)


skip: Final = Misfire(mode=MisfireMode.SKIP)
"""What was missed is left out and said so."""
