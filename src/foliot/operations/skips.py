"""Skips: what was due and did not run, of all jobs, for people."""

from dataclasses import replace

from foliot.domain.access import Principal, Scope
from foliot.operations.names import namespace_of
from foliot.operations.services import Services
from foliot.ports.store.skips import SkipFilter, SkipPage


async def list_skips(
    services: Services, who: Principal, wanted: SkipFilter, *, limit: int = 100, before_id: int | None = None
) -> SkipPage:
    """A page of skips, the newest first. A token limited to a namespace sees nothing else."""
    who.demand(Scope.READ)
    if wanted.namespace is not None and not who.sees(wanted.namespace):
        return SkipPage(items=[])
    within = replace(wanted, namespace=namespace_of(who, wanted.namespace))
    return await services.store.lookups.skipped(within, limit=limit, before_id=before_id)
