"""Retry: whether a failed attempt is followed by another, and when."""

from dataclasses import dataclass, field
from enum import StrEnum

from foliot.domain.instants import MINUTE, SECOND, Micros


class BackoffKind(StrEnum):
    """How the pause before the next attempt grows."""

    FIXED = "fixed"
    EXPONENTIAL = "exponential"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The pause before attempt n + 1: fixed, doubling up to a cap, or listed one by one (the last repeats)."""

    kind: BackoffKind = BackoffKind.EXPONENTIAL
    first_us: Micros = 10 * SECOND
    cap_us: Micros = 10 * MINUTE
    delays_us: tuple[Micros, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """At most `max` retries after errors and timeouts; lost workers are counted apart (`max_lost`)."""

    max: int = 0
    backoff: Backoff = field(default_factory=Backoff)
    jitter: bool = True
    on: tuple[str, ...] = ()  # names of error types; empty = any
    budget_per_hour: int | None = None  # retries of the whole job; beyond it runs fail at once
