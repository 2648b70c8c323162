"""Channels, kinds of them, and what was sent, as JSON."""

from typing import Annotated, Any

from pydantic import Field

from foliot.api.models.alerts import LEVELS
from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, Reason, moment, one_of
from foliot.api.models.jobs import WarningOut
from foliot.api.models.states import DeliveryWord
from foliot.domain.alerts.alert import NoticeKind
from foliot.domain.alerts.channel import written_channel
from foliot.operations.channels import SeenChannel
from foliot.ports.store.channels import ChannelHealth, Delivery
from foliot.words.language import Language

ChannelDocument = Annotated[
    dict[str, Any],
    Field(
        description="The channel, in the form of files: kind, settings, level, language, default, hours, rate, digest, "
        "alive, on. Secrets are references: `${secret:NAME}`.",
        examples=[{"kind": "dingtalk", "settings": {"webhook": "${secret:DING}"}, "level": "warning"}],
    ),
]


class ChannelIn(ApiInput):
    """A channel as a whole."""

    channel: ChannelDocument
    reason: Reason = ""


class ChannelHealthOut(ApiOutput):
    """How a channel did lately."""

    last_sent_at: Moment | None
    failures: int = Field(description="Since the last message that arrived.")
    failing_since: Moment | None
    last_error: str
    waiting: int = Field(description="Messages that wait to be sent.")

    @classmethod
    def of(cls, health: ChannelHealth) -> "ChannelHealthOut":
        return cls(
            last_sent_at=moment(health.last_sent_at),
            failures=health.failures,
            failing_since=moment(health.failing_since),
            last_error=health.last_error,
            waiting=health.waiting,
        )


class ChannelOut(ApiOutput):
    """A way to tell people."""

    name: str = Field(examples=["oncall"])
    namespace: str | None = Field(description="Whose it is; null: every namespace may use it.")
    version: int
    kind: str = Field(examples=["dingtalk"])
    level: str = Field(description="Less grave alerts are not told here.", json_schema_extra={"enum": list(LEVELS)})
    language: str = one_of("en", "zh")
    is_default: bool = Field(description="Rules that name nobody tell it.")
    is_on: bool
    channel: ChannelDocument
    lately: ChannelHealthOut
    lacking: dict[str, list[str]] = Field(
        default_factory=dict, description="Secrets that it names and live servers do not have, by server."
    )
    warnings: list[WarningOut] = Field(default_factory=list, description="What keeps servers from sending there.")

    @classmethod
    def of(cls, seen: SeenChannel, language: Language) -> "ChannelOut":
        channel = seen.channel
        return cls(
            name=channel.name,
            namespace=channel.namespace,
            version=channel.version,
            kind=channel.kind,
            level=str(channel.level_min),
            language=channel.language,
            is_default=channel.is_default,
            is_on=channel.is_on,
            channel=written_channel(channel),
            lately=ChannelHealthOut.of(seen.health),
            lacking={server: list(names) for server, names in seen.lacking.items()},
            warnings=[WarningOut.of(warning, language) for warning in seen.warnings],
        )


class ChannelsOut(Listed):
    """Channels: of the cluster, then of namespaces, by name."""

    items: list[ChannelOut]


class ChannelKindOut(ApiOutput):
    """A kind of channel, and the JSON Schema of its settings. A secret one has `"secret": true`."""

    name: str = Field(examples=["dingtalk"])
    settings: dict[str, Any]


class ChannelKindsOut(Listed):
    """Kinds of channels, by name."""

    items: list[ChannelKindOut]


class DeliveryOut(ApiOutput):
    """One message to one channel."""

    id: int
    delivery: str = Field(description="The same in every try: receivers drop a repeat by it.")
    kind: str = one_of(*(str(kind) for kind in NoticeKind))
    channel: str
    namespace: str | None = Field(description="Of the channel; null: of the whole cluster.")
    level: str = one_of(*LEVELS)
    alert: int | None
    state: DeliveryWord
    attempt: int
    created_at: Moment
    next_at: Moment | None = Field(description="When it is tried again.")
    settled_at: Moment | None = Field(description="When it arrived or was given up.")
    sent_by: str | None = Field(description="The server that sent it.")
    is_repeat: bool = Field(description="It may have arrived before: an answer was lost.")
    error: str

    @classmethod
    def of(cls, one: Delivery) -> "DeliveryOut":
        notice = one.notice
        return cls(
            id=one.id,
            delivery=one.delivery_id,
            kind=str(notice.kind),
            channel=notice.channel,
            namespace=notice.namespace,
            level=str(notice.level),
            alert=notice.alert_id,
            state=one.state,
            attempt=one.attempt,
            created_at=moment(one.created_at) or "",
            next_at=moment(one.next_at),
            settled_at=moment(one.settled_at),
            sent_by=one.sent_by or None,
            is_repeat=one.is_repeat,
            error=one.error,
        )


class ChannelTestOut(ApiOutput):
    """What became of a test message."""

    is_sent: bool
    delivery: DeliveryOut
    lacking: dict[str, list[str]] = Field(description="Secrets that live servers do not have, by server.")
    warnings: list[WarningOut] = Field(description="What keeps servers from sending there.")
