"""Callbacks: addresses where a system says how far the work of a waiting attempt is, and how it ended."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from foliot.domain.instants import Instant
from foliot.domain.verdict import Judge
from foliot.ports.worker_link import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCallback:
    """A callback for one attempt."""

    id: str
    key_hash: str  # `domain.callbacks.key_of` its token
    session: str
    run_id: int
    lease_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """A callback as it is kept."""

    id: str
    key_hash: str
    session: str
    run_id: int
    lease_id: str
    made_at: Instant
    is_cancelled: bool  # somebody has asked the run to stop
    namespace: str
    job: str
    now: Instant


class CallbackLanding(StrEnum):
    """What came of a message."""

    RECORDED = "recorded"
    ALREADY = "already"  # the same end came before
    OTHERWISE = "otherwise"  # another end came before
    OVER = "over"  # the attempt is over, and no callback ended it
    REPLAYED = "replayed"  # a word about progress that is not newer than the last


class CallbackStore(Protocol):
    """One for each attempt that asks for it. A callback counts while the attempt has its lease."""

    async def open(self, new: NewCallback) -> bool:
        """Keep it in place of an earlier one of the attempt; False: the lease is not the session's any more."""
        ...

    async def find(self, callback_id: str) -> Callback | None: ...

    async def progress(self, callback: Callback, progress: str, *, said_at: Instant | None) -> CallbackLanding:
        """Keep a word about progress (JSON text). `said_at`: its signed time, which must rise; None: not signed."""
        ...

    async def end(self, callback: Callback, report: Report, judge: Judge, *, end_hash: str) -> CallbackLanding:
        """End the attempt as the report says, as if its worker had reported it, in one transaction (S5).

        `end_hash`: of what was sent, so that the same end is told from another.
        """
        ...
