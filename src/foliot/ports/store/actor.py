"""Who asks the store for a change."""

from dataclasses import dataclass

from foliot.domain.texts import ACTOR_BYTES_MAX, REASON_BYTES_MAX, is_kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who asks, and why."""

    name: str
    reason: str = ""

    def __post_init__(self) -> None:
        assert is_kept(self.name, ACTOR_BYTES_MAX), self
        assert is_kept(self.reason, REASON_BYTES_MAX), self
