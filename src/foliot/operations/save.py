"""Save: create a job, replace its definition, change some fields of it. Every change is a new version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import Conflict, FoliotError, JobNotFound, VersionConflict
from foliot.domain.limits import check_change
from foliot.domain.names import check_name
from foliot.operations.calendars import read_definition
from foliot.operations.kinds import check_kind
from foliot.operations.known_channels import alert_warnings
from foliot.operations.limit_warnings import limit_warnings
from foliot.operations.names import actor, find_job, group_of
from foliot.operations.notes import note_job
from foliot.operations.services import Services
from foliot.ports.store.jobs import Saved, SaveOutcome
from foliot.ports.store.lookups import JobRow


class JobExists(Conflict):
    """A job of this name exists already."""

    code = "FOL-3011"

    def __init__(self, name: str, *, namespace: str) -> None:
        super().__init__(
            f'There is a job "{name}" in namespace "{namespace}" already.',
            hint=f"change it with foliot job edit {name}, or choose another name",
            name=name,
            namespace=namespace,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedJob:
    """A job after a save, and whether that changed anything."""

    job: JobRow
    outcome: SaveOutcome
    warnings: Sequence[FoliotError] = ()  # what works, but perhaps not as meant


async def create(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    document: Mapping[str, Any],
    *,
    reason: str = "",
) -> SavedJob:
    """A job that must not exist yet."""
    who.demand(Scope.WRITE)
    try:
        return await replace(services, who, namespace, name, document, expected_version=0, reason=reason)
    except VersionConflict as taken:
        raise JobExists(name, namespace=namespace) from taken


async def replace(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    document: Mapping[str, Any],
    *,
    expected_version: int | None,
    reason: str = "",
) -> SavedJob:
    """The definition as a whole. `expected_version` 0: must not exist; n: must be at version n; None: as it may be."""
    name = check_name("job", name)
    namespace = check_name("namespace", namespace)
    if not who.sees(namespace):
        who.demand_everywhere(Scope.WRITE)
    by = actor(who, reason)
    definition = await read_definition(services, document, job=name)
    who.demand(Scope.WRITE, group=definition.group)
    who.demand_script(definition.handler.kind)
    warnings = [
        *await check_kind(services, namespace, definition),
        *await alert_warnings(services, namespace, definition),
    ]
    await _demand_present(services, who, namespace, name)
    saved = await services.store.jobs.save(
        namespace,
        name,
        definition,
        by=by,
        plans=services.plans,
        expected_version=expected_version,
        source="api",
        check_limit=partial(check_change, who),
    )
    if expected_version == 0 and saved.outcome is SaveOutcome.SAME:  # the job was there, with just this definition
        raise VersionConflict(name, expected=0, found=saved.job.version)
    if saved.outcome is not SaveOutcome.SAME:
        warnings += await limit_warnings(services, who, namespace, saved.job.job_id, definition)
        await _note(services, who, saved, reason, warnings)
        services.cursors_moved()
    job = await find_job(services, who, namespace, name)
    return SavedJob(job=job, outcome=saved.outcome, warnings=warnings)


async def patch(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    changes: Mapping[str, Any],
    *,
    expected_version: int | None,
    reason: str = "",
) -> SavedJob:
    """Some fields of the definition (a merge patch: null takes a field away, mappings are merged)."""
    job = await find_job(services, who, namespace, name)
    document = merged(job.document, changes)
    expected = job.version if expected_version is None else expected_version
    return await replace(services, who, namespace, job.name, document, expected_version=expected, reason=reason)


async def _note(services: Services, who: Principal, saved: Saved, reason: str, warnings: Sequence[FoliotError]) -> None:
    job = saved.job
    kind = "job.created" if saved.outcome is SaveOutcome.CREATED else "job.changed"
    key = f"{job.job_id}:{job.version}"  # a save that is repeated is noted once
    codes = [warning.code for warning in warnings] or None
    await note_job(
        services, who, kind, job.namespace, job.name, key=key, version=job.version, reason=reason, warnings=codes
    )


async def _demand_present(services: Services, who: Principal, namespace: str, name: str) -> None:
    """A token limited to a group changes only jobs that are in that group now."""
    if who.group is None:
        return
    try:
        job = await find_job(services, who, namespace, name)
    except JobNotFound:
        return
    who.demand(Scope.WRITE, group=group_of(job))


def merged(document: Any, changes: Any) -> Any:
    """Apply a merge patch: mappings are merged, null takes a field away, everything else replaces the old value."""
    if not isinstance(changes, Mapping):
        return changes
    result = dict(document) if isinstance(document, Mapping) else {}
    for key, change in changes.items():
        if change is None:
            result.pop(key, None)
        elif isinstance(change, str | int | float):  # most are; the check for a Mapping is slow
            result[key] = change
        else:
            result[key] = merged(result.get(key), change)
    return result
