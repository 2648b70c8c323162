"""When a job's runs deserve a person's attention: the alert policy of a definition, read and written.

    alert: {on: [failed, late 10m, slower p95*2], after: 2 in 24h, recover: true, to: [oncall]}

In code the conditions may stand by themselves: `alert={"late": "10m", "slower_than": "p95*2"}`. A definition keeps the
policy, checked and versioned like everything else in it; the sender of alerts reads it there.
"""

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from foliot.domain.document_values import mapping, parsed, part, shown, text, truth
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, SECOND, Micros, format_duration, parse_duration
from foliot.domain.names import check_name

LATE_MIN: Final[Micros] = SECOND
WITHIN_MAX: Final[Micros] = 366 * DAY
COUNT_MAX: Final = 10_000
FACTOR_MAX: Final = 1000.0
TO_MAX: Final = 20
PERCENTILES: Final = (50, 90, 95, 99)

_FIELDS: Final = ("on", "after", "recover", "to", "failed", "late", "slower_than")
_PACE: Final = re.compile(r"p(\d{2})\s*[*×]\s*(\d{1,4}(?:\.\d{1,3})?)")
_TIMES: Final = re.compile(r"(\d{1,5})\s+in\s+(.+)")
_HINT: Final = "write failed, late 10m, slower p95*2 or slower 5m"


class Pace(NamedTuple):
    """So many times what a share of its runs take."""

    percentile: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPolicy:
    """What to alert about, from how many times on, and whom."""

    failed: bool = False
    late_us: Micros | None = None  # not started so long after it was due
    slower: Pace | Micros | None = None  # took longer than that
    after: int = 1  # times, within `within_us` if that is said
    within_us: Micros | None = None
    recover: bool = False  # tell also when it is over
    to: tuple[str, ...] = ()  # channels; none: the default one


def alert_from(written: Any) -> AlertPolicy | None:
    """Read an alert policy; None when nothing is written."""
    fields = mapping(written, "alert", _FIELDS)
    if not fields:
        return None
    failed = part(fields, "alert", "failed", truth, False)
    late, slower = fields.get("late"), fields.get("slower_than")
    for condition in _listed(fields.get("on"), "alert.on"):
        what, _, how = condition.strip().partition(" ")
        match what:
            case "failed" if not how:
                failed = True
            case "late" if how:
                late = how
            case "slower" if how:
                slower = how
            case _:
                raise BadField("alert.on", f"{shown(condition)} is no condition", hint=_HINT)
    if not failed and late is None and slower is None:
        raise BadField("alert.on", "it names nothing to alert about", hint=_HINT)
    after, within_us = _times(fields.get("after"))
    return AlertPolicy(
        failed=failed,
        late_us=None if late is None else _between(late, "alert.late", LATE_MIN),
        slower=None if slower is None else _pace(slower),
        after=after,
        within_us=within_us,
        recover=part(fields, "alert", "recover", truth, False),
        to=tuple(check_name("channel", channel) for channel in _listed(fields.get("to"), "alert.to")),
    )


def written_alert(alert: AlertPolicy | None) -> dict[str, Any]:
    """The canonical form: what is as usual is left out."""
    if alert is None:
        return {}
    on = ["failed"] if alert.failed else []
    if alert.late_us is not None:
        on.append(f"late {format_duration(alert.late_us)}")
    if isinstance(alert.slower, Pace):
        on.append(f"slower p{alert.slower.percentile}*{alert.slower.factor:g}")
    elif alert.slower is not None:
        on.append(f"slower {format_duration(alert.slower)}")
    after: int | str | None = alert.after if alert.after > 1 else None
    if alert.within_us is not None:
        after = f"{alert.after} in {format_duration(alert.within_us)}"
    written = {"on": on, "after": after, "recover": alert.recover or None, "to": list(alert.to) or None}
    return {field: value for field, value in written.items() if value is not None}


def _listed(written: Any, path: str) -> list[str]:
    """One text, or a list of them."""
    if written is None:
        return []
    given = list(written) if isinstance(written, list | tuple) else [written]
    if len(given) > TO_MAX:
        raise BadField(path, f"it has {len(given)} entries; the limit is {TO_MAX}")
    return ["" if one is None else text(one, path) for one in given]


def _times(written: Any) -> tuple[int, Micros | None]:
    if written is None:
        return 1, None
    found = _TIMES.fullmatch(written.strip()) if isinstance(written, str) else None
    count = int(found[1]) if found else written
    if type(count) is not int or not 1 <= count <= COUNT_MAX:
        raise BadField("alert.after", f"{shown(written)} is not a number of times", hint="write 2 in 24h, or just 2")
    return count, _between(found[2], "alert.after", SECOND) if found else None


def _pace(written: Any) -> Pace | Micros:
    found = _PACE.fullmatch(written.strip()) if isinstance(written, str) else None
    if found is None:
        return _between(written, "alert.slower_than", 1)
    percentile, factor = int(found[1]), float(found[2])
    if percentile not in PERCENTILES or not 0 < factor <= FACTOR_MAX:
        known = ", ".join(f"p{one}" for one in PERCENTILES)
        raise BadField("alert.slower_than", f"{shown(written)} is no pace", hint=f"write p95*2; known are {known}")
    return Pace(percentile, factor)


def _between(written: Any, path: str, least: Micros) -> Micros:
    value = parsed(parse_duration, written, path)
    if not least <= value <= WITHIN_MAX:
        bounds = f"from {format_duration(least)} to {format_duration(WITHIN_MAX)}"
        raise BadField(path, f"{format_duration(value)} is out of bounds", hint=bounds)
    return value
