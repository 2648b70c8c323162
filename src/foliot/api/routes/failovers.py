"""`/failovers` and `/cluster/policy`: what failed, and when a failure needs a person."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query

from foliot.api.models.common import Page
from foliot.api.models.failovers import (
    TYPES,
    FailoverOut,
    PoliciesOut,
    PolicyIn,
    PolicyOut,
    ServerRulesIn,
    ServerRulesOut,
)
from foliot.api.pages import number_of_cursor
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Admin,
    Cursor,
    EveryNamespace,
    Limit,
    Reader,
    Services,
    Speaks,
    When,
    read_duration,
    read_since,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.failover import FailoverType, PolicyChange
from foliot.domain.roles import ServerRulesChange
from foliot.operations import failovers as operations
from foliot.operations import promote as promotion
from foliot.ports.store.failovers import FailoverFilter

router: Final = APIRouter(prefix=PREFIX, tags=["failovers"], route_class=FoliotRoute)


@router.get("/failovers", responses=READS, summary="What failed")
async def list_failovers(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    type: Annotated[str | None, Query(max_length=300, examples=["worker_crash"])] = None,  # noqa: A002  as clients say
    since: When = None,
    open: Annotated[bool, Query(description="Only what is not over.")] = False,  # noqa: A002
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[FailoverOut]:
    """Each failure from its beginning to its end, newest first. `since`: those that were not over before."""
    wanted = FailoverFilter(
        types=frozenset(FailoverType(word) for word in read_words(type, "type", TYPES)),
        since=read_since(since),
        only_open=open,
    )
    before_id = number_of_cursor(cursor, digits_max=18)
    page, now = await operations.list_failovers(
        services, who, wanted, namespace=namespace, limit=limit, before_id=before_id
    )
    next_cursor = None if page.next_before_id is None else str(page.next_before_id)
    items = [FailoverOut.of(one, now, language) for one in page.items]
    return Page(items=items, next_cursor=next_cursor)


@router.get("/failovers/{number}", responses=READS, summary="One failure")
async def get_failover(
    services: Services, who: Reader, language: Speaks, number: Annotated[int, Path(ge=1, lt=2**63)]
) -> FailoverOut:
    """What was affected, what was done, how long it took."""
    found, now = await operations.find_failover(services, who, number)
    return FailoverOut.of(found, now, language)


@router.get("/cluster/policy", responses=READS, summary="When a failure needs a person")
async def get_policies(services: Services, who: Reader, language: Speaks) -> PoliciesOut:
    """Each type of failure: how it is detected, what is done, and when it is escalated to whom."""
    return PoliciesOut.of(await operations.list_policies(services, who), language)


@router.put("/cluster/policy/{type}", responses=WRITES, summary="Set when a failure needs a person")
async def set_policy(
    services: Services,
    who: Admin,
    language: Speaks,
    type: Annotated[str, Path(max_length=40, examples=["worker_crash"])],  # noqa: A002  as clients say
    body: PolicyIn,
) -> PolicyOut:
    """What Foliot does about it stays as the protocol fixes it. The times of the cluster must allow the timeout."""
    (name,) = read_words(type.replace(",", " "), "type", TYPES)
    change = PolicyChange(
        timeout_us=read_duration(body.timeout, "timeout"),
        attempts=body.attempts,
        level=body.level,
        channel=body.channel,
    )
    kept = await operations.set_policy(
        services, who, FailoverType(name), change, version=body.version, reason=body.reason
    )
    return PolicyOut.of(kept, language)


@router.put("/cluster/servers", responses=WRITES, summary="Set how many servers the cluster is to have")
async def set_server_rules(services: Services, who: Admin, body: ServerRulesIn) -> ServerRulesOut:
    """While fewer than `active_min` servers are active, a standby is promoted; the doctor misses `standby_count`."""
    change = ServerRulesChange(active_min=body.active_min, standby_count=body.standby_count)
    kept = await promotion.set_server_rules(services, who, change, version=body.version, reason=body.reason)
    return ServerRulesOut.of(kept)
