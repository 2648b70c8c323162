"""The reasons the planner wrote into the ledger, read back, so that they can be said in a zone and a language."""

import re
from datetime import datetime
from typing import Final, NamedTuple

from foliot.domain.instants import Instant, to_instant


class Reason(NamedTuple):
    """A reason and what it was about; `text` is what was written, for what is not known here."""

    kind: str  # stands_for, was_due, beyond_window, policy, newest_only, before_pause, other
    text: str
    instant: Instant | None = None
    value: str = ""


_STANDS_FOR: Final = re.compile(r"missed; the fire of (\S+) runs instead")
_WAS_DUE: Final = re.compile(r"missed; the fire of (\S+) was due instead")
_BEYOND: Final = re.compile(r"missed by more than (\S+)")
_NEWEST: Final = re.compile(r"missed; only the newest (\d+) are caught up")


def read_reason(why: str) -> Reason:
    """What a skip's `why` says."""
    if found := _STANDS_FOR.match(why):
        return Reason("stands_for", why, _instant(found[1]))
    if found := _WAS_DUE.match(why):
        return Reason("was_due", why, _instant(found[1]))
    if found := _BEYOND.match(why):
        return Reason("beyond_window", why, None, found[1])
    if found := _NEWEST.match(why):
        return Reason("newest_only", why, None, found[1])
    if why.startswith("missed, and missed fires are left out"):
        return Reason("policy", why)
    if why.startswith("missed; not yet decided when the job was paused"):
        return Reason("before_pause", why)
    return Reason("other", why)


def _instant(written: str) -> Instant:
    return to_instant(datetime.fromisoformat(written))
