"""Why a waiting run keeps an older version than its job has (`domain.edits`)."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.definition import from_document
from foliot.domain.edits import Keeps, Part, WaitingRun, after_edit
from foliot.domain.errors import FoliotError, JobNotFound
from foliot.domain.job import Definition
from foliot.domain.why.facts import KeptFacts
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow, RunRow


async def kept_version(services: Services, run: RunRow) -> KeptFacts | None:
    """Which version the run keeps, and why; None: it has the newest, or will take it in a moment."""
    if run.state != "PENDING":
        return None
    try:
        job = await services.store.lookups.job(run.namespace, run.job)
    except JobNotFound:
        return None
    if job.job_id != run.job_id or job.version == run.version:
        return None
    reason = "begun" if run.attempt > 0 else await _reason(services, run, job)
    return _kept(run, job, reason)


def kept_by_edit(run: RunRow, job: JobRow, document: Mapping[str, Any]) -> KeptFacts | None:
    """The same for a pending run that is no part of another, by the document of its version."""
    if job.version == run.version:
        return None
    reason = "begun" if run.attempt > 0 else _keeps(_whole(run), document, job)
    return _kept(run, job, reason)


def _kept(run: RunRow, job: JobRow, reason: str | None) -> KeptFacts | None:
    if not reason:
        return None
    return KeptFacts(version=run.version, newest=job.version, reason=reason)


async def _reason(services: Services, run: RunRow, job: JobRow) -> str | None:
    version = await services.store.lookups.version(run.job_id, run.version)
    document = version.document if version else None
    waiting = await _waiting(services, run)
    return _keeps(waiting, document, job)


def _keeps(waiting: WaitingRun, document: Mapping[str, Any] | None, job: JobRow) -> str | None:
    old = _definition(document, job.name) if document else None
    new = _definition(job.document, job.name)
    if new is None:
        return None
    after = after_edit(waiting, old, new)
    return str(after) if isinstance(after, Keeps) else None


def _whole(run: RunRow) -> WaitingRun:
    return WaitingRun(is_in_line=run.place is not None, is_pinned=run.is_pinned, overlaps=not run.serial)


async def _waiting(services: Services, run: RunRow) -> WaitingRun:
    if run.parent_id is None:
        return _whole(run)
    parts = await services.store.lookups.shards(run.parent_id)
    return WaitingRun(
        part=Part.SHARD if run.shard >= 0 else Part.MERGE,
        is_pinned=run.is_pinned,
        overlaps=not run.serial,
        has_begun=any(part.attempt > 0 for part in parts),
    )


def _definition(document: Mapping[str, Any], name: str) -> Definition | None:
    try:
        return from_document(document, job=name, is_saved=True)
    except FoliotError:  # of a newer Foliot
        return None
