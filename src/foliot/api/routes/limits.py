"""`/limits`: the named limits, and those of the whole cluster, which an admin makes."""

from typing import Annotated, Final

from fastapi import APIRouter, Path

from foliot.api.models.common import Page
from foliot.api.models.limits import LimitIn, LimitOut, LimitUseOut
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Admin,
    Cursor,
    EveryNamespace,
    Limit,
    Namespace,
    Reader,
    Services,
)
from foliot.api.route import FoliotRoute
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations import limits as operations

router: Final = APIRouter(prefix=PREFIX, tags=["limits"], route_class=FoliotRoute)
LimitName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]


@router.get("/limits", responses=READS, summary="List named limits")
async def list_limits(
    services: Services, who: Reader, namespace: EveryNamespace = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[LimitOut]:
    """Those of the whole cluster and those of a namespace, with how many runs hold each."""
    after = cursor or ""
    found = await operations.list_limits(services, who, namespace=namespace, after=after, limit=limit)
    is_full = len(found) == limit
    next_cursor = found[-1].key if is_full else None
    items = [LimitOut.of(one) for one in found]
    return Page(items=items, next_cursor=next_cursor)


@router.get("/limits/{name}", responses=READS, summary="Look at a named limit")
async def get_limit(services: Services, who: Reader, name: LimitName, namespace: Namespace = None) -> LimitUseOut:
    """Who holds it, who waits for it, which jobs count in it: the namespace's own, or else one of the whole cluster."""
    return LimitUseOut.seen(await operations.find_limit(services, who, name, namespace=namespace))


@router.put("/cluster/limits/{name}", responses=WRITES, summary="Set a limit of the whole cluster")
async def set_cluster_limit(services: Services, who: Admin, name: LimitName, body: LimitIn) -> LimitOut:
    """Jobs of every namespace that are saved with this name from now on count in it. Saving a job never changes it."""
    return LimitOut.of(await operations.set_limit(services, who, name, body.max, reason=body.reason))


@router.delete("/cluster/limits/{name}", responses=WRITES, status_code=204, summary="Take a limit of the cluster away")
async def remove_cluster_limit(services: Services, who: Admin, name: LimitName) -> None:
    """Refused while a job counts in it."""
    await operations.remove_limit(services, who, name)
