"""The reader of a run's log: all of it, its tail, or as it comes.

A position is an attempt and an offset in bytes within it; a line is given out once its end is there (or once the run is
over), so a reader that comes back with the last position misses nothing and gets nothing twice.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from foliot.domain.access import Principal
from foliot.domain.run import LIVE, RunState
from foliot.operations.names import find_run
from foliot.operations.services import Services
from foliot.ports.store.lookups import RunRow
from foliot.ports.worker_link import LogChunk

LOOK_EVERY_S: Final = 0.25
QUIET_S: Final = 15.0
LINE_BYTES_MAX: Final = 64 * 1024
LINE_BYTES_USUAL: Final = 200  # how far back a reader begins for each line that is wanted
REACH_GROWS: Final = 4


class Position(NamedTuple):
    """Where in a log the next line begins."""

    attempt: int
    offset: int

    def __str__(self) -> str:
        return f"{self.attempt}:{self.offset}"

    @classmethod
    def of(cls, written: str) -> "Position | None":
        """Read a position; None for what is none."""
        attempt, _, offset = written.partition(":")
        if not (attempt.isascii() and attempt.isdigit() and offset.isascii() and offset.isdigit()):
            return None
        if len(attempt) > 6 or len(offset) > 15:
            return None
        return cls(int(attempt), int(offset))


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionedLine:
    """One line and where the next begins. `text` None: nothing new for a while."""

    text: str | None
    after: Position


class LogReader:
    """Reads the log of one run, attempt by attempt."""

    def __init__(self, services: Services, run: RunRow, *, attempt: int | None, start: Position | None) -> None:
        self._services = services
        self._run = run
        self._only = attempt
        first = attempt if attempt is not None else 1
        self._at = start if start is not None and (attempt is None or start.attempt == attempt) else Position(first, 0)
        self._rest = b""

    async def lines(self) -> AsyncIterator[PositionedLine]:
        """Everything there is now."""
        async for line in self.there():
            yield line
        for line in self._flush():
            yield line

    async def there(self) -> AsyncIterator[PositionedLine]:
        """Everything there is now but a last line that has no end yet; who follows gets that whole."""
        while True:
            async for line in self._written():
                yield line
            if not self._may_go_on(self._run):
                return
            for line in self._flush():
                yield line
            self._at = Position(self._at.attempt + 1, 0)

    def so_far(self) -> AsyncIterator[PositionedLine]:
        """The lines that are there by now. The last line of a live run may still grow."""
        return self.there() if RunState(self._run.state) in LIVE else self.lines()

    async def follow(self, who: Principal, *, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[PositionedLine]:
        """As it comes, until the run is over; a `None` line now and then while nothing comes."""
        clock = self._services.clock
        spoke_at = clock.monotonic()
        while not await gone():
            # First the run, then its log: what a run wrote before it ended is there when its end is.
            self._run = await find_run(self._services, who, self._run.run_id)
            async for line in self._written():
                spoke_at = clock.monotonic()
                yield line
            if self._may_go_on(self._run):
                for line in self._flush():
                    yield line
                self._at = Position(self._at.attempt + 1, 0)
                continue
            if self._is_over(self._run):
                for line in self._flush():
                    yield line
                return
            if clock.monotonic() - spoke_at >= QUIET_S:
                spoke_at = clock.monotonic()
                yield PositionedLine(text=None, after=self._at)
            await clock.wait(asyncio.Event(), for_s=LOOK_EVERY_S)

    def _is_over(self, run: RunRow) -> bool:
        """Whether nothing more comes: the run has ended, or the one attempt that the user follows."""
        if RunState(run.state) not in LIVE:
            return True
        return self._only is not None and run.attempt > self._only

    def _may_go_on(self, run: RunRow) -> bool:
        """Whether a later attempt has begun."""
        return self._only is None and run.attempt > self._at.attempt

    async def _written(self) -> AsyncIterator[PositionedLine]:
        """Whole lines that are there behind the position."""
        while True:
            read_from = self._read_to
            chunks = await self._services.store.lookups.logs(
                self._run.run_id, attempt=self._at.attempt, offset=read_from
            )
            for chunk in chunks:
                for line in self._take(chunk):
                    yield line
            if self._read_to == read_from:
                return

    @property
    def _read_to(self) -> int:
        return self._at.offset + len(self._rest)

    def _take(self, chunk: LogChunk) -> list[PositionedLine]:
        """The lines a chunk completes. What never arrived before it (a server refused it) is said, not skipped over."""
        missing = chunk.offset - self._read_to
        told: list[PositionedLine] = []
        if missing > 0:
            told = self._flush()
            self._at = Position(self._at.attempt, chunk.offset)
            told.append(PositionedLine(text=f"… {missing} bytes of the log are missing here", after=self._at))
        self._rest += chunk.text.encode()[max(0, -missing) :]
        return told + self._whole()

    def _whole(self) -> list[PositionedLine]:
        """Return the lines that have an end. A line of more than `LINE_BYTES_MAX` bytes is cut into several."""
        lines = []
        while b"\n" in self._rest or len(self._rest) > LINE_BYTES_MAX:
            end = self._rest.find(b"\n", 0, LINE_BYTES_MAX)
            size = end + 1 if end >= 0 else LINE_BYTES_MAX
            text = self._rest[:size].decode("utf-8", "replace")
            self._rest = self._rest[size:]
            self._at = Position(self._at.attempt, self._at.offset + size)
            lines.append(PositionedLine(text=text.rstrip("\n"), after=self._at))
        return lines

    def _flush(self) -> list[PositionedLine]:
        """Return the last line, which has no end."""
        if not self._rest:
            return []
        self._at = Position(self._at.attempt, self._at.offset + len(self._rest))
        text, self._rest = self._rest, b""
        return [PositionedLine(text=text.decode("utf-8", "replace"), after=self._at)]


class LogWindow(NamedTuple):
    """Some lines of a log that follow each other, and whether there are more on either side."""

    lines: Sequence[PositionedLine]
    is_begin: bool
    is_end: bool


async def window_before(
    lines: AsyncIterator[PositionedLine], before: Position | None, wanted: Callable[[str], bool], limit: int
) -> LogWindow:
    """The last lines in front of the one that ends at a position, or of all that are given.

    A log can only be read forwards: its lines begin where others end. It has a limit, so this ends soon.
    """
    last: deque[PositionedLine] = deque(maxlen=limit + 1)
    is_end = True
    async for line in lines:
        if before is not None and line.after >= before:
            is_end = False
            break
        if line.text is not None and wanted(line.text):
            last.append(line)
    found = list(last)
    return LogWindow(found[-limit:], is_begin=len(found) <= limit, is_end=is_end)


async def window_near(
    services: Services, run: RunRow, *, attempt: int | None, before: Position | None, limit: int
) -> tuple[LogReader, LogWindow]:
    """`window_before` of a whole log without a filter, and the reader behind it. It reads no more than it needs.

    It begins near the place, in the middle of a line, and drops that line. A log at its limit opens as soon as others.
    """
    last = run.attempt if attempt is None else attempt
    if before is not None:
        last, end = before
    else:
        end = await services.store.lookups.log_end(run.run_id, last)
    reach = limit * LINE_BYTES_USUAL
    while reach < end:
        reader = LogReader(services, run, attempt=attempt, start=Position(last, end - reach))
        window = await window_before(_without_first(reader.so_far()), before, _any, limit)
        if not window.is_begin:
            return reader, window
        reach *= REACH_GROWS  # its lines are longer than usual
    reader = LogReader(services, run, attempt=attempt, start=None)
    return reader, await window_before(reader.so_far(), before, _any, limit)


async def _without_first(lines: AsyncIterator[PositionedLine]) -> AsyncIterator[PositionedLine]:
    is_first = True
    async for line in lines:
        if not is_first:
            yield line
        is_first = False


def _any(_text: str) -> bool:
    return True


async def window_after(
    lines: AsyncIterator[PositionedLine], wanted: Callable[[str], bool], limit: int, *, is_begin: bool
) -> LogWindow:
    """The first lines of a reader that begins at a position."""
    found: list[PositionedLine] = []
    async for line in lines:
        if line.text is None or not wanted(line.text):
            continue
        if len(found) == limit:
            return LogWindow(found, is_begin=is_begin, is_end=False)
        found.append(line)
    return LogWindow(found, is_begin=is_begin, is_end=True)


async def shard_run(services: Services, who: Principal, run: RunRow, shard: int) -> RunRow:
    """The run of one shard, or `RunNotFound`."""
    children = await services.store.lookups.shards(run.run_id)
    ids = [child.run_id for child in children if child.shard == shard]
    return await find_run(services, who, ids[0] if ids else 0)
