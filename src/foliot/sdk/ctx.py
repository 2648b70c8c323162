"""`Ctx`: what a handler knows of its run and can say about it; `ctx()` finds it from deeper code."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sized
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol, TypeVar, overload
from zoneinfo import ZoneInfo

from foliot.domain.errors import ExecutionFailed, InvalidInput
from foliot.domain.instants import SECOND, Instant, parse_duration, to_datetime
from foliot.domain.job import DEFAULT_NAMESPACE
from foliot.domain.run import format_run_id
from foliot.ports.worker_link import LeasedRun
from foliot.sdk.checkpoint import Checkpoint
from foliot.sdk.locks import RunLock, lock_wish
from foliot.sdk.log import Level, Log
from foliot.sdk.shard import Shard
from foliot.sdk.stop_signal import Cancelled
from foliot.sdk.trace_context import enter_trace
from foliot.sdk.waits import Waits

T = TypeVar("T")
Note = str | Callable[[Any], str]


class CtxPort(Protocol):
    """Where a handler executes, as its `Ctx` sees it. Calls come from any thread of the handler, and never raise.

    `stop_signal.StopSignal` has what the three cancellation calls need.
    """

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        """Write one line; the log adds the time. `log.render` makes it text."""
        ...

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        """Called for every item: keep the latest, send it when it suits."""
        ...

    def save_checkpoint(self, document: str) -> None:
        """JSON text. Called often: keep the latest; it must be sent before the end of the attempt is reported."""
        ...

    def is_cancelled(self) -> bool:
        """Whether the run was asked to stop."""
        ...

    def wait_cancelled(self, timeout_s: float) -> bool:
        """Block until asked to stop or the time is over; True when asked."""
        ...

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        """The same for coroutines; None waits for ever."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CtxFacts:
    """What a run is, as far as its handler may know: of a leased run, the run itself says it."""

    run_id: int
    job: str
    due_at: Instant
    namespace: str = DEFAULT_NAMESPACE
    attempt: int = 1
    fence: int = 0
    shard: int = -1
    shards: int = 0
    checkpoint: str | None = None
    reason: str = ""
    tz: str = ""
    trace: str = ""


