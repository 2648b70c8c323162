"""The log of a sharded run: the lines of all its shards together, in the order in which they came to the store.

Lines that came in one call of a worker stand in the order of their own times. Workers send some times a second, so
lines of two workers may differ by that much, and never by how far their clocks are apart. A position is the instant at
which a piece was written, the shard's run, the attempt and the offset behind the line: windows and the stream share it.
A stream remembers what each shard has told (`shard_told`), so a piece that becomes visible behind a later one is not
passed over.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from foliot.domain.access import Principal
from foliot.domain.instants import SECOND, Instant, Micros
from foliot.domain.run import LIVE, RunState
from foliot.operations.log_reader import LINE_BYTES_MAX, QUIET_S
from foliot.operations.names import find_run
from foliot.operations.services import Services
from foliot.operations.shard_told import ToldShards
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.shard_logs import PieceKey, ShardPiece

LOOK_EVERY_S: Final = 0.5
LATE_US: Final = 2 * SECOND
"""A look reads so much again of what was written before the newest: most transactions that take longer end by then."""
COMPARE_EVERY_S: Final = 15.0
"""Between two comparisons of what has been told with how far the log of each shard goes: nothing is missed for good."""
REPEAT_US: Final = 10 * SECOND
"""Who comes back gets so much again: what was not yet visible when it left. A transaction has ended by then (R11)."""
STRETCH_US: Final = SECOND  # the first look
STRETCH_GROWS: Final = 8
PIECES_MAX: Final = 1000  # of one look
PIECES_GROW: Final = 10
TEXT_BYTES: Final = 1024 * 1024  # of one statement
SEARCHED_BYTES_MAX: Final = 16 * 1024 * 1024
"""A window that finds too few lines in so much text ends there, and says from where to search on."""

_STAMP: Final = re.compile(rb"(\d{4}-\d\d-\d\dT[\d:.]+Z)  [A-Z]+  ")

Wanted = Callable[[str], bool]


class ShardPosition(NamedTuple):
    """Where in the log of all shards a line ends."""

    written_at: Instant
    run_id: int
    attempt: int
    offset: int

    def __str__(self) -> str:
        return f"{self.written_at}:{self.run_id}:{self.attempt}:{self.offset}"

    @classmethod
    def of(cls, written: str) -> "ShardPosition | None":
        """Read a position; None for what is none."""
        parts = written.split(":")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
            return None
        written_at, run_id, attempt, offset = map(int, parts)
        return cls(written_at, run_id, attempt, offset)


class ShardLine(NamedTuple):
    """One line of a shard, with the shard in front. `text` None: nothing new for a while."""

    text: str | None
    after: ShardPosition
    shard: int | None
    stamp: bytes


class ShardWindow(NamedTuple):
    """Some lines that follow each other, and whether there are more on either side."""

    lines: Sequence[ShardLine]
    is_begin: bool
    is_end: bool
    search_on: ShardPosition | None = None  # too much text was searched: go on from here


class ShardLog:
    """Reads the logs of the shards of one run together, one attempt of each or all."""

    def __init__(self, services: Services, run: RunRow, *, attempt: int | None, wanted: Callable[[], Wanted]) -> None:
        """`wanted` makes a filter of lines; each arrival of each shard gets its own, since filters remember lines."""
        self._services = services
        self._run = run
        self._attempt = attempt
        self._wanted = wanted
        self._searched = 0
        self._told: ToldShards | None = None  # of who follows

    async def window_before(self, place: ShardPosition | None, limit: int) -> ShardWindow:
        """The last wanted lines in front of the one at a position, or of all."""
        found: list[ShardLine] = []
        is_end, self._searched = place is None, 0
        async for lines in self.arrivals(place, backwards=True):
            found[:0] = self._chosen(lines)
            if len(found) > limit:
                return ShardWindow(found[len(found) - limit :], is_begin=False, is_end=is_end)
            if self._searched > SEARCHED_BYTES_MAX and lines:
                return ShardWindow(found, is_begin=False, is_end=is_end, search_on=lines[0].after)
        return ShardWindow(found, is_begin=True, is_end=is_end)

    async def window_after(self, place: ShardPosition, limit: int) -> ShardWindow:
        """The first wanted lines behind the one at a position."""
        found: list[ShardLine] = []
        self._searched = 0
        async for lines in self.arrivals(place):
            found += self._chosen(lines)
            if len(found) > limit:
                return ShardWindow(found[:limit], is_begin=False, is_end=False)
            if self._searched > SEARCHED_BYTES_MAX and lines:
                return ShardWindow(found, is_begin=False, is_end=False, search_on=lines[-1].after)
        return ShardWindow(found, is_begin=False, is_end=True)

    async def tail(self, limit: int) -> ShardWindow:
        """The last wanted lines of all there are, however much text has to be searched."""
        window = whole = await self.window_before(None, limit)
        while window.search_on is not None and len(whole.lines) < limit:
            window = await self.window_before(window.search_on, limit - len(whole.lines))
            whole = whole._replace(lines=[*window.lines, *whole.lines], is_begin=window.is_begin)
        return whole._replace(search_on=None)

    async def lines(self) -> AsyncIterator[ShardLine]:
        """Every wanted line there is now."""
        async for lines in self.arrivals(None):
            for line in self._chosen(lines):
                yield line

    async def arrivals(
        self, place: ShardPosition | None, *, backwards: bool = False
    ) -> AsyncIterator[Sequence[ShardLine]]:
        """The lines on one side of a position, arrival by arrival; those of one arrival in order."""
        at = place.written_at if place else None
        async for pieces in self._looks(at, backwards=backwards):
            if self._told is not None:
                self._told.mark(pieces)
            async for lines in self._read(pieces):
                yield _beyond(lines, place, backwards=backwards)

    async def follow(
        self, who: Principal, *, start: ShardPosition | None, tail: int | None, gone: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[ShardLine]:
        """As they come, until the run is over; a line without text now and then while nothing comes.

        They begin some seconds in front of `start`, which repeats lines; or with the last `tail` ones; or with all.
        """
        clock = self._services.clock
        spoke_at = compared_at = clock.monotonic()
        told = self._told = ToldShards()
        async for lines in self._beginning(told, start, tail):
            for line in lines:
                yield line
        while not await gone():
            # First the run, then its shards' logs: what they wrote before it ended is there when its end is.
            self._run = await find_run(self._services, who, self._run.run_id)
            is_over = RunState(self._run.state) not in LIVE
            if compares := is_over or clock.monotonic() - compared_at >= COMPARE_EVERY_S:
                compared_at = clock.monotonic()
            async for lines in self._news(told, compares=compares):
                spoke_at = clock.monotonic()
                for line in self._chosen(lines):
                    yield line
            if is_over:
                async for lines in self._unfinished(told):
                    for line in self._chosen(lines):
                        yield line
                return
            if clock.monotonic() - spoke_at >= QUIET_S:
                spoke_at = clock.monotonic()
                yield ShardLine(None, ShardPosition(0, 0, 0, 0), None, b"")
            await clock.wait(asyncio.Event(), for_s=LOOK_EVERY_S)

    def _chosen(self, lines: Sequence[ShardLine]) -> list[ShardLine]:
        """The wanted lines. A line without a head goes with the one before it of its own shard."""
        filters: dict[int, Wanted] = {}
        chosen = []
        for line in lines:
            if line.after.run_id not in filters:
                filters[line.after.run_id] = self._wanted()
            if line.text is not None and filters[line.after.run_id](line.text):
                chosen.append(line)
        return chosen

    async def _beginning(
        self, told: ToldShards, start: ShardPosition | None, tail: int | None
    ) -> AsyncIterator[Sequence[ShardLine]]:
        """What somebody who follows gets first. What each shard has is asked for before any of it is read."""
        lookups = self._services.store.lookups
        is_part = start is not None or tail is not None
        ends = await lookups.shard_log_ends(self._run.run_id, attempt=self._attempt) if is_part else ()
        if start is None:
            told.know(ends)
        if start is None and tail is not None:
            yield (await self.tail(tail)).lines
            return
        async for pieces in self._looks(start.written_at - REPEAT_US if start else None, backwards=False):
            async for lines in self._read(told.take(pieces)):
                yield self._chosen(lines)
        told.know(ends)

    async def _news(self, told: ToldShards, *, compares: bool) -> AsyncIterator[Sequence[ShardLine]]:
        """What nobody has been told. `compares`: looks at each shard, too."""
        lookups = self._services.store.lookups
        async for pieces in self._since(told.newest - LATE_US):
            async for lines in self._read(told.take(pieces)):
                yield lines
        ends = await lookups.shard_log_ends(self._run.run_id, attempt=self._attempt) if compares else ()
        places = told.missing(ends)
        while places:
            pieces = await lookups.shard_log_behind(places, limit=PIECES_MAX)
            fresh = told.take(pieces)
            async for lines in self._read(fresh):
                yield lines
            places = told.missing(ends) if len(pieces) == PIECES_MAX and fresh else ()

    async def _unfinished(self, told: ToldShards) -> AsyncIterator[Sequence[ShardLine]]:
        """Last lines without an end: nothing follows, so they are lines."""
        for piece in told.halves():
            texts = await self._services.store.lookups.shard_log_texts(_needed([piece]))
            if not texts.get(piece.key, b"\n").endswith(b"\n"):
                yield _lines(piece._replace(is_growing=False), texts)[-1:]

    async def _since(self, from_at: Instant) -> AsyncIterator[Sequence[ShardPiece]]:
        """What was written since an instant, look by look: no arrival is cut."""
        limit = PIECES_MAX
        while True:
            found = await self._services.store.lookups.shard_log_news(
                self._run.run_id, attempt=self._attempt, from_at=from_at, limit=limit
            )
            if len(found) < limit:
                yield found
                return
            whole = [piece for piece in found if piece.written_at != found[-1].written_at]
            if whole:
                yield whole
                from_at = found[-1].written_at
            else:  # one arrival is larger than a look
                limit *= PIECES_GROW

    async def _looks(self, at: Instant | None, *, backwards: bool) -> AsyncIterator[Sequence[ShardPiece]]:
        """The pieces on one side of an instant, that instant's own included, look by look: no arrival is cut."""
        lookups = self._services.store.lookups
        bounds = await lookups.shard_log_bounds(self._run.run_id)
        if bounds is None:
            return
        low, high = bounds
        if at is not None:
            low, high = (low, min(high, at)) if backwards else (max(low, at), high)
        stretch, limit = STRETCH_US, PIECES_MAX
        while low <= high:
            first, last = (max(low, high - stretch), high) if backwards else (low, min(high, low + stretch))
            found = await lookups.shard_log_pieces(
                self._run.run_id, attempt=self._attempt, from_at=first, until=last, newest=backwards, limit=limit
            )
            end = first if backwards else last
            is_full = len(found) == limit
            if is_full:
                end = found[-1].written_at + (1 if backwards else -1)
                whole = [piece for piece in found if piece.written_at != found[-1].written_at]
                if not whole:  # one arrival is larger than a look
                    limit *= PIECES_GROW
                    continue
                found = whole
            stretch = _next_stretch(stretch, len(found), is_full=is_full)
            low, high = (low, end - 1) if backwards else (end + 1, high)
            yield found

    async def _read(self, pieces: Sequence[ShardPiece]) -> AsyncIterator[Sequence[ShardLine]]:
        """The lines of whole arrivals, a bounded stretch of text at a time."""
        for arrivals in _batches(pieces):
            needed = _needed([piece for arrival in arrivals for piece in arrival])
            texts = await self._services.store.lookups.shard_log_texts(needed)
            self._searched += sum(map(len, texts.values()))
            for arrival in arrivals:
                lines = [line for piece in arrival for line in _lines(piece, texts)]
                yield sorted(lines, key=_by_time)


