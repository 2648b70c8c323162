"""Causes of skips as the English text of `skips.why`.

Foliot wrote this text before it kept causes as data, and servers of that time still read it during an upgrade; so it
is written beside the data, and read where a row has no other. Nothing else is made of it.
"""

import re
from datetime import datetime
from typing import Final, assert_never

from foliot.domain.instants import Instant, format_duration, isoformat, parse_duration, to_instant
from foliot.domain.skips import SkipCause, SkipKind

_PARTLY_CLOSED: Final = "; the calendar rules out some of them anyway"
_PLAIN: Final = {
    SkipKind.POLICY: "missed, and missed fires are left out",
    SkipKind.BEFORE_PAUSE: "missed; not yet decided when the job was paused",
    SkipKind.OPEN_RUN: "an earlier run was still open",
    SkipKind.ANOTHER_WAITS: "another run was already waiting",
    SkipKind.PAUSED: "the job was paused",
    SkipKind.BEFORE_EDIT: "not yet decided when the job was edited",
    SkipKind.BEFORE_DELETE: "not yet decided when the job was deleted",
    SkipKind.UNREADABLE: "the version before could not be read, so its instants are not known",
}
_STANDS_FOR: Final = re.compile(r"missed; the fire of (\S+) runs instead")
_WAS_DUE: Final = re.compile(r"missed; the fire of (\S+) was due instead")
_BEYOND: Final = re.compile(r"missed by more than ([^\s;]+)")
_NEWEST: Final = re.compile(r"missed; only the newest (\d+) are caught up")
_QUEUE_FULL: Final = re.compile(r"(\d+) runs were already waiting")


def text_of(cause: SkipCause) -> str:
    """The text of a cause."""
    text = _text(cause)
    if cause.partly_closed:
        text += _PARTLY_CLOSED
    return f"{text}; {cause.trouble}" if cause.trouble else text


def _text(cause: SkipCause) -> str:
    match cause.kind:
        case SkipKind.STANDS_FOR:
            return f"missed; the fire of {isoformat(cause.at or 0)} runs instead"
        case SkipKind.WAS_DUE:
            return f"missed; the fire of {isoformat(cause.at or 0)} was due instead"
        case SkipKind.BEYOND_WINDOW:
            return f"missed by more than {format_duration(cause.within_us or 0)}"
        case SkipKind.NEWEST_ONLY:
            return f"missed; only the newest {cause.most} are caught up"
        case SkipKind.QUEUE_FULL:
            return f"{cause.most} runs were already waiting"
        case SkipKind.CLOSED | SkipKind.OTHER:
            return cause.text
        case (
            SkipKind.POLICY
            | SkipKind.BEFORE_PAUSE
            | SkipKind.OPEN_RUN
            | SkipKind.ANOTHER_WAITS
            | SkipKind.PAUSED
            | SkipKind.BEFORE_EDIT
            | SkipKind.BEFORE_DELETE
            | SkipKind.UNREADABLE
        ):
            return _PLAIN[cause.kind]
        case _:
            assert_never(cause.kind)


def read_text(why: str) -> SkipCause:
    """The cause that a text of the ledger tells of."""
    if found := _STANDS_FOR.match(why):
        return SkipCause(SkipKind.STANDS_FOR, at=_instant(found[1]))
    if found := _WAS_DUE.match(why):
        return SkipCause(SkipKind.WAS_DUE, at=_instant(found[1]))
    if found := _BEYOND.match(why):
        return SkipCause(SkipKind.BEYOND_WINDOW, within_us=parse_duration(found[1]))
    if found := _NEWEST.match(why):
        return SkipCause(SkipKind.NEWEST_ONLY, most=int(found[1]))
    if found := _QUEUE_FULL.match(why):
        return SkipCause(SkipKind.QUEUE_FULL, most=int(found[1]))
    for kind, text in _PLAIN.items():
        if why.startswith(text):
            return SkipCause(kind)
    return SkipCause(SkipKind.OTHER, text=why)


def _instant(written: str) -> Instant:
    return to_instant(datetime.fromisoformat(written))
