"""`/anomalies`: in what jobs differ from their own baselines."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.models.anomalies import KINDS, AnomalyOut
from foliot.api.models.common import Page
from foliot.api.pages import number_of_cursor
from foliot.api.request_parts import (
    PREFIX,
    READS,
    Cursor,
    EveryNamespace,
    Limit,
    Reader,
    Services,
    Speaks,
    When,
    read_since,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations import anomalies as operations

ID_DIGITS_MAX: Final = 18
router: Final = APIRouter(prefix=PREFIX, tags=["jobs"], route_class=FoliotRoute)


@router.get("/anomalies", responses=READS, summary="In what jobs differ from their own baselines")
async def list_anomalies(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    job: Annotated[str | None, Query(max_length=NAME_BYTES_MAX, description="Of this job alone.")] = None,
    kind: Annotated[str | None, Query(max_length=20, examples=["duration"])] = None,
    since: When = None,
    open: Annotated[bool, Query(description="Only what is not over.")] = False,  # noqa: A002  as clients say
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[AnomalyOut]:
    """The newest first. The leader judges every job once an hour, some minutes after the hour is over.

    `kind`: duration, failures, count, lateness, silence. `since`: those that were seen then or later.
    """
    words = read_words(kind, "kind", KINDS)
    found = await operations.list_anomalies(
        services,
        who,
        namespace=namespace,
        job=job,
        kind=AnomalyKind(words[0]) if words else None,
        only_open=open,
        since=read_since(since),
        before_id=number_of_cursor(cursor, digits_max=ID_DIGITS_MAX),
        limit=limit,
    )
    next_cursor = str(found[-1].id) if len(found) == limit else None
    return Page(items=[AnomalyOut.of(one, language) for one in found], next_cursor=next_cursor)
