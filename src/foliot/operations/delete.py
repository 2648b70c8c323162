"""Delete: soft. Definitions and history stay, the name is free again."""

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import VersionConflict
from foliot.operations.names import find_job, group_of
from foliot.operations.notes import note_job
from foliot.operations.services import Services


async def delete(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    expected_version: int | None = None,
    reason: str = "",
) -> None:
    """Take a job away. Its runs in progress finish; the store ends those that wait, CANCELLED."""
    job = await find_job(services, who, namespace, name)
    who.demand(Scope.WRITE, group=group_of(job))
    if expected_version not in (None, job.version):
        raise VersionConflict(job.name, expected=expected_version, found=job.version)
    await services.store.jobs.delete(namespace, job.name, plans=services.plans)
    key = str(job.job_id)
    await note_job(services, who, "job.deleted", namespace, job.name, key=key, reason=reason)
    services.cursors_moved()
