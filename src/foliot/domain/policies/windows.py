"""Windows: triggers that come close together, told apart by the value of a parameter, become few runs.

`debounce` waits until no more come and makes one run with the last parameters; `throttle` lets the first through and
answers the others with its run. What decides is the store's window of the job and the value (`store.sql.firing`).
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from foliot.domain.document_values import duration, mapping, part, shown, text
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, Micros, format_duration
from foliot.domain.payload import canonical_json

AT_MOST_TIMES: Final = 10  # the quiet time of a debounce: so long it puts a run off at most, unless it says
KEYS_KEPT_US: Final[Micros] = DAY
"""How long after its window an idempotency key is known whose trigger shares a run with others."""
_RATE: Final = re.compile(r"([0-9]{1,6})/(.+)")
_RATE_HINT: Final = "write 1/10s, or 5/1h"


class StandsFor(StrEnum):
    """Why a trigger that made no run is answered with one."""

    KEY = "key"  # the idempotency key of the trigger has it already
    DEBOUNCE = "debounce"  # it waits, and took the trigger's parameters
    THROTTLE = "throttle"  # the time allows no other run


@dataclass(frozen=True, slots=True)
class Debounce:
    """One run, so long after the last trigger, and at most `at_most_us` after the first."""

    quiet_us: Micros
    at_most_us: Micros
    by: str = ""  # a parameter; empty: all triggers of the job are one stream

    def starts_at(self, now: Micros, opened_at: Micros) -> Micros:
        """When the run of a window may start, if no further trigger comes."""
        return min(now + self.quiet_us, opened_at + self.at_most_us)


@dataclass(frozen=True, slots=True)
class TriggerRate:
    """At most `runs` in a window, which begins with its first trigger and lasts `per_us`."""

    runs: int
    per_us: Micros
    by: str = ""


def window_key(by: str, params: Mapping[str, Any]) -> str:
    """What tells the windows of a job apart: the value of the parameter, in a form of fixed length."""
    if not by:
        return ""
    return hashlib.sha256(canonical_json(params.get(by)).encode()).hexdigest()[:32]


def debounce_from(written: Any, path: str = "debounce") -> Debounce:
    """Read `10s`, or `{quiet: 10s, at_most: 1m, by: customer}`."""
    if not isinstance(written, Mapping):
        quiet_us = duration(written, path)
        return Debounce(quiet_us, AT_MOST_TIMES * quiet_us)
    fields = mapping(written, path, ("quiet", "at_most", "by"))
    if fields.get("quiet") is None:
        raise BadField(f"{path}.quiet", "it is missing", hint="write debounce: 10s, or {quiet: 10s, by: customer}")
    quiet_us = duration(fields["quiet"], f"{path}.quiet")
    at_most_us = part(fields, path, "at_most", duration, AT_MOST_TIMES * quiet_us)
    return Debounce(quiet_us, at_most_us, part(fields, path, "by", text, ""))


def written_debounce(debounce: Debounce) -> Any:
    """The canonical form: what is as usual is left out."""
    quiet = format_duration(debounce.quiet_us)
    rest: dict[str, str] = {}
    if debounce.at_most_us != AT_MOST_TIMES * debounce.quiet_us:
        rest["at_most"] = format_duration(debounce.at_most_us)
    if debounce.by:
        rest["by"] = debounce.by
    return {"quiet": quiet, **rest} if rest else quiet


def throttle_from(written: Any, path: str = "throttle") -> TriggerRate:
    """Read `1/10s`, or `{rate: 1/10s, by: customer}`."""
    if not isinstance(written, Mapping):
        return _rate(written, path)
    fields = mapping(written, path, ("rate", "by"))
    if fields.get("rate") is None:
        raise BadField(f"{path}.rate", "it is missing", hint="write throttle: 1/10s, or {rate: 1/10s, by: customer}")
    rate = _rate(fields["rate"], f"{path}.rate")
    return TriggerRate(rate.runs, rate.per_us, part(fields, path, "by", text, ""))


def written_throttle(throttle: TriggerRate) -> Any:
    """The same for a job file."""
    rate = f"{throttle.runs}/{format_duration(throttle.per_us)}"
    return {"rate": rate, "by": throttle.by} if throttle.by else rate


def _rate(written: Any, path: str) -> TriggerRate:
    found = _RATE.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        raise BadField(path, f"{shown(written)} is not a rate", hint=_RATE_HINT)
    return TriggerRate(int(found[1]), duration(found[2], path))
