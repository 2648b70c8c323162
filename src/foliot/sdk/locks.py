"""`ctx.lock`: a run holds a lock of the cluster while its code is inside of `with` or `async with`.

The worker renews the lock with its heartbeat and gives it back when the run ends, whatever the end. A lock can be lost
all the same: when no server hears the worker for longer than the lock's ttl, or a person takes it away. `lock.lost`
says so; what the lock protects should refuse a token that is lower than one it has seen.
"""

import asyncio
from types import TracebackType
from typing import Final, Protocol, Self, runtime_checkable

import msgspec

from foliot.domain.errors import FoliotError
from foliot.domain.instants import Micros, parse_duration
from foliot.domain.locks import (
    LockBlocksLoop,
    LockDeadlock,
    LockNotGiven,
    LockQueueFull,
    LockTaken,
    LockWaitOver,
    NoLocksHere,
    TooManyLocks,
    check_lock_name,
    check_ttl,
    most_of,
)
from foliot.sdk.stop_signal import Cancelled

STOPPED: Final = "stopped"
TIMED_OUT: Final = "timed_out"
REFUSED: Final = "refused"


class LockWish(msgspec.Struct, frozen=True, kw_only=True):
    """The lock that a run wants."""

    name: str
    ttl_us: Micros
    wait_us: Micros | None = None  # None: as long as it takes; 0: not at all
    shared: bool = False
    slots: int = 1
    cancel_if_lost: bool = False


class LockOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: `held`, or why not."""

    state: str
    claim: str = ""
    token: int = 0
    why: str = ""
    trusted_until: float = 0.0  # by the worker's steady clock: until then it holds, if nothing renews it


@runtime_checkable
class LockPort(Protocol):
    """What a worker does for a run that wants a lock. Called from any thread of the handler."""

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        """Block until it is held, or will not be."""
        ...

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome: ...

    def leave_lock(self, claim: str) -> None:
        """Give it back; nothing waits for that."""
        ...

    def is_lock_lost(self, claim: str) -> bool: ...


class RunLock:
    """A lock of one run, held inside of `with` or `async with`."""

    __slots__ = ("_outcome", "_port", "_wish")

    def __init__(self, port: object, wish: LockWish) -> None:
        self._port = port
        self._wish = wish
        self._outcome: LockOutcome | None = None

    @property
    def name(self) -> str:
        return self._wish.name

    @property
    def token(self) -> int:
        """Rises with every grant of this lock: hand it to what you write to."""
        assert self._outcome is not None, "the lock is held inside of `with` alone"
        return self._outcome.token

    @property
    def lost(self) -> bool:
        """Whether another may hold the lock by now: stop what it protects."""
        return self._outcome is None or self._lock_port().is_lock_lost(self._outcome.claim)

    def __enter__(self) -> Self:
        if _in_event_loop():
            raise LockBlocksLoop(self._wish.name)
        self._outcome = _held(self._wish, self._lock_port().claim_lock(self._wish))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    async def __aenter__(self) -> Self:
        self._outcome = _held(self._wish, await self._lock_port().claim_lock_async(self._wish))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        outcome, self._outcome = self._outcome, None
        if outcome is not None:
            self._lock_port().leave_lock(outcome.claim)

    def _lock_port(self) -> LockPort:
        if not isinstance(self._port, LockPort):
            raise NoLocksHere
        return self._port


def lock_wish(
    name: str, *, ttl: float | str, wait: float | str | None, shared: bool, slots: int, cancel_if_lost: bool
) -> LockWish:
    """What a user wrote, checked where it was written."""
    most_of(shared=shared, slots=slots)
    return LockWish(
        name=check_lock_name(name),
        ttl_us=check_ttl(parse_duration(ttl)),
        wait_us=None if wait is None else parse_duration(wait),
        shared=shared,
        slots=slots,
        cancel_if_lost=cancel_if_lost,
    )


def _held(wish: LockWish, outcome: LockOutcome) -> LockOutcome:
    """The outcome of a lock that is held; else the error it stands for."""
    if outcome.state == "held":
        return outcome
    if outcome.state == STOPPED:
        raise Cancelled
    raise _refusal(wish, outcome)


def _refusal(wish: LockWish, outcome: LockOutcome) -> FoliotError:
    match outcome.state:
        case "taken":
            return LockTaken(wish.name)
        case "timed_out":
            return LockWaitOver(wish.name)
        case "broken":
            return LockDeadlock(wish.name, outcome.why)
        case "full":
            return LockQueueFull(wish.name)
        case "many":
            return TooManyLocks(wish.name)
    return LockNotGiven(wish.name, outcome.why or "the attempt is over")


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
