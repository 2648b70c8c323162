"""`/runs/{run}/logs`: a run's output, whole or as it comes."""

import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from foliot.api.errors import BadRequest
from foliot.api.models.runs import LogLineOut, LogLinesOut
from foliot.api.request_parts import PREFIX, READS, LastEventId, Reader, Services, When, read_since, run_id_of
from foliot.api.route import FoliotRoute
from foliot.api.streams import HEADERS, comment, event, until_gone
from foliot.domain.access import Principal
from foliot.domain.instants import Instant, to_datetime
from foliot.operations.log_reader import (
    LogReader,
    Position,
    PositionedLine,
    shard_run,
    window_after,
    window_before,
    window_near,
)
from foliot.operations.names import find_run
from foliot.operations.shard_log import ShardLog, ShardPosition, is_sharded
from foliot.ports.store.lookups import RunRow

router: Final = APIRouter(prefix=PREFIX + "/runs/{run}", tags=["runs"], route_class=FoliotRoute)
EVENTS: Final = {
    "schema": {
        "type": "string",
        "description": "One event a line: `id` is where the next line begins, `data` the line. `end`: the run is over.",
    },
    "example": "id: 1:0:42\ndata: 2026-03-02T06:02:20.000Z  INFO  settled\n\n",
}
TAIL_MAX: Final = 100_000
LINES_MAX: Final = 5000
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
Attempt = Annotated[int | None, Query(ge=1, le=100_000)]
ShardNumber = Annotated[int | None, Query(ge=0, le=10_000)]
Follow = Annotated[bool, Query(description="Go on until the run is over.")]
Tail = Annotated[int | None, Query(ge=0, le=TAIL_MAX, description="Only the last lines.")]
LevelName = Annotated[str | None, Query(max_length=10, description="Lines of this level and above.")]
Grep = Annotated[str | None, Query(max_length=200, description="Lines that hold this text.")]
Place = Annotated[
    str | None,
    Query(
        pattern="^([0-9]{1,17}:[0-9]{1,18}:)?[0-9]{1,6}:[0-9]{1,15}$",
        description="The position of a line.",
        examples=["1:4096"],
    ),
]
P = TypeVar("P")
_HEAD: Final = re.compile(r"(?:#\d+ )?(\d{4}-\d\d-\d\dT[\d:.]+Z)  ([A-Z]+)  ")


