"""`/events`: the journal as a list, and everything that changes as a stream."""

from collections.abc import AsyncIterator
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from foliot.api.models.cluster import EventOut
from foliot.api.models.common import Page
from foliot.api.pages import is_number, number_of_cursor
from foliot.api.request_parts import (
    PREFIX,
    READS,
    Cursor,
    EveryNamespace,
    LastEventId,
    Limit,
    Reader,
    Services,
    When,
    read_moment,
    read_since,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.api.streams import HEADERS, comment, event, until_gone
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations.events import list_events
from foliot.operations.watch import ChangeWatch, StreamedChange
from foliot.ports.store.journal import EventFilter, Topic

router: Final = APIRouter(prefix=PREFIX, tags=["events"], route_class=FoliotRoute)
EVENTS: Final = {
    "schema": {
        "type": "string",
        "description": "Events `hello`, `reset`, and the kinds of changes. `id` rises; `data` is one JSON object with "
        "`subject`, `namespace` and what changed.",
    },
    "example": 'id: 7\nevent: run\ndata: {"subject":"r-8k2f","namespace":"default","state":"RUNNING"}\n\n',
}
TOPICS: Final = tuple(str(topic) for topic in Topic)


@router.get("/journal", responses=READS, summary="What happened")
async def list_journal(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    topic: Annotated[str | None, Query(max_length=100, examples=["jobs,nodes"])] = None,
    subject: Annotated[
        str | None, Query(max_length=NAME_BYTES_MAX, description="The name of the job, run or node.")
    ] = None,
    since: When = None,
    until: When = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[EventOut]:
    """Changes of jobs, cancels, drains, elections, tokens: newest first. What belongs to no namespace, such as an
    election, comes with each of them, but not to a token that is limited to one.
    """
    before_id = number_of_cursor(cursor, digits_max=18)
    wanted = EventFilter(
        topics=frozenset(Topic(word) for word in read_words(topic, "topic", TOPICS)),
        subject=subject,
        since=read_since(since),
        until=read_moment(until, "until"),
    )
    page = await list_events(services, who, wanted, namespace=namespace, limit=limit, before_id=before_id)
    next_cursor = None if page.next_before_id is None else str(page.next_before_id)
    items = [EventOut.of(event) for event in page.items]
    return Page(items=items, next_cursor=next_cursor)


@router.get(
    "/events",
    responses={**READS, 200: {"description": "Server-sent events.", "content": {"text/event-stream": EVENTS}}},
    response_class=StreamingResponse,
    summary="What changes, as it changes",
)
async def stream_events(
    request: Request,
    who: Reader,
    topics: Annotated[str, Query(max_length=1000, examples=["runs,nodes,jobs/settle"])] = "",
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Rising ids; `Last-Event-ID` goes on where a stream broke; `reset` says: read the lists anew."""
    watch: ChangeWatch = request.app.state.watch
    wanted = [topic for topic in topics.split(",") if topic]
    last_id = None
    if last_event_id is not None and is_number(last_event_id, digits_max=19):
        last_id = int(last_event_id)
    changes = watch.changes(who, wanted, last_id=last_id, gone=until_gone(request))
    return StreamingResponse(_stream(changes), media_type="text/event-stream", headers=HEADERS)


async def _stream(changes: AsyncIterator[StreamedChange | None]) -> AsyncIterator[str]:
    yield event("", name="hello", retry_ms=2000)
    async for change in changes:
        if change is None:
            yield comment("still here")
            continue
        data = {"subject": change.subject, "namespace": change.namespace, **change.data}
        text = msgspec.json.encode(data).decode()
        yield event(text, name=change.kind, event_id=str(change.id))
