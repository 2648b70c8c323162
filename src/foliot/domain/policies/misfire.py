"""Misfire: what happens to instants that were not decided in time (outage, pause of a machine, clock step)."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from foliot.domain.document_values import duration, mapping, part, whole, word
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, HOUR, SECOND, Micros, format_duration, parse_duration

MISFIRE_AFTER: Final[Micros] = 60 * SECOND
CATCH_UP_MAX: Final = 1000
WITHIN_MAX: Final[Micros] = 3660 * DAY


class MisfireMode(StrEnum):
    """Which of the late instants still get a run."""

    LATEST = "latest"
    ALL = "all"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfire:
    """Too late. Instants older than MISFIRE_AFTER follow `mode`; those outside `within` or `limit` become one skip.

    Younger ones are on time and run, whatever the mode and however many older ones were missed.
    """

    mode: MisfireMode = MisfireMode.LATEST
    within_us: Micros = HOUR
    limit: int = CATCH_UP_MAX


def latest(within: str | float | timedelta = "1h") -> Misfire:
    """Of the missed instants the newest gets a run if it is not older than `within`, and if none is on time."""
    return Misfire(mode=MisfireMode.LATEST, within_us=parse_duration(within))


def all(within: str | float | timedelta = "1h", limit: int = CATCH_UP_MAX) -> Misfire:  # noqa: A001  the word of job files
    """Every instant missed in the last `within` still gets a run, the newest `limit` of them."""
    return Misfire(mode=MisfireMode.ALL, within_us=parse_duration(within), limit=limit)


skip: Final = Misfire(mode=MisfireMode.SKIP)
"""What was missed is left out and said so."""


_USUAL: Final = Misfire()


def misfire_from(written: Any, path: str = "misfire") -> Misfire:
    """A misfire policy as job files write it: `skip`, `{latest: 6h}` or `{all: 1d, limit: 100}`."""
    if isinstance(written, str):
        return Misfire(mode=word(MisfireMode, written, path))
    fields = mapping(written, path, ("latest", "all", "limit"))
    modes = [mode for mode in (MisfireMode.LATEST, MisfireMode.ALL) if mode in fields]
    if len(modes) != 1 or ("limit" in fields and modes[0] is MisfireMode.LATEST):
        raise BadField(path, "it is not one policy", hint="write {latest: 6h}, {all: 1d, limit: 100} or skip")
    mode = modes[0]
    return Misfire(
        mode=mode,
        within_us=part(fields, path, mode, duration, _USUAL.within_us),
        limit=part(fields, path, "limit", whole, _USUAL.limit),
    )


def written_misfire(misfire: Misfire) -> dict[str, Any] | str | None:
    """The canonical form: what is as usual is left out."""
    if misfire.mode is MisfireMode.SKIP:
        return MisfireMode.SKIP.value
    if misfire.mode is MisfireMode.LATEST:
        is_usual = misfire.within_us == _USUAL.within_us
        return None if is_usual else {"latest": format_duration(misfire.within_us)}
    limit = {} if misfire.limit == _USUAL.limit else {"limit": misfire.limit}
    return {"all": format_duration(misfire.within_us), **limit}
