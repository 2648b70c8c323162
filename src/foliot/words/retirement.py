"""How a retirement is put down: the reason of the pause, and the notes in the journal."""

from typing import Any

from foliot.domain.instants import SECOND, Instant, isoformat
from foliot.ports.store.code import RetirementWords, RetiringJob
from foliot.ports.store.journal import Happening, Topic
from foliot.words.language import Language
from foliot.words.phrases import phrase


def reason_of(module: str, since: Instant, renamed_to: str | None, language: Language = Language.ENGLISH) -> str:
    """Why a retired job is paused."""
    values = {"module": module, "since": isoformat(since // SECOND * SECOND), "renamed_to": renamed_to}
    return phrase("retired", values, language)


def retired(job: RetiringJob) -> RetirementWords:
    """A job that no live worker declares is paused."""
    since = isoformat(job.since // SECOND * SECOND)
    reason = reason_of(job.module, job.since, job.renamed_to)
    data: dict[str, Any] = {"module": job.module, "since": since, "reason": reason}
    if job.renamed_to is not None:
        data["renamed_to"] = job.renamed_to
    return RetirementWords(reason, _about(job, "job.retired", by="foliot", data=data))


def declared_again(job: RetiringJob, *, by: str, worker: str = "") -> Happening:
    """A retired job that a live worker declares is resumed."""
    data: dict[str, Any] = {"module": job.module, "reason": "declared again"}
    if worker:
        data["worker"] = worker
    return _about(job, "job.declared_again", by=by, data=data)


def _about(job: RetiringJob, kind: str, *, by: str, data: dict[str, Any]) -> Happening:
    return Happening(
        key=f"{kind}:{job.job_id}:{job.cursor_ver}",
        topic=Topic.JOBS,
        kind=kind,
        subject=job.name,
        by=by,
        namespace=job.namespace,
        data=data,
    )
