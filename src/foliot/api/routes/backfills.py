"""`/backfills`: preview, start, look at, pause, go on, end."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response

from foliot.api.models.cluster import BackfillOut, BackfillPreviewOut, NewBackfillIn, StartBackfillIn
from foliot.api.models.common import Page, located, moment
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    Limit,
    NameFilter,
    Namespace,
    Reader,
    Runner,
    Services,
    needed_moment,
    read_moment,
)
from foliot.api.route import FoliotRoute, request_key
from foliot.domain.access import Principal
from foliot.domain.errors import BadField
from foliot.domain.instants import Instant
from foliot.operations import backfill as operations
from foliot.operations.backfill import BackfillOrder
from foliot.operations.names import home_of
from foliot.ports.store.backfills import BackfillState, Selection
from foliot.ports.store.lookups import BadCursor

router: Final = APIRouter(prefix=PREFIX + "/backfills", tags=["backfills"], route_class=FoliotRoute)
INSTANTS_SHOWN: Final = 1000
Number = Annotated[int, Path(ge=1, le=2**62)]


@router.get("", responses=READS, summary="List backfills")
async def list_backfills(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    job: NameFilter = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[BackfillOut]:
    """Newest first."""
    before_id = None
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
            raise BadCursor
        before_id = int(cursor)
    rows = await operations.list_backfills(
        services,
        who,
        namespace=namespace,
        job=job,
        limit=limit,
        before_id=before_id,
    )
    more = str(rows[-1].id) if len(rows) == limit else None
    return Page(items=[BackfillOut.of(row) for row in rows], next_cursor=more)


@router.post(":preview", responses=WRITES, summary="What a backfill would do")
async def preview_backfill(
    services: Services, who: Runner, body: NewBackfillIn, namespace: Namespace = None
) -> BackfillPreviewOut:
    """The exact instants, and a token that confirms just these. Nothing changes."""
    to_at = read_moment(body.to, "to")
    if to_at is None:
        to_at = await operations.present(services)
    order = _order(who, body, namespace, to_at)
    seen = await operations.preview(services, who, order)
    ordered = sorted(seen.instants)
    return BackfillPreviewOut(
        job=seen.job.name,
        from_at=moment(order.from_at) or "",
        to_at=moment(order.to_at) or "",
        count=len(seen.instants),
        parallel=seen.parallel,
        first=moment(ordered[0]) if ordered else None,
        last=moment(ordered[-1]) if ordered else None,
        instants=[moment(at) or "" for at in seen.instants[:INSTANTS_SHOWN]],
        token=seen.token,
    )


@router.post("", responses={**WRITES, 200: {"model": BackfillOut}}, status_code=201, summary="Start a backfill")
async def start_backfill(
    request: Request,
    services: Services,
    who: Runner,
    body: StartBackfillIn,
    response: Response,
    namespace: Namespace = None,
) -> BackfillOut:
    """What was previewed, if it is still the same. The same Idempotency-Key means the same backfill."""
    order = _order(who, body, namespace, needed_moment(body.to, "to"))
    started = await operations.start(services, who, order, token=body.token, request_key=request_key(request, who))
    if started.created:
        response.headers["Location"] = located("backfills", str(started.backfill.id))
    else:
        response.status_code = 200
    return BackfillOut.of(started.backfill)


@router.get("/{number}", responses=READS, summary="Read a backfill")
async def get_backfill(services: Services, who: Reader, number: Number) -> BackfillOut:
    """How far it is."""
    return BackfillOut.of(await operations.find_backfill(services, who, number))


@router.post("/{number}:pause", responses=WRITES, summary="Pause a backfill")
async def pause_backfill(services: Services, who: Runner, number: Number) -> BackfillOut:
    """No further runs are made; those made go on."""
    return BackfillOut.of(await operations.set_state(services, who, number, BackfillState.PAUSED))


@router.post("/{number}:resume", responses=WRITES, summary="Let a backfill go on")
async def resume_backfill(services: Services, who: Runner, number: Number) -> BackfillOut:
    """From where it was."""
    return BackfillOut.of(await operations.set_state(services, who, number, BackfillState.ACTIVE))


@router.delete("/{number}", responses=WRITES, summary="End a backfill")
async def end_backfill(services: Services, who: Runner, number: Number) -> BackfillOut:
    """No further runs are made; those made go on."""
    return BackfillOut.of(await operations.set_state(services, who, number, BackfillState.CANCELLED))


def _order(who: Principal, body: NewBackfillIn, namespace: str | None, to_at: Instant) -> BackfillOrder:
    """The namespace stands in the address, as everywhere, or in the body."""
    if body.namespace is not None and namespace not in (None, body.namespace):
        raise BadField("namespace", "the address says another one", hint="say it once")
    return BackfillOrder(
        namespace=home_of(who, body.namespace or namespace),
        job=body.job,
        from_at=needed_moment(body.from_, "from"),
        to_at=to_at,
        selection=Selection(body.only),
        parallel=body.parallel,
        newest_first=body.newest_first,
        params=body.params,
        reason=body.reason,
    )