class Ctx:
    """One attempt of a run, from the inside. Injected wherever a handler's parameter is annotated with it.

    Stopping: when the run is asked to stop, `cancelled` turns true, the first `sleep` returns early, and each
    `track` loop hands out one more item, so that code which looks at `cancelled` can leave tidily. Code that does not
    look is stopped at the next `sleep` or item after that, by `Cancelled`.
    """

    __slots__ = ("_checkpoint", "_facts", "_port", "_sleep_was_cut", "_zone", "log", "shard")

    def __init__(self, facts: CtxFacts | LeasedRun, port: CtxPort) -> None:
        self._facts = facts
        self._port = port
        self._checkpoint: Checkpoint | None = None
        self._sleep_was_cut = False
        self._zone = "UTC"
        self.log: Final[Log] = Log(port.write_log)
        self.shard: Final[Shard] = Shard(max(facts.shard, 0), facts.shards) if facts.shards else _WHOLE

    @property
    def due(self) -> datetime:
        """The instant this run stands for, in the job's zone: not "now", so that reruns and backfills stay correct."""
        zone = UTC if self._zone == "UTC" else ZoneInfo(self._zone)  # an unknown one harms only who asks
        return to_datetime(self._facts.due_at).astimezone(zone)

    def in_zone(self, of_the_code: str) -> None:
        """Show times in the zone of the job's schedule; of one without, in the zone its code names."""
        self._zone = self._facts.tz or of_the_code

    @property
    def run_id(self) -> str:
        """The run's id as people see it: `r-8k2f`."""
        return format_run_id(self._facts.run_id)

    @property
    def job(self) -> str:
        """The job's name."""
        return self._facts.job

    @property
    def namespace(self) -> str:
        """The namespace of the job."""
        return self._facts.namespace

    @property
    def attempt(self) -> int:
        """Which try of the run this is, from 1."""
        return self._facts.attempt

    @property
    def reason(self) -> str:
        """Why the run was triggered, in the words of whoever did."""
        return self._facts.reason

    @property
    def traceparent(self) -> str:
        """The span that this attempt is, as W3C Trace Context writes it; empty: nobody follows the run by a trace."""
        return self._facts.trace

    @property
    def fencing_token(self) -> int:
        """Rises with every attempt: hand it to what you write to, so that it can refuse an old attempt's late write."""
        return self._facts.fence

    @property
    def checkpoint(self) -> Checkpoint:
        """What earlier attempts of this run saved, and where to save for later ones."""
        if self._checkpoint is None:
            self._checkpoint = Checkpoint(self._port.save_checkpoint, self._facts.checkpoint)
        return self._checkpoint

    @property
    def waits(self) -> Waits:
        """How a handler waits for another system without a slot."""
        return Waits(self._port)

    def lock(
        self,
        name: str,
        *,
        ttl: float | str = "1m",
        wait: float | str | None = None,
        shared: bool = False,
        slots: int = 1,
        cancel_if_lost: bool = False,
    ) -> RunLock:
        """Hold a lock of the namespace: `with ctx.lock("acct:42") as lock`, in coroutines `async with`.

        `wait`: at most this long, then `LockWaitOver`; 0: not at all, then `LockTaken`; None: as long as it takes.
        `shared`: any number of shared owners; `slots`: this many owners. `cancel_if_lost`: end the run with an error.
        """
        wish = lock_wish(name, ttl=ttl, wait=wait, shared=shared, slots=slots, cancel_if_lost=cancel_if_lost)
        return RunLock(self._port, wish)

    @property
    def cancelled(self) -> bool:
        """Whether the run was asked to stop: leave tidily."""
        return self._port.is_cancelled()

    async def stop_asked(self) -> None:
        """Wait until the run is asked to stop."""
        await self._port.wait_cancelled_async(None)

    def progress(self, done: int, total: int | None = None, note: str = "") -> None:
        """Say how far the run is."""
        self._port.report_progress(done, total, note)

    @overload
    def track(self, items: Iterable[T], *, note: Note = "", total: int | None = None) -> Iterator[T]: ...
    @overload
    def track(self, items: AsyncIterable[T], *, note: Note = "", total: int | None = None) -> AsyncIterator[T]: ...
    def track(
        self, items: Iterable[T] | AsyncIterable[T], *, note: Note = "", total: int | None = None
    ) -> Iterator[T] | AsyncIterator[T]:
        """Go through the items and report progress after each. `note` is a text, or makes one of the item at work."""
        if total is None and isinstance(items, Sized):
            total = len(items)
        if isinstance(items, AsyncIterable):
            return self._track_async(items, note, total)
        return self._track(items, note, total)

    def sleep(self, duration: float | str) -> bool:
        """Block for so long or until asked to stop; True when slept whole. In `async def` use `sleep_async`."""
        seconds = parse_duration(duration) / SECOND
        if _in_event_loop():
            raise SleepBlocksLoop(duration)
        self._stop_if_told_before()
        if self._port.wait_cancelled(seconds):
            self._sleep_was_cut = True
        return not self._sleep_was_cut

    async def sleep_async(self, duration: float | str) -> bool:
        """`sleep` for `async def` handlers."""
        seconds = parse_duration(duration) / SECOND
        self._stop_if_told_before()
        if await self._port.wait_cancelled_async(seconds):
            self._sleep_was_cut = True
        return not self._sleep_was_cut

    def _stop_if_told_before(self) -> None:
        if self._sleep_was_cut:
            raise Cancelled

    def _track(self, items: Iterable[T], note: Note, total: int | None) -> Iterator[T]:
        done, told = 0, False
        for item in items:
            self.progress(done, total, _note(note, item))
            if told:
                raise Cancelled
            told = self.cancelled
            yield item
            done += 1
        self.progress(done, total, "")

    async def _track_async(self, items: AsyncIterable[T], note: Note, total: int | None) -> AsyncIterator[T]:
        done, told = 0, False
        async for item in items:
            self.progress(done, total, _note(note, item))
            if told:
                raise Cancelled
            told = self.cancelled
            yield item
            done += 1
        self.progress(done, total, "")


class OutsideRun(ExecutionFailed):
    """`foliot.ctx()` was called where no run is."""

    code = "FOL-6010"

    def __init__(self) -> None:
        super().__init__(
            "foliot.ctx() was called outside of a run.",
            hint="call it from code that a job calls; in tests go through foliot.testing.run_inline",
        )


class SleepBlocksLoop(InvalidInput):
    """`ctx.sleep` in an async handler would stop every other run of the worker."""

    code = "FOL-1073"

    def __init__(self, duration: float | str) -> None:
        super().__init__(
            "ctx.sleep blocks, and this is an async function: every other run of the worker would wait.",
            hint=f"await ctx.sleep_async({duration!r})",
        )


def ctx() -> Ctx:
    """The Ctx of the run this code is part of; `OutsideRun` when it is part of none."""
    found = _current.get(None)
    if found is None:
        raise OutsideRun
    return found


class current:  # noqa: N801  read as a verb: with current(ctx)
    """Make `ctx()` find this Ctx."""

    __slots__ = ("_ctx", "_leave_trace", "_token")

    def __init__(self, value: Ctx) -> None:
        self._ctx = value

    def __enter__(self) -> None:
        self._token = _current.set(self._ctx)
        trace = self._ctx.traceparent
        self._leave_trace = enter_trace(trace) if trace else None

    def __exit__(self, *_: object) -> None:
        if self._leave_trace is not None:
            self._leave_trace()
        _current.reset(self._token)


def _note(note: Note, item: object) -> str:
    return note if isinstance(note, str) else str(note(item))


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_current: ContextVar[Ctx] = ContextVar("foliot_ctx")
_WHOLE: Final = Shard()
