"""Diff: two versions of a job, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.operations.names import find_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow, VersionNotFound, VersionRow

PATH_MAX: Final = 1000  # letters: thousands of changes below a name without end would be told by its name each


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One field that differs; None where it is not there."""

    path: str
    before: Any
    after: Any


async def find_version(services: Services, job: JobRow, version: int) -> VersionRow:
    """One version of a job, or `VersionNotFound`."""
    found = await services.store.lookups.version(job.job_id, version)
    if found is None:
        raise VersionNotFound(job.name, version)
    return found


async def diff(
    services: Services, who: Principal, namespace: str, name: str, *, before: int, after: int
) -> Sequence[FieldChange]:
    """What changed from one version to another."""
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    old = await find_version(services, job, before)
    new = await find_version(services, job, after)
    return changes_between(old.document, new.document)


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sequence[FieldChange]:
    """The fields that differ between two documents, in order, mappings opened up unless their path is very long."""
    return list(_changes("", before, after))


def _changes(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping) and len(path) <= PATH_MAX:
        for key in sorted({*before, *after}):
            below = f"{path}.{key}" if path else str(key)
            yield from _changes(below, before.get(key), after.get(key))
        return
    yield FieldChange(path=path, before=before, after=after)
