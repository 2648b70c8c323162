"""Skips: instants that were due and got no run, as the store keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass

from foliot.domain.instants import Instant
from foliot.domain.skips import SkipCause


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipRow:
    """A range of instants that got no run."""

    from_at: Instant
    to_at: Instant
    count: int
    reason: str
    why: str
    cause: SkipCause
    version: int
    decided_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSkip:
    """A range of instants that got no run, and whose they were."""

    id: int
    job: str
    namespace: str
    skip: SkipRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipFilter:
    """Which skips to list. Those that reach beyond `since` or `until` are among them."""

    namespace: str | None = None
    job: str | None = None
    reasons: frozenset[str] = frozenset()
    since: Instant | None = None
    until: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipPage:
    """Some skips, and where to go on; None: there are no more."""

    items: Sequence[JobSkip]
    next_before_id: int | None = None
