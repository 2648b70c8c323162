"""Limits: look at them; make, change and take away those that an admin makes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias

from foliot.domain.access import Principal, Scope
from foliot.domain.bounds import RUNNING_MAX
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.limits import LimitKind, check_change, limit_key, scope_key
from foliot.domain.names import check_name
from foliot.domain.rates import BURST_MAX, Bucket, check_rate, rate_from
from foliot.operations.names import find_job, home_of, namespace_of
from foliot.operations.notes import note
from foliot.operations.older_servers import oldest_server
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.limits import (
    KeyBounds,
    KeyUse,
    LimitNotFound,
    LimitUse,
    LimitUser,
    NamedLimit,
    ScopeLimitNotFound,
)
from foliot.ports.store.lookups import JobRow
from foliot.ports.worker_link import PROTOCOL_RATES

NoLimit: TypeAlias = Literal["none"]
NONE: Final[NoLimit] = "none"
"""Instead of a number, or of a rate: any number, from now on."""


class LimitUnknown(InvalidInput):
    """A limit of a group or namespace, while a live server does not know such limits."""

    code = "FOL-1300"

    def __init__(self, server: str, version: str) -> None:
        super().__init__(
            f"{server} (foliot {version}) does not know limits of groups and namespaces, and its runs would not count.",
            hint=f"upgrade or stop {server} first",
            server=server,
            version=version,
        )


async def list_limits(
    services: Services, who: Principal, *, namespace: str | None, after: str, limit: int
) -> Sequence[NamedLimit]:
    """Limits of the cluster, which every job may use, and those of a namespace the token sees."""
    who.demand(Scope.READ)
    asked = namespace_of(who, namespace)
    if asked is not None and not who.sees(asked):
        return []
    return await services.store.limits.list(namespace=asked, after=after, limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSeen:
    """What a limit is used for, as far as the token sees it."""

    use: LimitUse
    hidden: int  # runs of other namespaces that hold it, too


async def find_limit(services: Services, who: Principal, name: str, *, namespace: str | None) -> LimitSeen:
    """The limit that jobs of a namespace mean by a name: the namespace's own before one of the whole cluster."""
    who.demand(Scope.READ)
    home = home_of(who, namespace)
    if not who.sees(home):
        raise LimitNotFound(name, namespace=home)
    name = check_name("resource", name)
    use = await services.store.limits.use([limit_key(name, home), limit_key(name, None)])
    if use is None:
        raise LimitNotFound(name, namespace=home)
    return _as_seen(who, use)


async def find_scope_limit(services: Services, who: Principal, kind: LimitKind, name: str) -> LimitSeen:
    """The limit of a group or namespace."""
    who.demand(Scope.READ)
    name = check_name(kind, name)
    if kind is LimitKind.NAMESPACE and not who.sees(name):
        raise ScopeLimitNotFound(kind, name)
    use = await services.store.limits.use([scope_key(kind, name)])
    if use is None:
        raise ScopeLimitNotFound(kind, name)
    return _as_seen(who, use)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKeys:
    """The limits by key and by worker of a job, and which of them are full."""

    job: JobRow
    full: Sequence[KeyUse]


async def find_full_keys(services: Services, who: Principal, name: str, *, namespace: str | None) -> JobKeys:
    """Which keys and workers are full of a job's runs; none where it has no such limit."""
    who.demand(Scope.READ)
    job = await find_job(services, who, home_of(who, namespace), name, with_last_run=False)
    place = job.document.get("place") or {}
    bounds = KeyBounds(
        per_key=place.get("max_per_key"), per_worker=place.get("max_per_worker"), has_rate="rate_by" in place
    )
    return JobKeys(job=job, full=await services.store.limits.full_keys(job.job_id, bounds))


def _as_seen(who: Principal, use: LimitUse) -> LimitSeen:
    holders = [holder for holder in use.holders if who.sees(holder.namespace)]
    users = [user for user in use.users if who.sees(user.namespace)]
    oldest = use.oldest if use.oldest is not None and who.sees(use.oldest.namespace) else None
    seen = replace(use, holders=holders, users=users, oldest=oldest)
    return LimitSeen(use=seen, hidden=len(use.holders) - len(holders))


async def waiting_of(services: Services, job: JobRow) -> int | None:
    """How many runs of a job wait, where the job limits that (`max_waiting`)."""
    place = job.document.get("place") or {}
    return await services.store.limits.waiting(job.job_id) if "max_waiting" in place else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSet:
    """A limit as it is now, and what whoever set it should know."""

    limit: NamedLimit
    namesakes: int = 0  # of one of the cluster: namespaces that have their own of this name
    stuck: Sequence[LimitUser] = ()  # jobs whose runs take more of it than there is


