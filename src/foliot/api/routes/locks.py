"""`/locks`: claim, renew and give back a lock; look at locks; take one away by force."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query

from foliot.api.models.common import Page
from foliot.api.models.locks import LockClaimIn, LockClaimOut, LockOut, LockReleaseIn
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    Limit,
    Locker,
    Namespace,
    Reader,
    Runner,
    Services,
    Speaks,
    read_duration,
)
from foliot.api.route import FoliotRoute
from foliot.domain.instants import SECOND
from foliot.domain.texts import NAME_BYTES_MAX, SESSION_BYTES_MAX
from foliot.operations import locks as operations
from foliot.words.lock_order import order_words

router: Final = APIRouter(prefix=PREFIX, tags=["locks"], route_class=FoliotRoute)
WAIT_MAX_S: Final = operations.WAIT_MAX / SECOND
LockName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
ClaimId = Annotated[
    str, Path(max_length=SESSION_BYTES_MAX, description="Random, chosen by the caller; it makes the call repeatable.")
]


@router.get("/locks", responses=READS, summary="List locks")
async def list_locks(
    services: Services, who: Reader, namespace: EveryNamespace = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[LockOut]:
    """Locks that somebody holds or waits for."""
    first, _, second = (cursor or "/").partition("/")
    found = await operations.list_locks(services, who, namespace=namespace, after=(first, second), limit=limit)
    is_full = len(found) == limit
    next_cursor = f"{found[-1].namespace}/{found[-1].name}" if is_full else None
    return Page(items=[LockOut.of(lock) for lock in found], next_cursor=next_cursor)


@router.get("/locks/{name}", responses=READS, summary="Look at a lock")
async def get_lock(
    services: Services, who: Reader, language: Speaks, name: LockName, namespace: Namespace = None
) -> LockOut:
    """Who holds it under which token, who waits, and in which order to take it and other locks."""
    found = await operations.find_lock(services, who, name, namespace=namespace)
    advice = await operations.order_advice(services, who, found)
    return LockOut.of(found, None if advice is None else order_words(advice, language))


@router.put("/locks/{name}/claims/{claim}", responses=WRITES, summary="Claim, await or renew a lock")
async def claim_lock(
    services: Services,
    who: Locker,
    name: LockName,
    claim: ClaimId,
    body: LockClaimIn,
    namespace: Namespace = None,
    wait: Annotated[float, Query(ge=0, le=WAIT_MAX_S, description="Seconds to wait for the lock.")] = 0,
) -> LockClaimOut:
    """Hold the lock, or wait in its line: then send the same claim again, within 30 s. A held claim is renewed."""
    ttl_us = read_duration(body.ttl, "ttl")
    assert ttl_us is not None
    if body.token is not None:
        home, answer = await operations.renew_lock(
            services, who, name, claim=claim, namespace=namespace, token=int(body.token)
        )
        return LockClaimOut.of(name, home, claim, answer, answer.ttl_us)
    home, answer = await operations.claim_lock(
        services,
        who,
        name,
        claim=claim,
        namespace=namespace,
        ttl_us=ttl_us,
        wait_us=int(wait * SECOND),
        shared=body.shared,
        slots=body.slots,
        queues=not body.at_once,
    )
    return LockClaimOut.of(name, home, claim, answer, ttl_us)


@router.delete("/locks/{name}/claims/{claim}", responses=WRITES, status_code=204, summary="Give a lock back")
async def leave_lock(
    services: Services, who: Locker, name: LockName, claim: ClaimId, namespace: Namespace = None
) -> None:
    """Held or waiting. A claim that is over already stays over."""
    await operations.give_back(services, who, name, claim=claim, namespace=namespace)


@router.post("/locks/{name}:release", responses=WRITES, summary="Take a lock away")
async def release_lock(
    services: Services, who: Runner, name: LockName, body: LockReleaseIn, namespace: Namespace = None
) -> LockOut:
    """End the hold that has this token. Its code may still be at work: what it writes to must refuse old tokens."""
    before = await operations.take_lock_away(
        services, who, name, namespace=namespace, token=int(body.token), reason=body.reason
    )
    return LockOut.of(before)
