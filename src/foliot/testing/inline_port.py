"""What a run writes, reports and sleeps when it is executed inline: kept for the test, on time of its own."""

import asyncio
import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TextIO

import msgspec

from foliot.domain.instants import SECOND, parse_duration
from foliot.sdk.locks import LockOutcome, LockWish
from foliot.sdk.log import Level, render
from foliot.sdk.stop_signal import StopSignal
from foliot.worker.capture import records_taken


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of an inline run. Printed text has level OUT or ERR and no fields."""

    level: str
    event: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.level}  {render(self.event, self.fields)}"


class InlinePort:
    """`sdk.ctx.CtxPort` for a test: sleeping takes no time, cancelling comes when the test said.

    `cancel_after`: a number of items done (`ctx.track`, `ctx.progress`), or a duration slept (`"30s"`).
    """

    def __init__(self, cancel_after: int | str | timedelta | None = None) -> None:
        self.lines: list[LogLine] = []
        self.progress: tuple[int, int | None, str] | None = None
        self.checkpoint: dict[str, Any] = {}
        self.slept_s = 0.0
        self.locks: list[str] = []  # names, as they were taken
        self._stop = StopSignal()
        self._cancel_at_done = cancel_after if isinstance(cancel_after, int) else None
        self._cancel_at_s = (
            None if cancel_after is None or isinstance(cancel_after, int) else parse_duration(cancel_after) / SECOND
        )
        if self._cancel_at_done == 0 or self._cancel_at_s == 0:
            self._stop.ask()

    def write_log(self, level: Level, event: str, fields: Mapping[str, Any]) -> None:
        self.lines.append(LogLine(level.value, event, dict(fields)))

    def report_progress(self, done: int, total: int | None, note: str) -> None:
        self.progress = (done, total, note)
        if self._cancel_at_done is not None and done >= self._cancel_at_done:
            self._stop.ask()

    def save_checkpoint(self, document: str) -> None:
        self.checkpoint = msgspec.json.decode(document)

    def claim_lock(self, wish: LockWish) -> LockOutcome:
        """Every lock is free in a test; tokens rise."""
        self.locks.append(wish.name)
        return LockOutcome(state="held", claim=str(len(self.locks)), token=len(self.locks))

    async def claim_lock_async(self, wish: LockWish) -> LockOutcome:
        return self.claim_lock(wish)

    def leave_lock(self, claim: str) -> None:
        """Nobody else wants it."""

    def is_lock_lost(self, claim: str) -> bool:
        return False

    def is_cancelled(self) -> bool:
        return self._stop.is_asked

    def wait_cancelled(self, timeout_s: float) -> bool:
        if not self._stop.is_asked:
            self._sleep(timeout_s)
        return self._stop.is_asked

    async def wait_cancelled_async(self, timeout_s: float | None) -> bool:
        if timeout_s is None:
            return await self._stop.wait_async()
        cancelled = self.wait_cancelled(timeout_s)
        turn = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(turn.set_result, None)
        await turn  # others get their turn, as in a real sleep
        return cancelled

    def _sleep(self, seconds: float) -> None:
        until = self.slept_s + seconds
        if self._cancel_at_s is not None and until >= self._cancel_at_s:
            until = max(self.slept_s, self._cancel_at_s)
            self._stop.ask()
        self.slept_s = until

    @contextmanager
    def capturing(self) -> Iterator[None]:
        """`print`, standard error and `logging` become lines too; what is printed is still printed."""
        import sys

        with ExitStack() as stack:
            stack.enter_context(redirect_stdout(_Tee(sys.stdout, self.lines, "OUT")))
            stack.enter_context(redirect_stderr(_Tee(sys.stderr, self.lines, "ERR")))
            stack.enter_context(records_taken(self._take_record))
            yield

    def _take_record(self, level: str, text: str) -> bool:
        self.lines.append(LogLine(level, text, {}))
        return True


class _Tee(io.TextIOBase):
    """Writes on, and keeps each line."""

    def __init__(self, behind: TextIO, lines: list[LogLine], level: str) -> None:
        self._behind = behind
        self._lines = lines
        self._level = level
        self._rest = ""

    def write(self, text: str) -> int:
        *whole, self._rest = (self._rest + text).split("\n")
        self._lines.extend(LogLine(self._level, line, {}) for line in whole)
        return self._behind.write(text)

    def flush(self) -> None:
        if self._rest:
            self._lines.append(LogLine(self._level, self._rest, {}))
            self._rest = ""
        self._behind.flush()

    def writable(self) -> bool:
        return True