async def set_limit(services: Services, who: Principal, name: str, max_: int, *, reason: str = "") -> LimitSet:
    """Make a limit of the whole cluster, or change how many runs it lets through.

    Jobs that were saved before with this name count in the limit of their namespace: the answer says how many such
    namespaces there are.
    """
    who.demand_everywhere(Scope.ADMIN)
    name = check_name("resource", name)
    _check_max(max_)
    limit = await services.store.limits.set_shared(name, max_)
    services.runs_may_be_ready()
    await _note(services, who, "limit.set", name, max=max_, reason=reason)
    stuck = await services.store.limits.stuck([limit.key])
    return LimitSet(limit=limit, namesakes=await services.store.limits.namesakes(name), stuck=stuck)


async def set_own_limit(
    services: Services, who: Principal, name: str, max_: int, *, namespace: str | None, reason: str = ""
) -> LimitSet:
    """Change how many runs a limit of a namespace lets through. Jobs make such limits; a save leaves this number."""
    who.demand(Scope.WRITE)
    home = home_of(who, namespace)
    name = check_name("resource", name)
    if not who.sees(home):
        raise LimitNotFound(name, namespace=home)
    _check_max(max_)
    limit = await services.store.limits.set_own(home, name, max_, partial(check_change, who))
    services.runs_may_be_ready()
    await _note(services, who, "limit.set", name, max=max_, namespace=home, reason=reason)
    return LimitSet(limit=limit, stuck=await services.store.limits.stuck([limit.key]))


def _check_max(max_: int) -> None:
    if not 1 <= max_ <= RUNNING_MAX:
        raise BadField("max", f"{max_} is not a whole number from 1 to {RUNNING_MAX}")


async def set_scope_limit(
    services: Services,
    who: Principal,
    kind: LimitKind,
    name: str,
    *,
    max_: int | NoLimit | None = None,
    rate: str | None = None,
    burst: int | None = None,
    reason: str = "",
) -> NamedLimit:
    """Limit every run of a group or namespace: how many execute at a time, how many start in a time, or both.

    What is None stays as it is; a number or a rate of `none` goes.
    """
    who.demand_everywhere(Scope.ADMIN)
    name = check_name(kind, name)
    bucket = _checked(max_, rate, burst)
    await _check_servers(services)
    limit = await services.store.limits.set_scope(
        kind,
        name,
        max_=None if max_ == NONE else max_,
        bucket=bucket,
        is_rate_kept=rate is None,
        is_max_kept=max_ is None,
    )
    services.runs_may_be_ready()
    said = {"max": max_ or "", "rate": rate or "", "burst": bucket.burst if bucket else ""}
    await _note(services, who, "limit.set", name, of=str(kind), **said, reason=reason)
    return limit


async def remove_scope_limit(services: Services, who: Principal, kind: LimitKind, name: str) -> None:
    """Limit a group or namespace no more."""
    who.demand_everywhere(Scope.ADMIN)
    name = check_name(kind, name)
    await services.store.limits.remove_scope(kind, name)
    services.runs_may_be_ready()
    await _note(services, who, "limit.removed", name, of=str(kind))


def _checked(max_: int | NoLimit | None, rate: str | None, burst: int | None) -> Bucket | None:
    """The rate that was asked for; None: none, or as it was."""
    if max_ is None and rate is None:
        raise BadField("max", "neither a number nor a rate is given", hint="give max, rate, or both")
    if max_ is not None and max_ != NONE:
        _check_max(max_)
    if burst is not None and (rate is None or rate == NONE):
        raise BadField("burst", "there is no rate for it", hint="give the rate, too: 100/m")
    if rate is None or rate == NONE:
        return None
    found = rate_from(rate, "rate")
    check_rate("rate", found)
    if burst is not None and not 1 <= burst <= BURST_MAX:
        raise BadField("burst", f"{burst} is not a whole number from 1 to {BURST_MAX}")
    return Bucket.of(found, burst)


async def _check_servers(services: Services) -> None:
    """`LimitUnknown` while a server lives that would not count its runs in such a limit."""
    oldest = await oldest_server(services)
    if oldest is not None and oldest.protocol < PROTOCOL_RATES:
        raise LimitUnknown(oldest.name, oldest.version)


async def remove_limit(services: Services, who: Principal, name: str) -> None:
    """Take a limit of the cluster away, once no job counts in it."""
    who.demand_everywhere(Scope.ADMIN)
    name = check_name("resource", name)
    await services.store.limits.remove_shared(name)
    await _note(services, who, "limit.removed", name)


async def _note(services: Services, who: Principal, kind: str, name: str, **data: int | str) -> None:
    await note(
        services,
        Happening(
            key=f"{kind}:{name}:{services.chance.token()}",
            topic=Topic.CLUSTER,
            kind=kind,
            subject=name,
            by=who.name,
            data={field: value for field, value in data.items() if value != ""},
        ),
    )
