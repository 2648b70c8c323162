"""Worker reports: what the store can keep of results, errors, checkpoints and progress that workers send.

The server does not rely on a worker's own checks (SEC-17, SEC-23). It looks at each run of a message by itself: it
replaces a bad value by a sentence that says why, and the run ends as its worker said. It never refuses a beat for the
values inside: the session must live on.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec
import structlog

from foliot.domain.errors import InvalidInput, NotJson
from foliot.domain.payload import (
    CHECKPOINT_BYTES_MAX,
    DEPTH_MAX,
    RESULT_BYTES_MAX,
    check_json_text,
    is_odd,
    json_text,
)
from foliot.domain.redaction import redacted
from foliot.domain.texts import ERROR_TYPE_MAX, NOTE_MAX
from foliot.operations.side_thread import in_slices
from foliot.ports.worker_link import SCHEMA_BYTES_MAX, SCHEMAS_BYTES_MAX, HeldLease, Hello, Report, Signed

ERROR_MAX: Final = 64 * 1024
PROGRESS_MAX: Final = 8 * 1024
REFUSED_TYPE: Final = "ResultRefused"
SENT_AGAIN: Final = ("reports", "held leases")  # a worker may divide these
_WORDS: Final = frozenset({"null", "true", "false"})
_PLAIN_MAX: Final = 4 * 1024
_SHORT: Final = 64
_LEAST_WEIGHT: Final = 16
_PART_WEIGHT: Final = 3
_SCHEMA_WEIGHT: Final = 8 * 1024  # a guess: the parts of a schema are not counted
_TEXT_WEIGHT: Final = 16  # characters of plain text that weigh one

log = structlog.get_logger("foliot.workers")


class _Progress(msgspec.Struct, frozen=True):
    done: Signed
    total: Signed | None = None
    note: Annotated[str, msgspec.Meta(max_length=NOTE_MAX)] = ""


_progress: Final = msgspec.json.Decoder(_Progress)
_anything: Final = msgspec.json.Decoder()


class _Schema(NamedTuple):
    """A JSON Schema that a worker sent, and what it is about, for a message."""

    what: str
    schema: Mapping[str, Any]


async def check_offers(hello: Hello) -> None:
    """Raise when a schema of a handler or a kind is too large or is JSON that no store keeps, or all are too large."""
    schemas = [
        *(_Schema(f"What {offer.name[:100]} says of its parameters", offer.parameters)
          for offer in hello.handlers if offer.parameters is not None),
        *(_Schema(f"What {kind.kind} says of its options", kind.options)
          for kind in hello.kinds if kind.options is not None),
    ]  # fmt: skip
    sizes = await in_slices(_sizes_of, schemas, _weight_of_schema)
    if sum(sizes) > SCHEMAS_BYTES_MAX:
        raise TooMuchInside("schemas", f"{SCHEMAS_BYTES_MAX} bytes")


def _weight_of_schema(_: _Schema) -> int:
    return _SCHEMA_WEIGHT


def _sizes_of(schemas: Sequence[_Schema]) -> list[int]:
    return [len(json_text(one.schema, bytes_max=SCHEMA_BYTES_MAX, what=one.what).encode()) for one in schemas]


class TooMuchInside(InvalidInput):
    """A worker's message holds more than a server looks at."""

    code = "FOL-1087"

    def __init__(self, what: str, most: str) -> None:
        super().__init__(
            f"The worker's message has {what} beyond {most}.",
            hint="send fewer at once" if what in SENT_AGAIN else "divide the code among several workers",
            what=what,
            most=most,
        )


def reports_that_tell(reports: Sequence[Report]) -> list[Report]:
    """Return the reports with a result, an error or a checkpoint. Most runs leave none of these.

    Every report of every worker passes here, so there is no call for each.
    """
    return [
        report
        for report in reports
        if report.result is not None
        or report.error is not None
        or report.checkpoint is not None
        or report.error_type is not None
    ]


def weight_of_report(report: Report | None) -> int:
    """Estimate how long reading a report takes: a part of JSON counts most, plain text little."""
    if report is None:
        return 0
    weight = _weight(report.result) + _weight(report.checkpoint)
    if report.error is not None:
        weight += min(len(report.error), ERROR_MAX) // _TEXT_WEIGHT
    return weight


