"""Maintenance: for a while no server decides; everything else goes on."""

from dataclasses import dataclass
from typing import Final

from foliot.domain.instants import Instant

FOR_EVER: Final[Instant] = 2**62
"""As the end of a maintenance in the store: it lasts until somebody ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """A time in which no instant is decided and no run is leased."""

    since: Instant
    until: Instant | None  # None: until somebody ends it
    by: str
    reason: str
