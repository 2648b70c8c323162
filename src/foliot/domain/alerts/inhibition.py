"""Inhibition: a trouble that a graver one explains is not told. It stands in the store, and nobody is woken by it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from foliot.domain.alerts.condition import ConditionKind
from foliot.domain.alerts.observation import Sighting
from foliot.domain.anomalies.anomaly import AnomalyKind
from foliot.domain.instants import HOUR, Instant

WAITING: Final = frozenset({ConditionKind.LATE, ConditionKind.QUEUE, ConditionKind.SILENT})
"""What follows when nothing is started."""
_WAITING_ANOMALIES: Final = frozenset({AnomalyKind.SILENCE, AnomalyKind.LATENESS, AnomalyKind.COUNT})
OF_DRILLS: Final = WAITING | {
    ConditionKind.NODE,
    ConditionKind.FAILOVER,
    ConditionKind.LEADER,
    ConditionKind.STORE,
    ConditionKind.ANOMALY,
}
"""What a drill makes on purpose, and what follows from it."""
_BY_GRADE: Final = frozenset({ConditionKind.CHECK, ConditionKind.NODE})

BY_STORE: Final = "store"
BY_MAINTENANCE: Final = "maintenance"
BY_DRILL: Final = "drill"
BY_WORKERS: Final = "workers"
BY_GRAVER_RULE: Final = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What else is so now."""

    store_was_away: bool = False  # a moment ago: what is late is caught up
    outages: Sequence[tuple[Instant, Instant]] = ()  # of the last time: anomalies are of whole hours
    in_maintenance: bool = False
    in_drill: bool = False  # what nodes and failovers show is made on purpose, and runs wait for that
    groups_without_workers: frozenset[str] = frozenset()  # since a node of them died


def inhibited(sightings: Sequence[Sighting], around: Circumstances) -> list[Sighting]:
    """The same, each with what inhibits it."""
    gravest = _gravest(sightings)
    return [replace(one, inhibited_by=_by(one, around, gravest)) for one in sightings]


def _gravest(sightings: Iterable[Sighting]) -> dict[tuple[str, tuple[str, ...]], int]:
    """Of what rules see by grades: the level of the gravest rule for a subject and its channels."""
    found: dict[tuple[str, tuple[str, ...]], int] = {}
    for one in sightings:
        if one.rule.when.kind in _BY_GRADE:
            key = (one.seen.subject_key, one.rule.to)
            found[key] = max(found.get(key, 0), one.rule.level.rank)
    return found


def _by(one: Sighting, around: Circumstances, gravest: dict[tuple[str, tuple[str, ...]], int]) -> str:
    kind = one.rule.when.kind
    if kind is ConditionKind.LEADER and around.store_was_away:
        return BY_STORE  # nobody can lead without the store: one outage is one alert
    if _is_of_waiting(one):
        if around.in_maintenance:
            return BY_MAINTENANCE
        if around.store_was_away:
            return BY_STORE
        if one.seen.group in around.groups_without_workers and kind is not ConditionKind.SILENT:
            return BY_WORKERS
    if kind is ConditionKind.ANOMALY and _is_of_waiting(one) and _falls_into(around.outages, one.seen.at):
        return BY_STORE
    if around.in_drill and (kind in OF_DRILLS - {ConditionKind.ANOMALY} or _is_of_waiting(one)):
        return BY_DRILL
    if one.rule.level.rank < gravest.get((one.seen.subject_key, one.rule.to), 0):
        return BY_GRAVER_RULE
    return ""


def _is_of_waiting(one: Sighting) -> bool:
    """Whether it may follow from runs that nobody could start."""
    kind = one.rule.when.kind
    return kind in WAITING or (kind is ConditionKind.ANOMALY and one.seen.word in _WAITING_ANOMALIES)


def _falls_into(outages: Iterable[tuple[Instant, Instant]], hour_at: Instant) -> bool:
    return any(began_at < hour_at + HOUR and hour_at < back_at for began_at, back_at in outages)
