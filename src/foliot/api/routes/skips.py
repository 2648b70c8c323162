"""`/skips`: what was due and did not run, of all jobs."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.models.common import Page
from foliot.api.models.skips import SkipOut
from foliot.api.pages import number_of_cursor
from foliot.api.request_parts import (
    PREFIX,
    READS,
    Cursor,
    EveryNamespace,
    Limit,
    NameFilter,
    Reader,
    Services,
    When,
    read_moment,
    read_since,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.fire import SkipReason
from foliot.operations.skips import list_skips as list_all_skips
from foliot.ports.store.skips import SkipFilter

router: Final = APIRouter(prefix=PREFIX, tags=["jobs"], route_class=FoliotRoute)
REASONS: Final = tuple(str(reason) for reason in SkipReason)


@router.get("/skips", responses=READS, summary="What did not run")
async def list_skips(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    job: NameFilter = None,
    reason: Annotated[
        str | None, Query(max_length=100, description="Several with commas.", examples=["overlap,misfire"])
    ] = None,
    since: When = None,
    until: When = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[SkipOut]:
    """Due instants of all jobs that got no run, the newest first; instants of one job that follow each other for the
    same reason are one range. With a filter a page may have fewer than `limit`, and still a next one.
    """
    wanted = SkipFilter(
        namespace=namespace,
        job=job,
        reasons=frozenset(read_words(reason, "reason", REASONS)),
        since=read_since(since),
        until=read_moment(until, "until"),
    )
    before_id = number_of_cursor(cursor, digits_max=18)
    page = await list_all_skips(services, who, wanted, limit=limit, before_id=before_id)
    next_cursor = None if page.next_before_id is None else str(page.next_before_id)
    return Page(items=[SkipOut.of(one) for one in page.items], next_cursor=next_cursor)
