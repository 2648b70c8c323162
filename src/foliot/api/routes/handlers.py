"""`/handlers`: kinds of handlers, who offers them, and their options."""

from typing import Annotated, Final

from fastapi import APIRouter, Path

from foliot.api.models.handlers import HandlerOut, HandlersOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import PREFIX, READS, Cursor, Reader, Services
from foliot.api.route import FoliotRoute
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations.handlers import find_kind, list_kinds

router: Final = APIRouter(prefix=PREFIX, tags=["handlers"], route_class=FoliotRoute)
KindName = Annotated[str, Path(max_length=NAME_BYTES_MAX, examples=["http"])]


@router.get("/handlers", responses=READS, summary="List kinds of handlers")
async def list_handlers(services: Services, who: Reader, limit: AnyLimit = None, cursor: Cursor = None) -> HandlersOut:
    """Foliot's own and those of packages: versions, nodes that offer them, and where one does not work."""
    found = await list_kinds(services, who)
    page, more = page_of(found, lambda seen: seen.kind, limit=limit, cursor=cursor)
    return HandlersOut(items=[HandlerOut.of(seen, full=False) for seen in page], next_cursor=more)


@router.get("/handlers/{kind}", responses=READS, summary="One kind of handler and its options")
async def get_handler(services: Services, who: Reader, kind: KindName) -> HandlerOut:
    """The JSON Schema of the options says what `run: {kind: {...}}` of a job may hold."""
    return HandlerOut.of(await find_kind(services, who, kind), full=True)
