"""Families: metrics made from their rows of the catalogue. A name that is not there cannot be shown."""

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar

from foliot.domain.duration_tally import LONG_S, QUICK_S, DurationTally, Mark
from foliot.domain.run import format_run_id
from foliot.observability.catalogue import METRICS, MetricRow, MetricType

Family: TypeAlias = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily
Step: TypeAlias = tuple[str, float] | tuple[str, float, Exemplar]
"""The end of a step of a histogram, how many are in it or before it, and perhaps an example."""


def counter(name: str, registry: CollectorRegistry) -> Counter:
    """A counter that its owner raises."""
    row = _row(name, MetricType.COUNTER)
    return Counter(row.name, row.text, row.labels, registry=registry)


def gauge(name: str, registry: CollectorRegistry) -> Gauge:
    """A gauge that its owner sets."""
    row = _row(name, MetricType.GAUGE)
    return Gauge(row.name, row.text, row.labels, registry=registry)


def counts(name: str) -> CounterMetricFamily:
    """An empty family of counts, for a collector that fills it at every look."""
    row = _row(name, MetricType.COUNTER)
    return CounterMetricFamily(row.name.removesuffix("_total"), row.text, labels=row.labels)


def gauges(name: str) -> GaugeMetricFamily:
    """An empty family of gauges."""
    row = _row(name, MetricType.GAUGE)
    return GaugeMetricFamily(row.name, row.text, labels=row.labels)


def tally_of(name: str) -> DurationTally:
    """The tally for a histogram, with its steps."""
    return DurationTally(LONG_S if _row(name, MetricType.HISTOGRAM).is_long else QUICK_S)


class TallyShown(Collector):
    """Histograms that other parts count."""

    def __init__(self, name: str, tallies: Callable[[], Mapping[str, DurationTally]]) -> None:
        """`tallies`: by the value of its one label, or one tally under the empty text."""
        self._row = _row(name, MetricType.HISTOGRAM)
        self._tallies = tallies

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._row.name, self._row.text, labels=self._row.labels)
        for label, tally in self._tallies().items():
            labels = [label] if self._row.labels else []
            family.add_metric(labels, self._steps(tally), tally.sum_s)
        yield family

    def _steps(self, tally: DurationTally) -> list[Step]:
        ends = [*(str(float(bound)) for bound in tally.bounds), "+Inf"]
        sums = accumulate(tuple(tally.counts))
        return [
            self._step(end, so_far, tally.marks.get(at))
            for at, (end, so_far) in enumerate(zip(ends, sums, strict=True))
        ]

    @staticmethod
    def _step(end: str, so_far: int, mark: Mark | None) -> Step:
        if mark is None:
            return (end, so_far)
        named = {"run_id": format_run_id(mark.run_id)}
        return (end, so_far, Exemplar(named | {"trace_id": mark.trace_id} if mark.trace_id else named, mark.took_s))


def _row(name: str, shape: MetricType) -> MetricRow:
    row = METRICS[name]
    assert row.shape is shape, f"{name} is a {row.shape}"
    return row
