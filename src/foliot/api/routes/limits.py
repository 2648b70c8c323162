"""`/limits`: the limits, and those that an admin makes: of the whole cluster, of a group, of a namespace."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path

from foliot.api.models.common import Page
from foliot.api.models.limits import JobKeysOut, LimitIn, LimitOut, LimitSetOut, LimitUseOut, ScopeLimitIn
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
    Writer,
)
from foliot.api.route import FoliotRoute
from foliot.domain.limits import LimitKind
from foliot.domain.texts import NAME_BYTES_MAX
from foliot.operations import limits as operations

router: Final = APIRouter(prefix=PREFIX, tags=["limits"], route_class=FoliotRoute)
LimitName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
ScopeKind = Annotated[Literal[LimitKind.GROUP, LimitKind.NAMESPACE], Path()]


@router.get("/limits", responses=READS, summary="List limits")
async def list_limits(
    services: Services, who: Reader, namespace: EveryNamespace = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[LimitOut]:
    """Those of the whole cluster, of groups, and of a namespace, with how many runs hold each."""
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


@router.put("/limits/{name}", responses=WRITES, summary="Change a limit of a namespace")
async def set_own_limit(
    services: Services, who: Writer, name: LimitName, body: LimitIn, namespace: Namespace = None
) -> LimitSetOut:
    """Jobs made it by naming it. It keeps this number until a job is saved with another one than before."""
    done = await operations.set_own_limit(services, who, name, body.max, namespace=namespace, reason=body.reason)
    return LimitSetOut.set(done)


@router.put("/cluster/limits/{name}", responses=WRITES, summary="Set a limit of the whole cluster")
async def set_cluster_limit(services: Services, who: Admin, name: LimitName, body: LimitIn) -> LimitSetOut:
    """Jobs of every namespace that are saved with this name from now on count in it. Saving a job never changes it."""
    return LimitSetOut.set(await operations.set_limit(services, who, name, body.max, reason=body.reason))


@router.delete("/cluster/limits/{name}", responses=WRITES, status_code=204, summary="Take a limit of the cluster away")
async def remove_cluster_limit(services: Services, who: Admin, name: LimitName) -> None:
    """Refused while a job counts in it."""
    await operations.remove_limit(services, who, name)


@router.get("/limits/job/{name}", responses=READS, summary="Look at the limits by key and by worker of a job")
async def get_job_keys(services: Services, who: Reader, name: LimitName, namespace: Namespace = None) -> JobKeysOut:
    """Which values of its parameter and which workers are full, who holds them, how many runs wait."""
    return JobKeysOut.seen(await operations.find_full_keys(services, who, name, namespace=namespace))


@router.get("/limits/{kind}/{name}", responses=READS, summary="Look at the limit of a group or namespace")
async def get_scope_limit(services: Services, who: Reader, kind: ScopeKind, name: LimitName) -> LimitUseOut:
    """Who holds it, who waits for it, which jobs count in it."""
    return LimitUseOut.seen(await operations.find_scope_limit(services, who, kind, name))


@router.put("/cluster/limits/{kind}/{name}", responses=WRITES, summary="Limit a group or namespace")
async def set_scope_limit(
    services: Services, who: Admin, kind: ScopeKind, name: LimitName, body: ScopeLimitIn
) -> LimitOut:
    """Every run there counts in it, without its job naming it: what runs now, too. What the body leaves out stays."""
    limit = await operations.set_scope_limit(
        services, who, kind, name, max_=body.max, rate=body.rate, burst=body.burst, reason=body.reason
    )
    return LimitOut.of(limit)


@router.delete(
    "/cluster/limits/{kind}/{name}", responses=WRITES, status_code=204, summary="Limit a group or namespace no more"
)
async def remove_scope_limit(services: Services, who: Admin, kind: ScopeKind, name: LimitName) -> None:
    """What waits for it may start."""
    await operations.remove_scope_limit(services, who, kind, name)
