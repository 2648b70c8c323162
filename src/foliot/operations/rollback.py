"""Rollback: a new version with the content of an old one."""

from foliot.domain.access import Principal, Scope
from foliot.operations.diff import find_version
from foliot.operations.names import find_job, group_of
from foliot.operations.save import SavedJob, replace
from foliot.operations.services import Services


async def rollback(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    to_version: int,
    expected_version: int | None = None,
    reason: str = "",
) -> SavedJob:
    """Save the definition of an earlier version again. History only grows."""
    job = await find_job(services, who, namespace, name)
    who.demand(Scope.WRITE, group=group_of(job))
    old = await find_version(services, job, to_version)
    return await replace(
        services,
        who,
        namespace,
        job.name,
        old.document,
        expected_version=job.version if expected_version is None else expected_version,
        reason=reason or f"rolled back to v{to_version}",
    )
