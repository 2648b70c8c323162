"""An anomaly: which job, of which kind, since when, and the numbers of its sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from foliot.domain.instants import Instant


class AnomalyKind(StrEnum):
    """What differs. The words stand in the store."""

    DURATION = "duration"  # runs take much longer
    FAILURES = "failures"  # many more fail
    COUNT = "count"  # many more runs, or far fewer
    LATENESS = "lateness"  # runs wait much longer until they start
    SILENCE = "silence"  # none at all


Facts: TypeAlias = Mapping[str, int | float | str]
"""The numbers of a sentence: durations in µs, under names that end in `_us`."""


class Deviation(NamedTuple):
    """What a judge of one kind found."""

    begin_at: Instant  # when what it looked at began
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """A job differs from its own baseline."""

    job_id: int
    kind: AnomalyKind
    began_at: Instant
    seen_at: Instant  # the end of the last hour in which it was seen
    facts: Facts
    ended_at: Instant | None = None  # None: it goes on
    quiet: int = 0  # judged hours since it was last seen
    id: int = 0  # in the store; 0: it is new
    namespace: str = ""
    job: str = ""
