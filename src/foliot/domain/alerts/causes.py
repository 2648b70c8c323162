"""Causes: what makes troubles of many subjects one trouble.

Two failures have one cause when their kind, their type of error and their words are the same, whatever varies in them:
numbers, ids, addresses, quoted values. So forty jobs that cannot reach one database fail by one cause.
"""

import re
from hashlib import sha256
from typing import Any, Final

from foliot.domain.alerts.alert import AlertCause

KEY_WORDS_MAX: Final = 300  # letters of a message that are looked at
TOLD_MAX: Final = 500  # letters of a message that people are shown

_VARYING: Final = (
    (re.compile(r"0x[0-9a-f]+", re.IGNORECASE), "#"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "#"),
    (re.compile(r"\br-[0-9a-z]{4,}\b", re.IGNORECASE), "#"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"), "#"),
    (re.compile(r"\b[0-9a-f]{16,}\b", re.IGNORECASE), "#"),
    (re.compile(r"(?<=:)\d{4,5}\b"), "#"),  # a client's own port; the server's address stays
    (re.compile(r"'[^']{0,100}'|\"[^\"]{0,100}\"|`[^`]{0,100}`"), "'#'"),
    (re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.]*\d)"), "#"),
    (re.compile(r"\s+"), " "),
)
"""What differs between two failures of one cause. Host names and dotted addresses stay: they say which one is dead."""


def failure_cause(*, kind: str, error_type: str, error: str, node: str = "", job: str = "") -> AlertCause:
    """Why a run failed. A run that was lost was lost with its node; one that was poison is its job's own trouble."""
    first_type = error_type.split(",", maxsplit=1)[0].strip()
    told = error.strip()[:TOLD_MAX]
    data: dict[str, Any] = {"kind": kind, "error_type": first_type, "error": told}
    match kind:
        case "lost":
            data["node"] = node
            return AlertCause(key=_key("lost", node), data=data)
        case "timeout" | "poison" | "rejected":
            return AlertCause(key=_key(kind, job), data=data)
        case _:
            return AlertCause(key=_key(kind or "error", first_type, _without_what_varies(told)), data=data)


def late_cause(*, reason: str, of: str = "") -> AlertCause:
    """Why a run does not start: the reason, and of what (a group, a limit, a job)."""
    return AlertCause(key=_key("late", reason, of), data={"reason": reason, "of": of})


def plain_cause(kind: str, *parts: str, **data: Any) -> AlertCause:
    """A cause that is its own words: a node, a check, a channel."""
    return AlertCause(key=_key(kind, *parts), data=data)


def _without_what_varies(message: str) -> str:
    text = message.splitlines()[0] if message else ""
    text = text[:KEY_WORDS_MAX]
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text.strip().lower()


def _key(kind: str, *parts: str) -> str:
    """Short and the same on every server."""
    digest = sha256("\0".join((kind, *parts)).encode()).hexdigest()[:16]
    return f"{kind}:{digest}"
