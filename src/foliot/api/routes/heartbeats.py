"""`/checks`: jobs outside of Foliot that are to be heard of, and their pings."""

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query, Response

from foliot.api.models.common import located
from foliot.api.models.heartbeats import (
    KINDS,
    STATES,
    CheckIn,
    CheckOut,
    ChecksOut,
    HeardOut,
    NewCheck,
    PauseCheck,
    PingIn,
    PingOut,
    PingsOut,
    ResumeCheck,
)
from foliot.api.models.jobs import ChangeOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Cursor,
    EveryNamespace,
    IfMatch,
    IfNoneMatch,
    Namespace,
    Pinger,
    Reader,
    Services,
    Speaks,
    Writer,
    etag,
    expected_version,
    read_words,
)
from foliot.api.route import FoliotRoute
from foliot.domain.access import Principal
from foliot.domain.heartbeats.check import CheckState, HeartbeatCheck
from foliot.domain.heartbeats.document import written_check
from foliot.domain.heartbeats.errors import CheckChanged, CheckNotFound
from foliot.domain.texts import NAME_BYTES_MAX, REASON_BYTES_MAX
from foliot.operations import heartbeats as operations
from foliot.operations.diff import changes_between
from foliot.operations.heartbeats import CheckFilter
from foliot.words.language import Language

router: Final = APIRouter(prefix=PREFIX, tags=["checks"], route_class=FoliotRoute)

CheckName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
MaybePause = Annotated[PauseCheck, Body(default_factory=PauseCheck)]
MaybeResume = Annotated[ResumeCheck, Body(default_factory=ResumeCheck)]
MaybePing = Annotated[PingIn, Body(default_factory=PingIn)]
Kind = Annotated[str, Query(json_schema_extra={"enum": list(KINDS)}, max_length=10, examples=["ok"])]


@router.get("/checks", responses=READS, summary="List checks of jobs outside of Foliot")
async def list_checks(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    state: Annotated[str | None, Query(max_length=100, examples=["down,late"])] = None,
    q: Annotated[str, Query(max_length=200, description="In the name, the owner or the description.")] = "",
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> ChecksOut:
    """By namespace and name, each with its state by the store's time."""
    states = frozenset(CheckState(word) for word in read_words(state, "state", STATES))
    wanted = CheckFilter(states=states, text=q)
    found = await operations.list_checks(services, who, wanted, namespace=namespace)
    page, more = page_of(found, lambda one: f"{one.check.namespace}/{one.check.name}", limit=limit, cursor=cursor)
    return ChecksOut(items=[CheckOut.of(one, language) for one in page], next_cursor=more)


@router.post("/checks", responses=WRITES, status_code=201, summary="Make a check")
async def create_check(
    services: Services, who: Writer, language: Speaks, body: NewCheck, response: Response, namespace: Namespace = None
) -> CheckOut:
    """It is `new`, and nobody waits for it, until its first ping."""
    check = operations.read_check(who, body.name, body.check, namespace=namespace)
    saved = await operations.create_check(services, who, check, reason=body.reason)
    response.headers["ETag"] = etag(saved.seen.check.version)
    response.headers["Location"] = located("checks", check.name, namespace=check.namespace)
    return CheckOut.saved(saved, language)


@router.get("/checks/{name}", responses=READS, summary="Read a check")
async def get_check(
    services: Services, who: Reader, language: Speaks, name: CheckName, response: Response, namespace: Namespace = None
) -> CheckOut:
    """How it is, and what was heard of it; its ETag is what a change must be made from."""
    found = await operations.find_check(services, who, name, namespace=namespace)
    response.headers["ETag"] = etag(found.check.version)
    return CheckOut.of(found, language)


@router.put(
    "/checks/{name}",
    responses={**WRITES, 201: {"model": CheckOut, "description": "It is new."}},
    summary="Save a check",
)
async def put_check(
    services: Services,
    who: Writer,
    language: Speaks,
    name: CheckName,
    body: CheckIn,
    response: Response,
    namespace: Namespace = None,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> CheckOut:
    """With `If-Match` another version of the check; with `If-None-Match: *` a new one."""
    version = expected_version(if_match, name, if_none_match=if_none_match)
    check = operations.read_check(who, name, body.check, namespace=namespace, version=version)
    try:
        saved = await operations.save_check(services, who, check, reason=body.reason)
    except CheckChanged as stale:
        raise await _explained(services, who, check, stale, language) from stale
    response.headers["ETag"] = etag(saved.seen.check.version)
    if saved.is_changed and version == 0:
        response.status_code = 201
    return CheckOut.saved(saved, language)


async def _explained(
    services: Services, who: Principal, wanted: HeartbeatCheck, stale: CheckChanged, language: Language
) -> CheckChanged:
    """The refusal, with the present check and how the wanted one differs."""
    try:
        present = await operations.find_check(services, who, wanted.name, namespace=wanted.namespace)
    except CheckNotFound:
        return stale
    stale.data["current"] = CheckOut.of(present, language).model_dump(mode="json")
    changes = changes_between(written_check(present.check), written_check(wanted))
    stale.data["changes"] = [ChangeOut.of(change).model_dump(mode="json") for change in changes]
    return stale


@router.delete("/checks/{name}", responses=WRITES, status_code=204, summary="Take a check away")
async def delete_check(
    services: Services,
    who: Writer,
    name: CheckName,
    namespace: Namespace = None,
    reason: Annotated[str, Query(max_length=REASON_BYTES_MAX)] = "",
) -> None:
    """With its pings. Its alert is over."""
    await operations.remove_check(services, who, name, namespace=namespace, reason=reason)


@router.post("/checks/{name}:pause", responses=WRITES, summary="Do not wait for a check")
async def pause_check(
    services: Services, who: Writer, language: Speaks, name: CheckName, body: MaybePause, namespace: Namespace = None
) -> CheckOut:
    """Its alert is over. Pings are kept all the same."""
    seen = await operations.pause_check(services, who, name, namespace=namespace, is_paused=True, reason=body.reason)
    return CheckOut.of(seen, language)


@router.post("/checks/{name}:resume", responses=WRITES, summary="Wait for a check again")
async def resume_check(
    services: Services, who: Writer, language: Speaks, name: CheckName, body: MaybeResume, namespace: Namespace = None
) -> CheckOut:
    """Its rhythm counts from now on."""
    seen = await operations.pause_check(services, who, name, namespace=namespace, is_paused=False, reason=body.reason)
    return CheckOut.of(seen, language)


@router.post("/checks/{name}:ping", responses=WRITES, summary="Let a check be heard of")
async def ping_check(
    services: Services,
    who: Pinger,
    name: CheckName,
    body: MaybePing,
    kind: Kind = "ok",
    namespace: Namespace = None,
) -> HeardOut:
    """`kind`: start, ok or fail. It needs the scope `ping` and no body, so that a line of cron can send it."""
    seen = await operations.ping_check(
        services, who, name, namespace=namespace, kind=kind, text=body.text, exit_code=body.exit_code
    )
    return HeardOut.of(seen)


@router.get("/checks/{name}/pings", responses=READS, summary="List the last pings of a check")
async def list_check_pings(
    services: Services,
    who: Reader,
    name: CheckName,
    namespace: Namespace = None,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> PingsOut:
    """Newest first; the last hundred are kept."""
    found = await operations.list_pings(services, who, name, namespace=namespace)
    page, more = page_of(found, lambda one: str(one.number), limit=limit, cursor=cursor)
    return PingsOut(items=[PingOut.of(one) for one in page], next_cursor=more)
