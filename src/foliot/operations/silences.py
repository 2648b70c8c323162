"""Silences: nobody is told of some alerts for some time. The alerts stand in the list all the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.alerts.errors import SilenceNotFound
from foliot.domain.alerts.silence import Silence
from foliot.domain.alerts.silence_document import silence_from
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.instants import Instant, Micros
from foliot.domain.names import check_name
from foliot.operations.alerts import demand_group, find_alert
from foliot.operations.names import actor, home_of, namespace_of
from foliot.operations.services import Services


class SilenceTooWide(InvalidInput):
    """A silence that names nothing would silence everything."""

    code = "FOL-1390"

    def __init__(self, namespace: str | None) -> None:
        where = "the cluster" if namespace is None else f"namespace {namespace}"
        super().__init__(
            f"Without a job, group, node, tag, rule or alert it would silence everything of {where}.",
            hint="say what is to be silent, or that you mean everything",
            namespace=namespace,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceWish:
    """What a user wants to be silent, and until when. `everywhere` None: as what is named says."""

    of: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    alert_id: int | None = None
    namespace: str | None = None
    everywhere: bool | None = None
    everything: bool = False
    from_at: Instant | None = None  # None: now
    until: Instant | None = None
    lasts_us: Micros | None = None
    reason: str = ""


async def list_silences(
    services: Services, who: Principal, *, namespace: str | None, with_ended: bool
) -> tuple[Sequence[Silence], Instant]:
    """Silences of a namespace and of the cluster, which hold for it, too; and store time."""
    who.demand(Scope.READ)
    now = await services.store.lookups.now()
    if namespace is not None and not who.sees(namespace):
        return [], now
    asked = namespace_of(who, namespace)
    return await services.store.alerts.silences(namespace=asked, with_ended=with_ended), now


async def find_silence(services: Services, who: Principal, silence_id: int) -> tuple[Silence, Instant]:
    """One silence, and store time."""
    found, now = await list_silences(services, who, namespace=None, with_ended=True)
    for one in found:
        if one.id == silence_id:
            return one, now
    raise SilenceNotFound(silence_id)


async def silence(services: Services, who: Principal, wish: SilenceWish) -> Silence:
    """Let nobody be told, from now or from an instant on. What is told already stays told."""
    who.demand(Scope.RUN)
    namespace = await _namespace_of(services, who, wish)
    _demand_there(who, wish, namespace)
    names_nothing = not any(wish.of.values()) and not wish.rule and wish.alert_id is None
    if names_nothing and not wish.everything:
        raise SilenceTooWide(namespace)
    now = await services.store.lookups.now()
    from_at = now if wish.from_at is None else max(now, wish.from_at)
    made = silence_from(
        {"of": wish.of, "rule": wish.rule, "alert": wish.alert_id},
        namespace=namespace,
        from_at=from_at,
        until=_end_of(wish, from_at),
        reason=wish.reason,
        made_by=who.name,
    )
    return await services.store.alerts.silence(made, by=actor(who, wish.reason))


async def end_silence(services: Services, who: Principal, silence_id: int) -> Silence:
    """End a silence before its time. What goes on is told again."""
    who.demand(Scope.RUN)
    before, _ = await find_silence(services, who, silence_id)
    _demand_on(who, before)
    ended = await services.store.alerts.end_silence(silence_id, by=actor(who))
    if ended is None:
        raise SilenceNotFound(silence_id)
    return ended


async def _namespace_of(services: Services, who: Principal, wish: SilenceWish) -> str | None:
    """Where a silence holds: as its alert, else the whole cluster for a node, else one namespace."""
    if wish.alert_id is not None:
        alert = await find_alert(services, who, wish.alert_id)
        await demand_group(services, who, alert)
        return alert.namespace
    is_of_cluster = bool(wish.of.get("node")) if wish.everywhere is None else wish.everywhere
    if is_of_cluster:
        return None
    home = check_name("namespace", home_of(who, wish.namespace))
    if not who.sees(home):
        who.demand_everywhere(Scope.RUN)
    return home


def _demand_there(who: Principal, wish: SilenceWish, namespace: str | None) -> None:
    """Whether the token may silence there. A token of a group silences what names its group, or one alert of it."""
    if wish.alert_id is not None:
        return
    if namespace is None:
        who.demand_everywhere(Scope.RUN)
    if wish.of.get("group") != who.group:
        who.demand_every_group(Scope.RUN)


def _demand_on(who: Principal, silence_: Silence) -> None:
    if silence_.namespace is None and silence_.alert_id is None:
        who.demand_everywhere(Scope.RUN)
    is_of_group = silence_.of.group == who.group
    if not is_of_group and silence_.made_by != who.name:
        who.demand_every_group(Scope.RUN)


def _end_of(wish: SilenceWish, from_at: Instant) -> Instant:
    if (wish.until is None) == (wish.lasts_us is None):
        raise BadField("until", "a silence needs an end", hint="say for how long (for: 2h), or until when")
    until = wish.until if wish.lasts_us is None else from_at + wish.lasts_us
    assert until is not None
    return until
