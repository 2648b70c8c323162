"""Metrics of alerts: how many fire, and what became of notifications. The parts that know it are plugged in here."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from prometheus_client.registry import Collector

from foliot.domain.metric_bounds import CHANNELS_SHOWN
from foliot.observability.catalogue import OTHERS
from foliot.observability.families import Family, counts, gauges

NotifiedCounts: TypeAlias = Mapping[tuple[str, str], int]
"""By channel and outcome (`sent`, `failed`, `given_up`, `dropped`), how many notifications so far."""


class AlertFigures(Collector):
    """Nothing until somebody knows something."""

    def __init__(self) -> None:
        self._firing: Callable[[], Mapping[str, int] | None] = lambda: None
        self._notified: NotifiedCounts = {}

    def watch(self, firing: Callable[[], Mapping[str, int] | None], notified: NotifiedCounts) -> None:
        self._firing = firing
        self._notified = notified

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        by_level = self._firing()
        if by_level is not None:
            firing = gauges("foliot_alerts_firing")
            for level, count in sorted(by_level.items()):
                firing.add_metric([level], count)
            yield firing
        notified = counts("foliot_notifications_total")
        for (channel, outcome), count in sorted(_bounded(self._notified).items()):
            notified.add_metric([channel, outcome], count)
        yield notified


def _bounded(notified: NotifiedCounts) -> dict[tuple[str, str], int]:
    """The first channels by themselves, the rest added up."""
    shown: dict[str, None] = {}
    sums: dict[tuple[str, str], int] = {}
    for (channel, outcome), count in dict(notified).items():
        if channel not in shown and len(shown) < CHANNELS_SHOWN:
            shown[channel] = None
        name = channel if channel in shown else OTHERS
        sums[name, outcome] = sums.get((name, outcome), 0) + count
    return sums
