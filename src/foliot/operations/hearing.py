"""Hearing: what workers say of runs, as far as it can be kept. Their own checks are not relied on (SEC-17, SEC-23).

A run that left something bad is told from the others of its message: what is bad is replaced by a sentence that says
why, and the run ends as its worker said. A beat is never refused for what it carries: the session must live on.
"""

from collections.abc import Sequence
from typing import Annotated, Final

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
from foliot.operations.aside import in_slices
from foliot.ports.worker_link import HandlerOffer, HeldLease, Hello, Report, Signed

ERROR_MAX: Final = 64 * 1024
PROGRESS_MAX: Final = 8 * 1024
SCHEMA_BYTES_MAX: Final = 64 * 1024
SCHEMAS_BYTES_MAX: Final = 4 * 1024 * 1024  # of all handlers of a session
REFUSED_TYPE: Final = "ResultRefused"
SENT_AGAIN: Final = ("reports", "held leases")  # a worker may divide these
_WORDS: Final = frozenset({"null", "true", "false"})
_PLAIN_MAX: Final = 4 * 1024
_SHORT: Final = 64
_LEAST_WEIGHT: Final = 16
_PART_WEIGHT: Final = 3
_SCHEMA_WEIGHT: Final = 8 * 1024  # what one is made of nobody has counted
_TEXT_WEIGHT: Final = 16  # characters of plain text that weigh one

log = structlog.get_logger("foliot.workers")


class _Progress(msgspec.Struct, frozen=True):
    done: Signed
    total: Signed | None = None
    note: Annotated[str, msgspec.Meta(max_length=NOTE_MAX)] = ""


_progress: Final = msgspec.json.Decoder(_Progress)
_anything: Final = msgspec.json.Decoder()


async def check_offers(hello: Hello) -> None:
    """Raise for a handler whose schema is no JSON that can be kept, or too large; or for too much of all of them."""
    offers = [offer for offer in hello.handlers if offer.parameters is not None]
    sizes = await in_slices(_sizes_of, offers, lambda _: _SCHEMA_WEIGHT)
    if sum(sizes) > SCHEMAS_BYTES_MAX:
        raise TooMuchInside("schemas", f"{SCHEMAS_BYTES_MAX} bytes")


def _sizes_of(offers: Sequence[HandlerOffer]) -> list[int]:
    return [len(_schema(offer).encode()) for offer in offers]


def _schema(offer: HandlerOffer) -> str:
    what = f"What {offer.name[:100]} says of its parameters"
    return json_text(offer.parameters, bytes_max=SCHEMA_BYTES_MAX, what=what)


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


def weight_of_report(report: Report | None) -> int:
    """How long it takes to read what a report holds, about: a part of JSON counts most, plain text little."""
    if report is None or (report.result is None and report.error is None and report.checkpoint is None):
        return 0
    error = 0 if report.error is None else min(len(report.error), ERROR_MAX) // _TEXT_WEIGHT
    return _weight(report.result) + _weight(report.checkpoint) + error


def weight_of_lease(lease: HeldLease) -> int:
    """The same of what a beat says of a run."""
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
    return _SHORT + size // _TEXT_WEIGHT + _PART_WEIGHT * (text.count("[") + text.count("{") + text.count(","))


def heard_reports(reports: Sequence[Report | None]) -> Sequence[Report | None]:
    """The reports as they can be kept. Most runs leave nothing, or a plain result."""
    heard: list[Report | None] = []
    replaced: list[Report] = []
    for report in reports:
        if report is None or _is_plain_report(report):
            heard.append(report)
            continue
        kept, troubles = _heard(report)
        heard.append(kept)
        if troubles:
            replaced.append(kept)
    if replaced:
        log.warning("report.replaced", reports=len(replaced), run=replaced[0].run_id, why=replaced[0].error)
    return heard


def heard_leases(held: Sequence[HeldLease]) -> Sequence[HeldLease]:
    """What a beat says of runs, without what cannot be kept of it."""
    heard: list[HeldLease] = []
    refused: list[tuple[int, str]] = []
    for lease in held:
        trouble = _trouble_of_checkpoint(lease.checkpoint)
        if trouble is not None:
            refused.append((lease.run_id, trouble))
        heard.append(_heard_lease(lease, trouble))
    if refused:
        log.warning("checkpoint.refused", checkpoints=len(refused), run=refused[0][0], why=refused[0][1])
    return heard


def bare_lease(lease: HeldLease) -> HeldLease:
    """A lease and nothing of what its run said."""
    return msgspec.structs.replace(lease, progress=None, checkpoint=None)


def _is_plain_report(report: Report) -> bool:
    """Whether a report can be kept as it is, told at little cost."""
    if report.error is not None or report.checkpoint is not None or report.error_type is not None:
        return False
    return report.result is None or _is_plain(report.result)


def _is_plain(text: str) -> bool:
    """Whether a text is short JSON with nothing odd in it; False: it may be, all the same."""
    if text in _WORDS:
        return True
    if len(text) > _PLAIN_MAX or text.count("[") + text.count("{") > DEPTH_MAX or is_odd(text):
        return False
    try:
        _anything.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def _heard(report: Report) -> tuple[Report, bool]:
    """The report as it can be kept, and whether that is less than it was."""
    troubles = []
    result, checkpoint = report.result, report.checkpoint
    if (trouble := _trouble_of_result(result)) is not None:
        result = None
        troubles.append(trouble)
    if (trouble := _trouble_of_checkpoint(checkpoint)) is not None:
        checkpoint = None
        troubles.append(trouble)
    error = None if report.error is None else redacted(_text(report.error, ERROR_MAX))
    error_type = None if report.error_type is None else _text(report.error_type, ERROR_TYPE_MAX)
    if troubles:
        error = "\n".join([*([error] if error else []), *troubles])
        error_type = error_type or REFUSED_TYPE
    kept = msgspec.structs.replace(report, result=result, checkpoint=checkpoint, error=error, error_type=error_type)
    return kept, bool(troubles)


def _heard_lease(lease: HeldLease, trouble: str | None) -> HeldLease:
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
    """Text that every store takes: so long, without NUL and half characters."""
    return text[:longest].encode(errors="replace").decode().replace("\0", "?")
