"""Clone: a new job with the definition of another."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.access import Principal
from foliot.operations.names import find_job
from foliot.operations.save import SavedJob, create, merged
from foliot.operations.services import Services


async def clone(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    new_name: str,
    *,
    new_namespace: str | None = None,
    changes: Mapping[str, Any] | None = None,
    reason: str = "",
) -> SavedJob:
    """A new job, which must not exist, from the present version of another, with some fields changed."""
    job = await find_job(services, who, namespace, name)
    document = merged(job.document, changes or {})
    return await create(
        services, who, new_namespace or namespace, new_name, document, reason=reason or f"cloned from {name}"
    )
