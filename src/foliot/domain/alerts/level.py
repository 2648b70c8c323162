"""How grave an alert is, and how far it is."""

from enum import StrEnum
from typing import Final


class AlertLevel(StrEnum):
    """How grave it is."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """More is graver."""
        return _RANKS[self]


_RANKS: Final = {AlertLevel.INFO: 0, AlertLevel.WARNING: 1, AlertLevel.CRITICAL: 2}


class AlertState(StrEnum):
    """How far it is."""

    PENDING = "pending"  # seen, but not yet for long enough or often enough: nobody is told
    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"  # a person looks after it: nobody is reminded, nothing is escalated
    RESOLVED = "resolved"

    @property
    def is_open(self) -> bool:
        """Whether the trouble goes on."""
        return self is not AlertState.RESOLVED
