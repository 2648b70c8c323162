"""`:preview` of channels and rules: what would be told, in every language. Nothing is sent."""

from typing import Final

from fastapi import APIRouter

from foliot.api.models.alert_previews import (
    KINDS,
    ChannelPreviewOut,
    PreviewOfChannel,
    PreviewOfRule,
    RulePreviewOut,
)
from foliot.api.request_parts import PREFIX, WRITES, Namespace, Reader, Services, Speaks, run_id_of
from foliot.api.route import FoliotRoute
from foliot.api.routes.alert_rules import Everywhere, RuleName
from foliot.api.routes.channels import ChannelName, Owner
from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.document_values import shown
from foliot.domain.errors import BadField
from foliot.operations import alert_previews as operations

router: Final = APIRouter(prefix=PREFIX, tags=["alerts"], route_class=FoliotRoute)


@router.post("/channels/{name}:preview", responses=WRITES, summary="What would a channel be told?")
async def preview_channel(
    services: Services,
    who: Reader,
    language: Speaks,
    name: ChannelName,
    body: PreviewOfChannel,
    namespace: Owner = None,
) -> ChannelPreviewOut:
    """Its message in every language, as its kind writes it and within the limits of that kind. Nothing is sent."""
    found = await operations.preview_channel(
        services,
        who,
        name,
        namespace=namespace,
        kind=_kind(body.kind),
        alert_id=body.alert,
        run_id=None if body.run is None else run_id_of(body.run),
        rule=body.rule,
        document=body.channel,
    )
    return ChannelPreviewOut.of(found, language)


@router.post("/rules/{name}:preview", responses=WRITES, summary="What would the channels of a rule be told?")
async def preview_rule(
    services: Services,
    who: Reader,
    language: Speaks,
    name: RuleName,
    body: PreviewOfRule,
    namespace: Namespace = None,
    everywhere: Everywhere = None,
) -> RulePreviewOut:
    """The message of each channel that the rule tells at first. Nothing is sent."""
    found = await operations.preview_rule(
        services,
        who,
        name,
        namespace=namespace,
        everywhere=everywhere,
        kind=_kind(body.kind),
        run_id=None if body.run is None else run_id_of(body.run),
        document=body.rule,
    )
    return RulePreviewOut(items=[ChannelPreviewOut.of(one, language) for one in found])


def _kind(written: str) -> NoticeKind:
    if written not in KINDS:
        raise BadField("kind", f"{shown(written)} is not one of {', '.join(KINDS)}")
    return NoticeKind(written)
