"""Metrics of what other parts keep: counts, the coordination service, the replica. They are read at every look."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.registry import Collector

from foliot.observability.families import Family, counts, gauges
from foliot.ports.coordinator import CoordinatorHealth


class CountsWatched(Collector):
    """Counts that another part keeps, under one label."""

    def __init__(self, name: str, kept: Mapping[str, int]) -> None:
        self._name = name
        self._kept = kept

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        family = counts(self._name)
        for key, count in sorted(dict(self._kept).items()):
            family.add_metric([key], count)
        yield family


class ReplicaFigures(Collector):
    """Answers from the replica, and its age. Without an age it is not fit to answer."""

    def __init__(self, answers: Callable[[], int], age_s: Callable[[], int | None]) -> None:
        self._answers = answers
        self._age_s = age_s

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        age_s = self._age_s()
        answers = counts("foliot_replica_answers_total")
        answers.add_metric([], self._answers())
        fit = gauges("foliot_replica_fit")
        fit.add_metric([], age_s is not None)
        yield from (answers, fit)
        if age_s is not None:
            age = gauges("foliot_replica_age_seconds")
            age.add_metric([], age_s)
            yield age


class CoordinatorFigures(Collector):
    """How the coordination service is, as this server sees it."""

    def __init__(self, name: str, health: Callable[[], CoordinatorHealth | None]) -> None:
        self._name = name
        self._health = health

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        health = self._health()
        if health is None:
            return
        yield self._gauge("foliot_coordinator_up", health.is_up)
        yield self._gauge("foliot_coordinator_chosen", health.is_chosen)
        yield self._gauge("foliot_coordinator_outages", health.outages)
        if health.latency_s is not None:
            yield self._gauge("foliot_coordinator_latency_seconds", health.latency_s)

    def _gauge(self, name: str, value: float) -> Family:
        family = gauges(name)
        family.add_metric([self._name], float(value))
        return family