def _next_stretch(stretch: Micros, found: int, *, is_full: bool) -> Micros:
    if is_full:
        return max(STRETCH_US, stretch // STRETCH_GROWS)
    return stretch * STRETCH_GROWS if found < PIECES_MAX // STRETCH_GROWS else stretch


def _batches(pieces: Sequence[ShardPiece]) -> Iterator[list[list[ShardPiece]]]:
    """Whole arrivals, so many that their text is about `TEXT_BYTES`."""
    batch: list[list[ShardPiece]] = []
    size = 0
    for _, one in groupby(pieces, key=lambda piece: piece.written_at):
        arrival = list(one)
        batch.append(arrival)
        size += sum(piece.size for piece in arrival)
        if size >= TEXT_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _needed(pieces: Sequence[ShardPiece]) -> list[PieceKey]:
    """The texts of pieces, and of those in front of them: a line may begin there."""
    keys = {piece.key for piece in pieces}
    for piece in pieces:
        if piece.before_offset is not None:
            keys.add(PieceKey(piece.run_id, piece.attempt, piece.before_offset))
    return sorted(keys)


def _lines(piece: ShardPiece, texts: Mapping[PieceKey, bytes]) -> list[ShardLine]:
    """The lines that end in a piece. What never arrived before it is said, not skipped over."""
    lines: list[ShardLine] = []
    rest = _rest_before(piece, texts)
    missing = piece.offset - piece.before_end
    if missing > 0:
        if rest:
            lines.append(_line(piece, rest, piece.before_end, b""))
            rest = b""
        lines.append(_line(piece, f"… {missing} bytes of the log are missing here".encode(), piece.offset, b""))
    at, stamp = piece.offset - len(rest), b""
    *whole, last = (rest + texts.get(piece.key, b"")).split(b"\n")
    if last and piece.is_last and not piece.is_growing:
        whole.append(last)
    for text in whole:
        head = _STAMP.match(text)
        stamp = head[1] if head else stamp
        for cut in range(0, len(text) or 1, LINE_BYTES_MAX):
            end = min(cut + LINE_BYTES_MAX, len(text) + 1)
            lines.append(_line(piece, text[cut:end], min(at + end, piece.end), stamp))
        at += len(text) + 1
    return lines


def _rest_before(piece: ShardPiece, texts: Mapping[PieceKey, bytes]) -> bytes:
    """The beginning of a piece's first line, if it stands in the piece before."""
    if piece.before_offset is None:
        return b""
    before = texts.get(PieceKey(piece.run_id, piece.attempt, piece.before_offset), b"")
    return before.rpartition(b"\n")[2][-LINE_BYTES_MAX:]


def _line(piece: ShardPiece, text: bytes, end: int, stamp: bytes) -> ShardLine:
    shard = piece.shard if piece.shard >= 0 else None
    front = "" if shard is None else f"#{shard:02d} "
    after = ShardPosition(piece.written_at, piece.run_id, piece.attempt, end)
    return ShardLine(front + text.decode("utf-8", "replace"), after, shard, stamp)


def _by_time(line: ShardLine) -> tuple[bytes, int, ShardPosition]:
    """Lines without a time stand behind the line of their shard that they go on with."""
    return line.stamp, -1 if line.shard is None else line.shard, line.after


def _beyond(lines: Sequence[ShardLine], place: ShardPosition | None, *, backwards: bool) -> Sequence[ShardLine]:
    """Those of an arrival that stand on the wanted side of a position."""
    if place is None or not lines or lines[0].after.written_at != place.written_at:
        return lines
    at = next((number for number, line in enumerate(lines) if line.after == place), None)
    if at is None:
        return []
    return lines[:at] if backwards else lines[at + 1 :]


def is_sharded(run: RunRow) -> bool:
    """Whether a run has shards, which write what stands in its log; it executes nothing itself."""
    is_whole = run.shard == -1 and run.parent_id is None
    return is_whole and (run.open_children > 0 or (run.attempt == 0 and run.state != RunState.PENDING))
