"""Silences: alerts that nobody is told of, until an instant and for a reason. They stand in the list all the same."""

from dataclasses import dataclass

from foliot.domain.alerts.rule import Subjects
from foliot.domain.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """What is silent. Empty patterns: everything of the namespace, or of the cluster."""

    id: int
    namespace: str | None  # None: of every namespace and of the cluster
    of: Subjects
    rule: str = ""  # a pattern
    alert_id: int | None = None  # this alert alone
    from_at: Instant
    until: Instant
    reason: str
    made_by: str
    ended_by: str = ""  # who ended it before its time
