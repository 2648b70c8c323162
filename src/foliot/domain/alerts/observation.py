"""Observations: what is so now, before any rule is asked; and sightings: what a rule sees of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foliot.domain.alerts.alert import AlertCause
from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.rule import Rule
from foliot.domain.instants import Instant, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing about one subject that a rule may ask for."""

    kind: ConditionKind
    subject_key: str  # job:17, node:w-3 …: the same thing has the same key in every look
    subject: str  # as people call it
    cause: AlertCause
    at: Instant
    namespace: str | None = None
    job_id: int | None = None
    run_id: int | None = None
    group: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    word: str = ""  # node: its band; check: its name; anomaly: its kind; heartbeat: its trouble; metric: its name
    grade: str = ""  # of a check, in lower case
    number: float | None = None  # of a metric; of a check: its value
    labels: Mapping[str, str] = field(default_factory=dict)  # of a metric
    lasts_us: Micros | None = None  # how long it is so, or how long a run took
    percentiles: Mapping[int, Micros] = field(default_factory=dict)  # slower: what the job's runs take
    data: Mapping[str, Any] = field(default_factory=dict)  # what `words` needs

    @property
    def comes_once(self) -> bool:
        """Whether it is an event, seen in one look alone. The others are seen in every look while they last."""
        return self.kind is ConditionKind.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a rule sees now, at one subject."""

    rule: Rule
    seen: Observation
    inhibited_by: str = ""  # a graver trouble explains it: nobody is told
