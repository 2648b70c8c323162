"""`/views`: addresses of the console that are kept under a name."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query

from foliot.api.models.views import ViewIn, ViewOut, ViewsOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import PREFIX, READS, WRITES, Cursor, Reader, Services
from foliot.api.route import FoliotRoute
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations import views as operations

router: Final = APIRouter(prefix=PREFIX + "/views", tags=["views"], route_class=FoliotRoute)
ViewName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]


@router.get("", responses=READS, summary="List saved views")
async def list_views(services: Services, who: Reader, limit: AnyLimit = None, cursor: Cursor = None) -> ViewsOut:
    """Your own and the shared ones, by name."""
    found = await operations.list_views(services, who)
    page, more = page_of(found, lambda view: f"{view.name}/{view.owner}", limit=limit, cursor=cursor)
    return ViewsOut(items=[ViewOut.of(view) for view in page], next_cursor=more)


@router.put("/{name}", responses=WRITES, summary="Save a view")
async def save_view(services: Services, who: Reader, name: ViewName, body: ViewIn) -> ViewOut:
    """Your own, or a shared one, which needs the scope write. The same name takes the place of the one before."""
    return ViewOut.of(await operations.save_view(services, who, name, body.path, is_shared=body.shared))


@router.delete("/{name}", responses=WRITES, status_code=204, summary="Forget a view")
async def remove_view(
    services: Services,
    who: Reader,
    name: ViewName,
    shared: Annotated[bool, Query(description="The shared one of this name.")] = False,
) -> None:
    """Your own, or a shared one, which needs the scope write."""
    await operations.remove_view(services, who, name, is_shared=shared)
