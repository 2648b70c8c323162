"""Hearing: what workers say of runs, as far as it can be kept. Their own checks are not relied on (SEC-17, SEC-23).

A run that left something bad is told from the others of its message: what is bad is replaced by a sentence that says
why, and the run ends as its worker said. A beat is never refused for what it carries: the session must live on.
"""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
import structlog

from foliot.domain.errors import InvalidInput, NotJson
from foliot.domain.payload import CHECKPOINT_BYTES_MAX, RESULT_BYTES_MAX, check_json_text, json_text
from foliot.ports.worker_link import Beat, HeldLease, Hello, Report, Signed

ERROR_MAX: Final = 64 * 1024
ERROR_TYPE_MAX: Final = 1000
PROGRESS_MAX: Final = 8 * 1024
NOTE_MAX: Final = 500
SCHEMA_BYTES_MAX: Final = 64 * 1024
REFUSED_TYPE: Final = "ResultRefused"

log = structlog.get_logger("foliot.workers")


class _Progress(msgspec.Struct, frozen=True):
    done: Signed
    total: Signed | None = None
    note: Annotated[str, msgspec.Meta(max_length=NOTE_MAX)] = ""


_progress: Final = msgspec.json.Decoder(_Progress)


def check_offers(hello: Hello) -> None:
    """Raise for a handler whose schema is no JSON that can be kept, or too large."""
    for offer in hello.handlers:
        if offer.parameters is not None:
            what = f"What {offer.name[:100]} says of its parameters"
            json_text(offer.parameters, bytes_max=SCHEMA_BYTES_MAX, what=what)


def heard_reports(reports: Sequence[Report]) -> Sequence[Report]:
    """The reports as they can be kept. Most runs leave nothing, or a plain result."""
    return [report if _says_nothing(report) else _heard(report) for report in reports]


def heard_beat(beat: Beat) -> Beat:
    """The beat without what cannot be kept of its runs."""
    if all(lease.progress is None and lease.checkpoint is None for lease in beat.held):
        return beat
    return msgspec.structs.replace(beat, held=tuple(map(_heard_lease, beat.held)))


def _says_nothing(report: Report) -> bool:
    return report.result is None and report.error is None and report.checkpoint is None and report.error_type is None


def _heard(report: Report) -> Report:
    troubles = []
    result, checkpoint = report.result, report.checkpoint
    if (trouble := _trouble_of_result(result)) is not None:
        result = None
        troubles.append(trouble)
    if (trouble := _trouble_of_checkpoint(checkpoint)) is not None:
        checkpoint = None
        troubles.append(trouble)
    error, error_type = _text(report.error, ERROR_MAX), _text(report.error_type, ERROR_TYPE_MAX)
    if troubles:
        log.warning("report.replaced", run=report.run_id, why=troubles)
        error = "\n".join([*([error] if error else []), *troubles])
        error_type = error_type or REFUSED_TYPE
    return msgspec.structs.replace(report, result=result, checkpoint=checkpoint, error=error, error_type=error_type)


def _heard_lease(lease: HeldLease) -> HeldLease:
    progress = lease.progress if _is_progress(lease.progress) else None
    trouble = _trouble_of_checkpoint(lease.checkpoint)
    if trouble is not None:
        log.warning("checkpoint.refused", run=lease.run_id, why=trouble)
    checkpoint = None if trouble is not None else lease.checkpoint
    return msgspec.structs.replace(lease, progress=progress, checkpoint=checkpoint)


def _trouble_of_result(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        check_json_text(text, bytes_max=RESULT_BYTES_MAX, what="The result")
    except InvalidInput as trouble:
        return f"What the run returned was not kept. {trouble.sentence}"
    return None


def _trouble_of_checkpoint(text: str | None) -> str | None:
    """A checkpoint is a JSON object: the next attempt reads it as one."""
    if text is None:
        return None
    try:
        check_json_text(text, bytes_max=CHECKPOINT_BYTES_MAX, what="The checkpoint")
        if not text.lstrip().startswith("{"):
            raise NotJson("The checkpoint", "it is not an object")
    except InvalidInput as trouble:
        return f"Its checkpoint was not kept. {trouble.sentence}"
    return None


def _is_progress(text: str | None) -> bool:
    if text is None or len(text) > PROGRESS_MAX:
        return False
    try:
        said = _progress.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return "\0" not in said.note


def _text(text: str | None, longest: int) -> str | None:
    """Text that every store takes: so long, without NUL and half characters."""
    if text is None:
        return None
    return text[:longest].encode(errors="replace").decode().replace("\0", "?")
