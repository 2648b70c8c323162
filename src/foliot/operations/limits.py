"""Named limits: look at them; make, change and take away those of the whole cluster."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foliot.domain.access import Principal, Scope
from foliot.domain.bounds import RUNNING_MAX
from foliot.domain.errors import BadField
from foliot.domain.limits import limit_key
from foliot.domain.names import check_name
from foliot.operations.names import home_of, namespace_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.limits import LimitNotFound, LimitUse, NamedLimit
from foliot.ports.store.lookups import JobRow


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
    holders = [holder for holder in use.holders if who.sees(holder.namespace)]
    users = [user for user in use.users if who.sees(user.namespace)]
    oldest = use.oldest if use.oldest is not None and who.sees(use.oldest.namespace) else None
    seen = replace(use, holders=holders, users=users, oldest=oldest)
    return LimitSeen(use=seen, hidden=len(use.holders) - len(holders))


async def waiting_of(services: Services, job: JobRow) -> int | None:
    """How many runs of a job wait, where the job limits that (`max_waiting`)."""
    place = job.document.get("place") or {}
    return await services.store.limits.waiting(job.job_id) if "max_waiting" in place else None


async def set_limit(services: Services, who: Principal, name: str, max_: int, *, reason: str = "") -> NamedLimit:
    """Make a limit of the whole cluster, or change how many runs it lets through."""
    who.demand_everywhere(Scope.ADMIN)
    name = check_name("resource", name)
    if not 1 <= max_ <= RUNNING_MAX:
        raise BadField("max", f"{max_} is not a whole number from 1 to {RUNNING_MAX}")
    limit = await services.store.limits.set_shared(name, max_)
    services.runs_may_be_ready()
    await _note(services, who, "limit.set", name, max=max_, reason=reason)
    return limit


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
