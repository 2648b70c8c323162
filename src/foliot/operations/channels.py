"""Channels: look at them, make, change and take them away, try one out, and see what was sent."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.alert import Notice, NoticeKind
from foliot.domain.alerts.channel import Channel, ChannelChanged, ChannelNotFound, channel_from, written_channel
from foliot.domain.alerts.level import AlertLevel
from foliot.domain.alerts.missing_secrets import LACKS, SecretLacking, lacking
from foliot.domain.errors import BadField, Conflict, FoliotError, InvalidInput
from foliot.domain.names import check_name, nearest
from foliot.domain.schema import check
from foliot.domain.secret_references import check_references, names_in
from foliot.operations.alert_rules import told_by
from foliot.operations.alerts import find_alert
from foliot.operations.names import actor, namespace_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.channels import ChannelHealth, Delivery, DeliveryState
from foliot.ports.store.journal import Happening, Topic

LOOK_EVERY_S: Final = 0.25
TEST_LOOKS: Final = 60
"""How often to look whether a test message has arrived: for 15 seconds."""
DELIVERIES_LOOKED_AT: Final = 100
SETTLED: Final = frozenset({DeliveryState.SENT, DeliveryState.FAILED, DeliveryState.DROPPED})


class ChannelInUse(Conflict):
    """Rules, checks and reports that name a channel would tell nobody if it were gone."""

    code = "FOL-3120"

    def __init__(self, name: str, *, rules: Sequence[str]) -> None:
        some = ", ".join(rules[:3]) + (" and others" if len(rules) > 3 else "")
        super().__init__(
            f"The channel {name} is named by {some}.",
            hint="take it out of these first",
            name=name,
            rules=list(rules[:20]),
        )


class SecretWrittenOut(InvalidInput):
    """A secret stands in the settings of a channel, where everybody who may look at it could read it."""

    code = "FOL-1393"

    def __init__(self, setting: str) -> None:
        super().__init__(
            f"settings.{setting} is a secret: its value must not stand in a channel.",
            hint=f"write {setting}: ${{secret:NAME}}, and give the servers the value of NAME",
            setting=setting,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenChannel:
    """A channel, and how it did lately."""

    channel: Channel
    health: ChannelHealth
    lacking: Mapping[str, Sequence[str]] = field(default_factory=dict)  # secrets that live servers do not have

    @property
    def warnings(self) -> Sequence[FoliotError]:
        """What keeps servers from sending there."""
        name = self.channel.name
        return [SecretLacking(server, names=names, channel=name) for server, names in self.lacking.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """Some deliveries, newest first, and where to go on; None: there are no more."""

    items: Sequence[Delivery]
    next_before_id: int | None = None


async def list_channels(services: Services, who: Principal, *, namespace: str | None) -> Sequence[SeenChannel]:
    """Channels of the cluster, which every namespace may use, and those of a namespace that the token sees."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return []
    asked = namespace_of(who, namespace)
    health = await services.store.channels.health(namespace=asked)
    found = await services.store.channels.list(namespace=asked)
    loads = await _server_loads(services, found)
    return [
        SeenChannel(channel=one, health=health.get(one.key, ChannelHealth()), lacking=lacking(one, loads))
        for one in found
    ]


async def _server_loads(services: Services, channels: Sequence[Channel]) -> Sequence[tuple[str, Mapping[str, float]]]:
    """The last beat of each live server, where a channel names a secret; this one looks anew."""
    needing = [one for one in channels if names_in(one.settings)]
    if not needing:
        return []
    rows = await services.store.lookups.nodes()
    loads = [(row.name, row.load) for row in rows if row.kind == "server" and row.state == "live"]
    own = await services.lacks_secrets(needing)
    if own is None:
        return loads
    others = [(name, load) for name, load in loads if name != services.node_name]
    return [*others, (services.node_name, {f"{LACKS}{name}": 1.0 for name in own})]


async def find_channel(services: Services, who: Principal, name: str, *, namespace: str | None) -> SeenChannel:
    """A channel by its name: the namespace's own before one of the cluster."""
    who.demand(Scope.READ)
    name = check_name("channel", name)
    asked = namespace_of(who, namespace)
    found = None
    if asked is None or who.sees(asked):
        found = await services.store.channels.find(name, namespace=asked)
    if found is None:
        seen = await list_channels(services, who, namespace=namespace)
        raise ChannelNotFound(name, namespace=asked, nearest=nearest(name, [one.channel.name for one in seen]))
    health = await services.store.channels.health(namespace=found.namespace)
    lacks = lacking(found, await _server_loads(services, [found]))
    return SeenChannel(channel=found, health=health.get(found.key, ChannelHealth()), lacking=lacks)


def read_channel(
    services: Services, who: Principal, name: str, document: Mapping[str, Any], *, namespace: str | None, version: int
) -> Channel:
    """The channel that a document means, if the token may save it. Its kind looks at its settings."""
    who.demand_everywhere(Scope.ADMIN)
    owner = None if namespace is None else check_name("namespace", namespace)
    channel = channel_from(name, document, namespace=owner, version=version)
    check_settings(services, channel)
    return channel


def kinds(services: Services, who: Principal) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """The kinds of channels, by name, each with the JSON Schema of its settings."""
    who.demand(Scope.READ)
    return sorted(services.channel_kinds().items())