def weight_of_lease(lease: HeldLease) -> int:
    """Estimate how long reading the progress and checkpoint of a lease in a beat takes."""
    if lease.progress is None and lease.checkpoint is None:
        return 0
    return _weight(lease.progress) + _weight(lease.checkpoint)


def _weight(text: str | None) -> int:
    if text is None:
        return 0
    size = len(text)
    if size <= _SHORT:
        return _LEAST_WEIGHT + size // 2
    if size > RESULT_BYTES_MAX:
        return _SHORT  # too long: it is not read
    parts = text.count("[") + text.count("{") + text.count(",")
    return _SHORT + size // _TEXT_WEIGHT + _PART_WEIGHT * parts


def storable_reports(reports: Sequence[Report | None]) -> Sequence[Report | None]:
    """Return the reports as the store can keep them. Most runs leave nothing, or a plain result."""
    storable: list[Report | None] = []
    replaced: list[Report] = []
    for report in reports:
        if report is None or _is_plain_report(report):
            storable.append(report)
            continue
        kept, has_troubles = _storable_report(report)
        storable.append(kept)
        if has_troubles:
            replaced.append(kept)
    if replaced:
        first = replaced[0]
        log.warning("report.replaced", reports=len(replaced), run=first.run_id, why=first.error)
    return storable


def storable_leases(held: Sequence[HeldLease]) -> Sequence[HeldLease]:
    """Return the leases of a beat, without progress and checkpoints that the store cannot keep."""
    storable: list[HeldLease] = []
    refused: list[tuple[int, str]] = []
    for lease in held:
        trouble = _trouble_of_checkpoint(lease.checkpoint)
        if trouble is not None:
            refused.append((lease.run_id, trouble))
        storable.append(_storable_lease(lease, trouble))
    if refused:
        run_id, why = refused[0]
        log.warning("checkpoint.refused", checkpoints=len(refused), run=run_id, why=why)
    return storable


def bare_lease(lease: HeldLease) -> HeldLease:
    """Return the lease without the progress and checkpoint of its run."""
    return msgspec.structs.replace(lease, progress=None, checkpoint=None)


def _is_plain_report(report: Report) -> bool:
    """Whether the store can surely keep a report as it is. This check is cheap; False means that a full one follows."""
    if report.error is not None or report.checkpoint is not None or report.error_type is not None:
        return False
    return report.result is None or _is_plain(report.result)


def _is_plain(text: str) -> bool:
    """Whether a text is surely short JSON with nothing odd in it."""
    if text in _WORDS:
        return True
    if len(text) > _PLAIN_MAX or is_odd(text):
        return False
    depth_at_most = text.count("[") + text.count("{")
    if depth_at_most > DEPTH_MAX:
        return False
    try:
        _anything.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def _storable_report(report: Report) -> tuple[Report, bool]:
    """Return the report as the store can keep it, and whether a value of it was replaced by a sentence."""
    bad_result = _trouble_of_result(report.result)
    bad_checkpoint = _trouble_of_checkpoint(report.checkpoint)
    troubles = [trouble for trouble in (bad_result, bad_checkpoint) if trouble is not None]
    error = None if report.error is None else redacted(_text(report.error, ERROR_MAX))
    error_type = None if report.error_type is None else _text(report.error_type, ERROR_TYPE_MAX)
    if troubles:
        sentences = [error, *troubles] if error else troubles
        error = "\n".join(sentences)
        error_type = error_type or REFUSED_TYPE
    kept = msgspec.structs.replace(
        report,
        result=report.result if bad_result is None else None,
        checkpoint=report.checkpoint if bad_checkpoint is None else None,
        error=error,
        error_type=error_type,
    )
    return kept, bool(troubles)


def _storable_lease(lease: HeldLease, trouble: str | None) -> HeldLease:
    if lease.progress is None and lease.checkpoint is None:
        return lease
    progress = lease.progress if _is_progress(lease.progress) else None
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


def _text(text: str, longest: int) -> str:
    """Return the text as every store takes it: at most `longest` characters, without NUL and half characters."""
    return text[:longest].encode(errors="replace").decode().replace("\0", "?")
