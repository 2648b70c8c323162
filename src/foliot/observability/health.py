"""The grades of the leader's last checkup as metrics. A server that does not lead says nothing of them."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from foliot.domain.checkup import Grade
from foliot.observability.families import gauges


class HealthGauges(Collector):
    """`foliot_health{check,level}`: 1 for the level that a check has, 0 for the others."""

    def __init__(self, term: Callable[[], int | None]) -> None:
        """`term`: under which this server leads now."""
        self._term = term
        self._learned_in: int | None = None
        self._grades: Mapping[str, Grade] = {}

    def learn(self, term: int, grades: Mapping[str, Grade]) -> None:
        """Show these grades while this term lasts."""
        self._learned_in, self._grades = term, grades

    def describe(self) -> Iterator[GaugeMetricFamily]:
        yield from ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        if self._learned_in is None or self._learned_in != self._term():
            return
        family = gauges("foliot_health")
        for check, grade in sorted(self._grades.items()):
            for level in Grade:
                family.add_metric([check, level], float(level is grade))
        yield family