def check_settings(services: Services, channel: Channel) -> None:
    """Refuse a kind that there is not, settings that it does not take, and a secret that is written out."""
    known = services.channel_kinds()
    if channel.kind not in known:
        meant = nearest(channel.kind, sorted(known))
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(sorted(known))}"
        raise BadField("kind", f'"{channel.kind[:100]}" is no kind of channel', hint=hint)
    schema = known[channel.kind]
    problems = check(schema, dict(channel.settings), path="settings")
    if problems:
        raise BadField(problems[0].path, problems[0].said)
    for name, part in schema.get("properties", {}).items():
        value = channel.settings.get(name)
        if part.get("secret") and isinstance(value, str) and value and not names_in(value):
            raise SecretWrittenOut(name)
    check_references("settings", channel.settings, fields=None)


async def save_channel(
    services: Services, who: Principal, channel: Channel, *, reason: str = ""
) -> tuple[SeenChannel, bool]:
    """Keep a channel, and say whether that changed anything. Its version is the one that the user saw; 0: a new one."""
    by = actor(who, reason)
    before = await present_channel(services, channel)
    present = 0 if before is None else before.version
    if before is not None and present == channel.version and written_channel(before) == written_channel(channel):
        return await find_channel(services, who, channel.name, namespace=channel.namespace), False
    if before is None and channel.version:
        raise ChannelChanged(channel.name, version=0)
    kept = await services.store.channels.save(channel, by=by)
    kind = "channel.changed" if present else "channel.created"
    await _note(services, who, kind, kept, version=kept.version, channel_kind=kept.kind, reason=reason)
    return await find_channel(services, who, kept.name, namespace=kept.namespace), True


async def present_channel(services: Services, channel: Channel) -> Channel | None:
    """The channel that has its name just there, not one of the cluster that stands in for it."""
    found = await services.store.channels.find(channel.name, namespace=channel.namespace)
    return found if found is not None and found.namespace == channel.namespace else None


async def remove_channel(
    services: Services, who: Principal, name: str, *, namespace: str | None, force: bool = False, reason: str = ""
) -> None:
    """Forget a channel, once no rule, check or report names it. What waits for it is dropped."""
    who.demand_everywhere(Scope.ADMIN)
    actor(who, reason)
    seen = await find_channel(services, who, name, namespace=namespace)
    channel = seen.channel
    if channel.namespace != namespace:
        raise ChannelNotFound(name, namespace=namespace)
    if not force:
        await _demand_unused(services, channel)
    if not await services.store.channels.remove(channel.name, namespace=channel.namespace):
        raise ChannelNotFound(name, namespace=namespace)
    await _note(services, who, "channel.removed", channel, reason=reason)


async def _demand_unused(services: Services, channel: Channel) -> None:
    rules = await services.store.alerts.rules(namespace=channel.namespace)
    schedules = await services.store.reports.schedules(namespace=channel.namespace)
    checks = await services.store.heartbeats.list(namespace=channel.namespace)
    users = [rule.name for rule in rules if channel.name in told_by(rule)]
    users += [f"report {one.schedule.name}" for one in schedules if channel.name in one.schedule.to]
    users += [f"check {one.check.name}" for one in checks if channel.name in one.check.to]
    if users:
        raise ChannelInUse(channel.name, rules=users)


# ---------------------------------------------------------------------------------------------------------- trying out


async def try_channel(
    services: Services, who: Principal, name: str, *, namespace: str | None
) -> tuple[SeenChannel, Delivery]:
    """Send a test message as alerts are sent, through the outbox, and wait until it arrived or was given up."""
    who.demand_everywhere(Scope.ADMIN)
    seen = await find_channel(services, who, name, namespace=namespace)
    channel = seen.channel
    key = f"test:{services.chance.token()}"
    notice = Notice(
        key=key,
        kind=NoticeKind.TEST,
        channel=channel.name,
        namespace=channel.namespace,
        level=AlertLevel.INFO,
        data={"by": who.name},
    )
    await services.store.channels.put([notice])
    services.notices_wait()
    await _note(services, who, "channel.tested", channel)
    return seen, await _settled(services, channel, key)


async def _settled(services: Services, channel: Channel, key: str) -> Delivery:
    """The delivery of a notice, once it is settled; as it is when that takes too long."""
    wake = asyncio.Event()
    for _ in range(TEST_LOOKS):
        found = await services.store.channels.deliveries(
            namespace=channel.namespace, channel=channel.name, limit=DELIVERIES_LOOKED_AT
        )
        delivery = next(one for one in found if one.notice.key == key)
        if delivery.state in SETTLED:
            break
        await services.clock.wait(wake, for_s=LOOK_EVERY_S)
    return delivery


async def list_deliveries(
    services: Services,
    who: Principal,
    *,
    namespace: str | None,
    channel: str | None = None,
    alert_id: int | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> DeliveryPage:
    """What was sent or waits, newest first.

    A token limited to a namespace sees what went to the channels of that namespace, and all notices of one alert of it:
    messages to a channel of the cluster may speak of other namespaces.
    """
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return DeliveryPage(items=[])
    if alert_id is not None:
        await find_alert(services, who, alert_id)
    found = await services.store.channels.deliveries(
        namespace=namespace_of(who, namespace), channel=channel, alert_id=alert_id, limit=limit, before_id=before_id
    )
    next_before_id = found[-1].id if len(found) == limit else None
    is_all_visible = who.namespace is None or alert_id is not None
    visible = [one for one in found if is_all_visible or one.notice.namespace == who.namespace]
    return DeliveryPage(items=visible, next_before_id=next_before_id)


async def _note(services: Services, who: Principal, kind: str, channel: Channel, **data: int | str) -> None:
    await note(
        services,
        Happening(
            key=f"{kind}:{channel.namespace or ''}:{channel.name}:{services.chance.token()}",
            topic=Topic.CLUSTER,
            kind=kind,
            subject=channel.name,
            by=who.name,
            namespace=channel.namespace,
            data={field: value for field, value in data.items() if value != ""},
        ),
    )
