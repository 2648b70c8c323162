"""`/channels` and `/deliveries`: where alerts are told, and what was sent."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response

from foliot.api.models.channels import (
    ChannelIn,
    ChannelKindOut,
    ChannelKindsOut,
    ChannelOut,
    ChannelsOut,
    ChannelTestOut,
    DeliveryOut,
)
from foliot.api.models.common import Page
from foliot.api.models.jobs import ChangeOut, WarningOut
from foliot.api.pages import AnyLimit, number_of_cursor, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Admin,
    Cursor,
    EveryNamespace,
    IfMatch,
    IfNoneMatch,
    Limit,
    NameFilter,
    Reader,
    Services,
    Speaks,
    etag,
    expected_version,
)
from foliot.api.route import FoliotRoute
from foliot.domain.access import Principal
from foliot.domain.alerts.channel import Channel, ChannelChanged, ChannelNotFound, written_channel
from foliot.domain.texts import NAME_BYTES_MAX, REASON_BYTES_MAX
from foliot.operations import channels as operations
from foliot.operations.diff import changes_between
from foliot.ports.store.channels import DeliveryState
from foliot.words.language import Language

router: Final = APIRouter(prefix=PREFIX, tags=["alerts"], route_class=FoliotRoute)

ChannelName = Annotated[str, Path(max_length=NAME_BYTES_MAX)]
Owner = Annotated[
    str | None,
    Query(max_length=NAME_BYTES_MAX, description="Whose channel it is; left out: every namespace may use it."),
]


@router.get("/channels", responses=READS, summary="List channels")
async def list_channels(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    limit: AnyLimit = None,
    cursor: Cursor = None,
) -> ChannelsOut:
    """Those that every namespace may use and those of a namespace, with how each did lately."""
    found = await operations.list_channels(services, who, namespace=namespace)
    page, more = page_of(found, _key, limit=limit, cursor=cursor)
    return ChannelsOut(items=[ChannelOut.of(one, language) for one in page], next_cursor=more)


def _key(seen: operations.SeenChannel) -> str:
    return f"{seen.channel.namespace or ''}/{seen.channel.name}"


@router.get("/channels/kinds", responses=READS, summary="List kinds of channels")
async def list_channel_kinds(
    services: Services, who: Reader, limit: AnyLimit = None, cursor: Cursor = None
) -> ChannelKindsOut:
    """Each with the JSON Schema of its settings."""
    found = [ChannelKindOut(name=name, settings=dict(schema)) for name, schema in operations.kinds(services, who)]
    page, more = page_of(found, lambda one: one.name, limit=limit, cursor=cursor)
    return ChannelKindsOut(items=page, next_cursor=more)


@router.get("/channels/{name}", responses=READS, summary="Read a channel")
async def get_channel(
    services: Services, who: Reader, language: Speaks, name: ChannelName, response: Response, namespace: Owner = None
) -> ChannelOut:
    """The namespace's own, or else one that every namespace may use; its ETag is what a change must be made from."""
    found = await operations.find_channel(services, who, name, namespace=namespace)
    response.headers["ETag"] = etag(found.channel.version)
    return ChannelOut.of(found, language)


@router.put(
    "/channels/{name}",
    responses={**WRITES, 201: {"model": ChannelOut, "description": "It is new."}},
    summary="Save a channel",
)
async def put_channel(
    services: Services,
    who: Admin,
    language: Speaks,
    name: ChannelName,
    body: ChannelIn,
    response: Response,
    namespace: Owner = None,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> ChannelOut:
    """With `If-Match` another version of the channel; with `If-None-Match: *` a new one."""
    version = expected_version(if_match, name, if_none_match=if_none_match)
    channel = operations.read_channel(services, who, name, body.channel, namespace=namespace, version=version)
    try:
        saved, is_changed = await operations.save_channel(services, who, channel, reason=body.reason)
    except ChannelChanged as stale:
        raise await _explained(services, who, channel, stale, language) from stale
    response.headers["ETag"] = etag(saved.channel.version)
    if is_changed and version == 0:
        response.status_code = 201
    return ChannelOut.of(saved, language)


async def _explained(
    services: Services, who: Principal, wanted: Channel, stale: ChannelChanged, language: Language
) -> ChannelChanged:
    """The refusal, with the present channel and how the wanted one differs."""
    try:
        present = await operations.find_channel(services, who, wanted.name, namespace=wanted.namespace)
    except ChannelNotFound:
        return stale
    stale.data["current"] = ChannelOut.of(present, language).model_dump(mode="json")
    changes = changes_between(written_channel(present.channel), written_channel(wanted))
    stale.data["changes"] = [ChangeOut.of(change).model_dump(mode="json") for change in changes]
    return stale


@router.delete("/channels/{name}", responses=WRITES, status_code=204, summary="Take a channel away")
async def delete_channel(
    services: Services,
    who: Admin,
    name: ChannelName,
    namespace: Owner = None,
    force: Annotated[bool, Query(description="Also while rules name it.")] = False,
    reason: Annotated[str, Query(max_length=REASON_BYTES_MAX)] = "",
) -> None:
    """Refused while a rule names it. What waits for it is dropped."""
    await operations.remove_channel(services, who, name, namespace=namespace, force=force, reason=reason)


@router.post("/channels/{name}:test", responses=WRITES, summary="Send a test message to a channel")
async def try_channel(
    services: Services, who: Admin, language: Speaks, name: ChannelName, namespace: Owner = None
) -> ChannelTestOut:
    """It goes the way of every alert. The answer waits some seconds for it to arrive."""
    seen, delivery = await operations.try_channel(services, who, name, namespace=namespace)
    return ChannelTestOut(
        is_sent=delivery.state is DeliveryState.SENT,
        delivery=DeliveryOut.of(delivery),
        lacking={server: list(names) for server, names in seen.lacking.items()},
        warnings=[WarningOut.of(warning, language) for warning in seen.warnings],
    )


@router.get("/deliveries", responses=READS, summary="List what was sent")
async def list_deliveries(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    channel: NameFilter = None,
    alert: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[DeliveryOut]:
    """Messages to channels, newest first: which arrived, which wait, and why one did not arrive."""
    found = await operations.list_deliveries(
        services,
        who,
        namespace=namespace,
        channel=channel,
        alert_id=alert,
        limit=limit,
        before_id=number_of_cursor(cursor, digits_max=18),
    )
    next_cursor = str(found.next_before_id) if found.next_before_id is not None else None
    return Page(items=[DeliveryOut.of(one) for one in found.items], next_cursor=next_cursor)
