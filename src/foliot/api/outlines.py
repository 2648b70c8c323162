"""Outlines: how much is inside a worker's message, measured before it is decoded.

Most of a message is text and numbers, which the decoder reads at hundreds of megabytes a second. Schemas of handlers,
and long lists of small things (labels, load, handlers, jobs), take many times as long for each byte, in one call that
nothing interrupts. So the server measures those parts first (SEC-32). When a field comes twice, the outline has only
the last, but the decoder reads both: so the bytes that the outline has not seen must be few.
"""

import re
from typing import Final

import msgspec

from foliot.api.bodies import KIB
from foliot.operations.worker_reports import TooMuchInside

HANDLER_PARTS_MAX: Final = 300_000  # some thousands of handlers with schemas
JOBS_MAX: Final = 50_000
MAPPING_BYTES_MAX: Final = 64 * KIB  # of labels and of load
REST_BYTES_MAX: Final = 256 * KIB  # of all else: short fields, unknown ones, and a field that stands there again
SLICE_BYTES: Final = 256 * KIB  # of leases: two milliseconds of the decoder
_BETWEEN: Final = re.compile(rb'\},\{(?="[a-z])')
_NONE: Final = msgspec.Raw(b"null")


class Outline(msgspec.Struct):
    """The long parts of a message, not yet decoded."""

    handlers: msgspec.Raw = _NONE
    jobs: msgspec.Raw = _NONE
    labels: msgspec.Raw = _NONE
    load: msgspec.Raw = _NONE
    held: msgspec.Raw = _NONE


_DECODER: Final = msgspec.json.Decoder(Outline)
_PARTS: Final = Outline.__struct_fields__


def check_outline(body: bytes) -> Outline:
    """Return the long parts. `TooMuchInside`: it would take long to decode. msgspec's error: it is no message."""
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
    return outline


def taken_apart(body: bytes) -> tuple[bytes, list[bytes]]:
    """Return a measured message, and its leases in lists of about `SLICE_BYTES` when they are more than one of those.

    The message then has no leases any more. All of it happens here, in the side thread: even to copy the text of the
    longest message takes the loop ten milliseconds.
    """
    leases = bytes(check_outline(body).held)
    if len(leases) <= SLICE_BYTES:
        return body, []
    return body.replace(leases, b"[]", 1), _cut(leases)


def _cut(leases: bytes) -> list[bytes]:
    """Cut the text of a list between two leases: there a brace is followed by a quote and a letter.

    Within a text a quote ends it, and what comes then is no letter. A list with other spaces than workers write stays
    whole.
    """
    parts: list[bytes] = []
    begin = 0
    for between in _BETWEEN.finditer(leases):
        if between.start() - begin >= SLICE_BYTES:
            parts.append(leases[begin : between.start() + 1])
            begin = between.start() + 2
    parts.append(leases[begin:])
    last = len(parts) - 1
    return [b"%s%s%s" % (b"[" if n else b"", part, b"]" if n < last else b"") for n, part in enumerate(parts)]
