"""Previews of messages as JSON: what a channel would be told."""

from typing import Any

from pydantic import Field

from foliot.api.models.alert_rules import RuleDocument
from foliot.api.models.channels import ChannelDocument
from foliot.api.models.common import ApiInput, ApiOutput, Moment, Name, moment, one_of
from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.channel import LANGUAGES
from foliot.domain.instants import Instant
from foliot.operations.alert_previews import ChannelPreview, MessagePreview
from foliot.words.alert_messages import held_back
from foliot.words.language import Language

KINDS = tuple(str(kind) for kind in NoticeKind if kind not in (NoticeKind.DIGEST, NoticeKind.REPORT))
Told = Field("fired", description="What is told.", json_schema_extra={"enum": list(KINDS)}, max_length=20)
RunSeen = Field(None, max_length=40, description="As if this run had caused it.", examples=["r-8k2f"])


class PreviewOfChannel(ApiInput):
    """About what a channel would be told: an alert, a run, or a made up trouble where neither is named."""

    kind: str = Told
    alert: int | None = Field(None, ge=1, lt=2**63, description="This alert.")
    run: str | None = RunSeen
    rule: Name | None = Field(None, description="By this rule; left out: by what a job itself asks for.")
    channel: ChannelDocument | None = Field(None, description="Asked in the place of the saved one; needs an admin.")


class PreviewOfRule(ApiInput):
    """About what the channels of a rule would be told."""

    kind: str = Told
    run: str | None = RunSeen
    rule: RuleDocument | None = Field(None, description="Asked in the place of the saved one.")


class MessagePreviewOut(ApiOutput):
    """A message in one language."""

    language: str = one_of(*LANGUAGES)
    title: str
    text: str = Field(description="The cause.")
    facts: dict[str, str] = Field(description="Job, run, due time and so on, in the order to show.")
    log: list[str] = Field(description="The last lines of the run's log.")
    link: str
    runbook: str
    body: dict[str, Any] = Field(description="What would go over the line, without address and signature.")
    bytes: int = Field(description="Of the body as JSON.")
    is_cut: bool = Field(description="The limits of the kind left something out: `[…]` stands there.")

    @classmethod
    def of(cls, preview: MessagePreview) -> "MessagePreviewOut":
        message = preview.message
        return cls(
            language=preview.language,
            title=message.title,
            text=message.text,
            facts=dict(message.facts),
            log=list(message.log),
            link=message.link,
            runbook=message.runbook,
            body=dict(preview.body),
            bytes=preview.size,
            is_cut=preview.is_cut,
        )


class ChannelPreviewOut(ApiOutput):
    """What one channel would be told."""

    channel: str = Field(examples=["oncall"])
    namespace: str | None = Field(description="Of the channel; null: of the whole cluster.")
    kind: str = Field(examples=["dingtalk"])
    language: str = Field(description="The one that it is told in.", json_schema_extra={"enum": list(LANGUAGES)})
    told: str = one_of("now", "later", "never")
    told_at: Moment | None = Field(description="When; null: never.")
    why: str = Field(description="What holds it back, in words; empty: nothing.")
    messages: list[MessagePreviewOut] = Field(description="One a language.")

    @classmethod
    def of(cls, preview: ChannelPreview, language: Language) -> "ChannelPreviewOut":
        channel = preview.channel
        return cls(
            channel=channel.name,
            namespace=channel.namespace,
            kind=channel.kind,
            language=channel.language,
            told=_told(preview.told_at, preview.why),
            told_at=moment(preview.told_at),
            why=held_back(preview.why, language),
            messages=[MessagePreviewOut.of(one) for one in preview.messages],
        )


def _told(told_at: Instant | None, why: str) -> str:
    if told_at is None:
        return "never"
    return "later" if why else "now"


class RulePreviewOut(ApiOutput):
    """What the channels of a rule would be told; none: nobody hears it."""

    items: list[ChannelPreviewOut]
