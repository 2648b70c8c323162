"""Outlines: how much is inside a worker's message, measured before it is decoded.

Most of a message is text and numbers, which the decoder reads at hundreds of megabytes a second. Schemas of handlers,
and long lists of small things (labels, load, handlers, jobs), take many times as long for each byte, in one call that
nothing interrupts. So the server measures those parts first (SEC-32). When a field comes twice, the outline has only
the last, but the decoder reads both: so the bytes that the outline has not seen must be few.
"""

from typing import Final

import msgspec

from foliot.api.bodies import KIB
from foliot.operations.worker_reports import TooMuchInside

HANDLER_PARTS_MAX: Final = 300_000  # some thousands of handlers with schemas
JOBS_MAX: Final = 50_000
MAPPING_BYTES_MAX: Final = 64 * KIB  # of labels and of load
REST_BYTES_MAX: Final = 256 * KIB  # of all else: short fields, unknown ones, and a field that stands there again
_NONE: Final = msgspec.Raw(b"null")


class _Outline(msgspec.Struct):
    handlers: msgspec.Raw = _NONE
    jobs: msgspec.Raw = _NONE
    labels: msgspec.Raw = _NONE
    load: msgspec.Raw = _NONE
    held: msgspec.Raw = _NONE


_DECODER: Final = msgspec.json.Decoder(_Outline)
_PARTS: Final = _Outline.__struct_fields__


def check_outline(body: bytes) -> None:
    """`TooMuchInside` for a message that would take long to decode; msgspec's error for one that is none."""
    outline = _DECODER.decode(body)
    handlers = bytes(outline.handlers)
    if sum(handlers.count(mark) for mark in (b",", b"[", b"{")) > HANDLER_PARTS_MAX:
        raise TooMuchInside("handlers and schemas", f"{HANDLER_PARTS_MAX} parts")
    if bytes(outline.jobs).count(b'"document"') > JOBS_MAX:
        raise TooMuchInside("jobs", str(JOBS_MAX))
    if len(body) - sum(len(bytes(getattr(outline, name))) for name in _PARTS) > REST_BYTES_MAX:
        raise TooMuchInside("unknown or repeated fields", f"{REST_BYTES_MAX} bytes")
    for name in ("labels", "load"):
        if len(bytes(getattr(outline, name))) > MAPPING_BYTES_MAX:
            raise TooMuchInside(name, f"{MAPPING_BYTES_MAX} bytes")