@router.get(
    "/logs",
    responses={
        **READS,
        200: {
            "description": "Lines of text; with `follow`, server-sent events whose id is where the next line begins.",
            "content": {"text/plain": {"schema": {"type": "string"}}, "text/event-stream": EVENTS},
        },
    },
    response_class=PlainTextResponse,
    summary="A run's log",
)
async def get_run_logs(
    request: Request,
    services: Services,
    who: Reader,
    run: str,
    attempt: Attempt = None,
    shard: ShardNumber = None,
    follow: Follow = False,
    tail: Tail = None,
    level: LevelName = None,
    grep: Grep = None,
    since: When = None,
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Plain text, or a stream. A stream that breaks goes on with `Last-Event-ID`.

    A run with shards has the lines of all of them, in the order in which they came, each with its shard in front.
    Its stream repeats the lines of the last ten seconds when it goes on, with the ids they had: drop those you know.
    """
    found = await find_run(services, who, run_id_of(run))
    if shard is not None:
        found = await shard_run(services, who, found, shard)
    wanted = _Wanted(level, grep, read_since(since))
    if is_sharded(found):
        log = _shard_log(services, found, attempt, level, grep, read_since(since))
        if not follow:
            return StreamingResponse(_shard_text(log, tail), media_type="text/plain; charset=utf-8")
        start = ShardPosition.of(last_event_id or "")
        shard_events = _shard_events(log, who, until_gone(request), start, tail)
        return StreamingResponse(shard_events, media_type="text/event-stream", headers=HEADERS)
    if not follow:
        lines = LogReader(services, found, attempt=attempt, start=None).lines()
        return StreamingResponse(_text(lines, wanted, tail), media_type="text/plain; charset=utf-8")
    reader = LogReader(services, found, attempt=attempt, start=Position.of(last_event_id or ""))
    earlier: Sequence[PositionedLine] = ()
    if tail and wanted.is_all and last_event_id is None:
        reader, window = await window_near(services, found, attempt=attempt, before=None, limit=tail)
        earlier = window.lines
    elif tail is not None:
        earlier = await _last(reader.so_far(), wanted, tail)
    stream = _events(reader.follow(who, gone=until_gone(request)), wanted, earlier)
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)


@router.get("/lines", responses=READS, summary="A window of a run's log")
async def get_run_lines(
    services: Services,
    who: Reader,
    run: str,
    attempt: Attempt = None,
    shard: ShardNumber = None,
    before: Place = None,
    after: Place = None,
    level: LevelName = None,
    grep: Grep = None,
    limit: Annotated[int, Query(ge=1, le=LINES_MAX, description="Lines of the window.")] = 500,
) -> LogLinesOut:
    """The last lines, those in front of a line, or those behind one. Positions are the ids of the stream's events.

    A run with shards has the lines of all of them, in the order in which they came, each with its shard in front.
    """
    if before is not None and after is not None:
        raise BadRequest("Give either before or after.", hint="without both: the last lines")
    found = await find_run(services, who, run_id_of(run))
    if shard is not None:
        found = await shard_run(services, who, found, shard)
    if is_sharded(found):
        return await _shard_window(_shard_log(services, found, attempt, level, grep, None), before, after, limit)
    wanted = _Wanted(level, grep, None)
    place = _read_place(Position.of, before)
    reader = LogReader(services, found, attempt=attempt, start=_read_place(Position.of, after))
    if after is not None:
        window = await window_after(reader.so_far(), wanted, limit, is_begin=False)
    elif wanted.is_all:
        _, window = await window_near(services, found, attempt=attempt, before=place, limit=limit)
    else:
        window = await window_before(reader.so_far(), place, wanted, limit)
    items = [LogLineOut(position=str(line.after), text=line.text or "", shard=None) for line in window.lines]
    return LogLinesOut(items=items, is_begin=window.is_begin, is_end=window.is_end, search_on=None)


class _Wanted:
    """Decides which lines the user wants to see. It is called with each line, in order."""

    def __init__(self, level: str | None, grep: str | None, since: Instant | None) -> None:
        self._levels = _from_level_up(level) if level is not None else ()
        # The server compares plain text: an expression that a user wrote could take for ever (SEC-32).
        self._grep = grep.casefold() if grep else None
        # In the form of the lines' own stamps, so that texts are compared.
        self._since = "" if since is None else to_datetime(since).isoformat(timespec="milliseconds")
        self._is_in = True
        self.is_all = level is None and not grep and since is None

    def __call__(self, text: str) -> bool:
        head = _HEAD.match(text)
        if head is not None:  # a line without a head goes on with the line before it
            stamp, level = head.groups()
            self._is_in = stamp >= self._since and self._is_of_level(level)
        if not self._is_in:
            return False
        return self._grep is None or self._grep in text.casefold()

    def _is_of_level(self, level: str) -> bool:
        """Whether a line's level is wanted. A word that is no level is a part of the text: such lines are shown."""
        if not self._levels or level not in LEVELS:
            return True
        return level in self._levels


def _from_level_up(level: str) -> tuple[str, ...]:
    """Return a level and those above it."""
    wanted = level.upper()
    if wanted not in LEVELS:
        known = ", ".join(LEVELS)
        raise BadRequest(f'"{level[:10]}" is not a level.', hint=f"levels: {known}", path="query.level")
    return LEVELS[LEVELS.index(wanted) :]


def _read_place(read: Callable[[str], P | None], written: str | None) -> P | None:
    """A position, or that it is one of another log: those of a run with shards have two more numbers."""
    place = read(written) if written is not None else None
    if written is not None and place is None:
        raise BadRequest("This position is not one of this log.", hint="take the position of a line that it has")
    return place


def _shard_log(
    services: Services, run: RunRow, attempt: int | None, level: str | None, grep: str | None, since: Instant | None
) -> ShardLog:
    return ShardLog(services, run, attempt=attempt, wanted=lambda: _Wanted(level, grep, since))


async def _shard_window(log: ShardLog, before: str | None, after: str | None, limit: int) -> LogLinesOut:
    behind = _read_place(ShardPosition.of, after)
    if behind is not None:
        window = await log.window_after(behind, limit)
    else:
        window = await log.window_before(_read_place(ShardPosition.of, before), limit)
    items = [LogLineOut(position=str(line.after), text=line.text or "", shard=line.shard) for line in window.lines]
    search_on = None if window.search_on is None else str(window.search_on)
    return LogLinesOut(items=items, is_begin=window.is_begin, is_end=window.is_end, search_on=search_on)


async def _shard_text(log: ShardLog, tail: int | None) -> AsyncIterator[str]:
    if tail is None:
        async for line in log.lines():
            yield f"{line.text}\n"
        return
    for line in (await log.tail(tail)).lines:
        yield f"{line.text}\n"


async def _shard_events(
    log: ShardLog, who: Principal, gone: Callable[[], Awaitable[bool]], start: ShardPosition | None, tail: int | None
) -> AsyncIterator[str]:
    yield comment("log")
    async for line in log.follow(who, start=start, tail=tail, gone=gone):
        if line.text is None:
            yield comment("still here")
        else:
            yield event(line.text, event_id=str(line.after))
    yield event("", name="end")


async def _text(lines: AsyncIterator[PositionedLine], wanted: _Wanted, tail: int | None) -> AsyncIterator[str]:
    if tail is None:
        async for line in lines:
            if line.text is not None and wanted(line.text):
                yield line.text + "\n"
        return
    for line in await _last(lines, wanted, tail):
        yield f"{line.text}\n"


async def _last(lines: AsyncIterator[PositionedLine], wanted: _Wanted, tail: int) -> Sequence[PositionedLine]:
    """The last of the lines there are."""
    last: deque[PositionedLine] = deque(maxlen=tail)
    async for line in lines:
        if line.text is not None and wanted(line.text):
            last.append(line)
    return last


async def _events(
    lines: AsyncIterator[PositionedLine], wanted: _Wanted, earlier: Sequence[PositionedLine]
) -> AsyncIterator[str]:
    yield comment("log")
    for line in earlier:
        yield event(line.text or "", event_id=str(line.after))
    async for line in lines:
        if line.text is None:
            yield comment("still here")
        elif wanted(line.text):
            yield event(line.text, event_id=str(line.after))
    yield event("", name="end")
