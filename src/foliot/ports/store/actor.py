"""Who asks the store for a change."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks, and why."""

    name: str
    reason: str = ""
