"""Checks of jobs outside of Foliot: look at them, define, pause and take them away; and pings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import FoliotError
from foliot.domain.heartbeats.check import CheckState, HeartbeatCheck
from foliot.domain.heartbeats.document import check_from, ping_from, written_check
from foliot.domain.heartbeats.errors import CheckChanged, CheckExists, CheckNotFound
from foliot.domain.names import check_name, nearest
from foliot.domain.texts import actor_name
from foliot.operations.known_channels import unknown_channels
from foliot.operations.names import actor, home_of, namespace_of
from foliot.operations.services import Services
from foliot.ports.store.heartbeats import PINGS_KEPT, PingRow, WatchedCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFilter:
    """Which checks to list."""

    states: frozenset[CheckState] = frozenset()  # empty: any
    text: str = ""  # in the name, the owner or the description, whatever the case


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCheck:
    """A check after a save, and whether that changed anything."""

    seen: WatchedCheck
    is_changed: bool
    warnings: Sequence[FoliotError] = ()  # what works, but perhaps not as meant


async def list_checks(
    services: Services, who: Principal, wanted: CheckFilter, *, namespace: str | None
) -> Sequence[WatchedCheck]:
    """Checks of a namespace, or of all that the token sees."""
    who.demand(Scope.READ)
    if namespace is not None and not who.sees(namespace):
        return []
    found = await services.store.heartbeats.list(namespace=namespace_of(who, namespace))
    return [one for one in found if _is_wanted(one, wanted)]


def _is_wanted(seen: WatchedCheck, wanted: CheckFilter) -> bool:
    if wanted.states and seen.state not in wanted.states:
        return False
    text, check = wanted.text.casefold(), seen.check
    return any(text in words.casefold() for words in (check.name, check.owner, check.description))


async def find_check(services: Services, who: Principal, name: str, *, namespace: str | None) -> WatchedCheck:
    """A check by its name, or `CheckNotFound`."""
    who.demand(Scope.READ)
    home = home_of(who, namespace)
    found = await services.store.heartbeats.find(name, namespace=home) if who.sees(home) else None
    if found is None:
        raise await _not_found(services, who, name, home)
    return found


async def _not_found(services: Services, who: Principal, name: str, home: str) -> CheckNotFound:
    """With the nearest name, for those who may read names."""
    if Scope.READ not in who.may or not who.sees(home):
        return CheckNotFound(name)
    known = await services.store.heartbeats.list(namespace=home)
    return CheckNotFound(name, nearest=nearest(name[:200], [one.check.name for one in known]))


def read_check(
    who: Principal, name: str, document: Mapping[str, Any], *, namespace: str | None, version: int = 0
) -> HeartbeatCheck:
    """The check that a document means, if the token may save it. A token of a group has no part in checks."""
    who.demand_every_group(Scope.WRITE)
    home = check_name("namespace", home_of(who, namespace))
    if not who.sees(home):
        who.demand_everywhere(Scope.WRITE)
    return check_from(document, name=name, namespace=home, version=version)


async def create_check(services: Services, who: Principal, check: HeartbeatCheck, *, reason: str = "") -> SavedCheck:
    """Keep a new one; `CheckExists` when there is one of its name."""
    try:
        return await save_check(services, who, replace(check, version=0), reason=reason)
    except CheckChanged:
        raise CheckExists(check.name) from None


async def save_check(services: Services, who: Principal, check: HeartbeatCheck, *, reason: str = "") -> SavedCheck:
    """Keep a check. Its version is the one that the user saw; 0: there must be none of its name.

    One that is there already just like this stays as it is.
    """
    by = actor(who, reason)
    warnings = await unknown_channels(services, check.namespace, check.to)
    before = await services.store.heartbeats.find(check.name, namespace=check.namespace)
    present = 0 if before is None else before.check.version
    if present != check.version:
        raise CheckChanged(check.name, version=present)
    if before is not None and written_check(before.check) == written_check(check):
        return SavedCheck(seen=before, is_changed=False, warnings=warnings)
    kept = await services.store.heartbeats.save(check, by=by)
    return SavedCheck(seen=kept, is_changed=True, warnings=warnings)


async def remove_check(
    services: Services, who: Principal, name: str, *, namespace: str | None, reason: str = ""
) -> WatchedCheck:
    """Forget a check and its pings. Its alert is over."""
    who.demand_every_group(Scope.WRITE)
    found = await find_check(services, who, name, namespace=namespace)
    check = found.check
    if not await services.store.heartbeats.remove(check.name, namespace=check.namespace, by=actor(who, reason)):
        raise CheckNotFound(name)
    return found


async def pause_check(
    services: Services, who: Principal, name: str, *, namespace: str | None, is_paused: bool, reason: str = ""
) -> WatchedCheck:
    """Wait for it no more, or again. Its pings are kept all the same."""
    who.demand_every_group(Scope.WRITE)
    home = home_of(who, namespace)
    by = actor(who, reason)
    found = None
    if who.sees(home):
        found = await services.store.heartbeats.pause(name, namespace=home, is_paused=is_paused, by=by)
    if found is None:
        raise await _not_found(services, who, name, home)
    return found


async def ping_check(
    services: Services,
    who: Principal,
    name: str,
    *,
    namespace: str | None,
    kind: str,
    text: str = "",
    exit_code: int | None = None,
) -> WatchedCheck:
    """Something outside of Foliot was heard of."""
    who.demand_every_group(Scope.PING)
    ping = ping_from(kind, text=text, exit_code=exit_code)
    home = home_of(who, namespace)
    found = None
    if who.sees(home):
        by = actor_name(who.name)
        found = await services.store.heartbeats.ping(name, namespace=home, ping=ping, by=by)
    if found is None:
        raise await _not_found(services, who, name, home)
    return found


async def list_pings(services: Services, who: Principal, name: str, *, namespace: str | None) -> Sequence[PingRow]:
    """The last pings of a check, newest first."""
    found = await find_check(services, who, name, namespace=namespace)
    check = found.check
    return await services.store.heartbeats.pings(check.name, namespace=check.namespace, limit=PINGS_KEPT)
