"""Misfire: what happens to instants that were not decided in time (outage, pause of a machine, clock step)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from foliot.domain.instants import HOUR, SECOND, Micros

MISFIRE_AFTER: Final[Micros] = 60 * SECOND
CATCH_UP_MAX: Final = 1000


class MisfireMode(StrEnum):
    """Which of the late instants still get a run."""

    LATEST = "latest"
    ALL = "all"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfire:
    """Too late. Instants older than MISFIRE_AFTER follow `mode`; those outside `within` or `limit` become one skip."""

    mode: MisfireMode = MisfireMode.LATEST
    within_us: Micros = HOUR
    limit: int = CATCH_UP_MAX
