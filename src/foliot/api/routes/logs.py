"""`/runs/{run}/logs`: a run's output, whole or as it comes."""

import re
from collections import deque
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from foliot.api.errors import BadRequest
from foliot.api.models.runs import LogLineOut, LogLinesOut
from foliot.api.request_parts import PREFIX, READS, LastEventId, Reader, Services, When, read_since, run_id_of
from foliot.api.route import FoliotRoute
from foliot.api.streams import HEADERS, comment, event, until_gone
from foliot.domain.instants import Instant, to_datetime
from foliot.domain.run import LIVE, RunState
from foliot.operations.log_reader import (
    LogReader,
    Position,
    PositionedLine,
    prefixed,
    shard_run,
    window_after,
    window_before,
)
from foliot.operations.names import find_run
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
    str | None, Query(pattern="^[0-9]{1,6}:[0-9]{1,15}$", description="The position of a line.", examples=["1:4096"])
]
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
    """Plain text, or a stream. A stream that breaks goes on with `Last-Event-ID`."""
    found = await find_run(services, who, run_id_of(run))
    if shard is not None:
        found = await shard_run(services, who, found, shard)
    wanted = _Wanted(level, grep, read_since(since))
    if not follow:
        lines = _all_lines(services, found, attempt)
        return StreamingResponse(_text(lines, wanted, tail), media_type="text/plain; charset=utf-8")
    reader = LogReader(services, found, attempt=attempt, start=Position.of(last_event_id or ""))
    earlier = None
    if tail is not None:
        earlier = _last(_so_far(reader, found), wanted, tail)
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
    """The last lines, those in front of a line, or those behind one. Positions are the ids of the stream's events."""
    if before is not None and after is not None:
        raise BadRequest("Give either before or after.", hint="without both: the last lines")
    found = await find_run(services, who, run_id_of(run))
    if shard is not None:
        found = await shard_run(services, who, found, shard)
    wanted = _Wanted(level, grep, None)
    reader = LogReader(services, found, attempt=attempt, start=Position.of(after or ""))
    lines = _so_far(reader, found)
    if after is not None:
        window = await window_after(lines, wanted, limit, is_begin=False)
    else:
        window = await window_before(lines, Position.of(before or ""), wanted, limit)
    items = [LogLineOut(position=str(line.after), text=line.text or "") for line in window.lines]
    return LogLinesOut(items=items, is_begin=window.is_begin, is_end=window.is_end)


def _so_far(reader: LogReader, run: RunRow) -> AsyncIterator[PositionedLine]:
    """The lines that are there by now. The last line of a live run may still grow."""
    return reader.there() if RunState(run.state) in LIVE else reader.lines()


class _Wanted:
    """Decides which lines the user wants to see. It is called with each line, in order."""

    def __init__(self, level: str | None, grep: str | None, since: Instant | None) -> None:
        self._levels = _from_level_up(level) if level is not None else ()
        # The server compares plain text: an expression that a user wrote could take for ever (SEC-32).
        self._grep = grep.casefold() if grep else None
        # In the form of the lines' own stamps, so that texts are compared.
        self._since = "" if since is None else to_datetime(since).isoformat(timespec="milliseconds")
        self._is_in = True

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


async def _all_lines(services: Services, run: RunRow, attempt: int | None) -> AsyncIterator[PositionedLine]:
    """Return the lines of a run, then those of each of its shards with the shard's number in front."""
    own = LogReader(services, run, attempt=attempt, start=None)
    async for line in own.lines():
        yield line
    is_shard = run.shard != -1 or run.parent_id is not None
    if is_shard:
        return
    for child in await services.store.lookups.shards(run.run_id):
        reader = LogReader(services, child, attempt=attempt, start=None)
        async for line in reader.lines():
            yield prefixed(line, child.shard)


async def _text(lines: AsyncIterator[PositionedLine], wanted: _Wanted, tail: int | None) -> AsyncIterator[str]:
    if tail is None:
        async for line in lines:
            if line.text is not None and wanted(line.text):
                yield line.text + "\n"
        return
    async for line in _last(lines, wanted, tail):
        yield f"{line.text}\n"


async def _last(lines: AsyncIterator[PositionedLine], wanted: _Wanted, tail: int) -> AsyncIterator[PositionedLine]:
    """The last of the lines there are."""
    last: deque[PositionedLine] = deque(maxlen=tail)
    async for line in lines:
        if line.text is not None and wanted(line.text):
            last.append(line)
    for line in last:
        yield line


async def _events(
    lines: AsyncIterator[PositionedLine], wanted: _Wanted, earlier: AsyncIterator[PositionedLine] | None = None
) -> AsyncIterator[str]:
    yield comment("log")
    if earlier is not None:
        async for line in earlier:
            yield event(line.text or "", event_id=str(line.after))
    async for line in lines:
        if line.text is None:
            yield comment("still here")
        elif wanted(line.text):
            yield event(line.text, event_id=str(line.after))
    yield event("", name="end")
