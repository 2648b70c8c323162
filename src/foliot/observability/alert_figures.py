"""Metrics of alerts that a server counts by itself: what became of notifications, and rounds of alerts."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from prometheus_client.registry import Collector

from foliot.domain.metric_bounds import CHANNELS_SHOWN
from foliot.observability.catalogue import OTHERS
from foliot.observability.families import Family, counts

NotifiedCounts: TypeAlias = Mapping[tuple[str, str], int]
"""By channel and outcome (`sent`, `failed`, `given_up`, `dropped`), how many notifications so far."""


class AlertFigures(Collector):
    """Nothing until somebody knows something."""

    def __init__(self) -> None:
        self._notified: NotifiedCounts = {}
        self._rounds = 0

    def watch(self, notified: NotifiedCounts) -> None:
        self._notified = notified

    def decided(self) -> None:
        """One more round of alerts stands in the store."""
        self._rounds += 1

    def describe(self) -> Iterator[Family]:
        yield from ()

    def collect(self) -> Iterator[Family]:
        notified = counts("foliot_notifications_total")
        for (channel, outcome), count in sorted(_bounded(self._notified).items()):
            notified.add_metric([channel, outcome], count)
        yield notified
        rounds = counts("foliot_alert_rounds_total")
        rounds.add_metric([], self._rounds)
        yield rounds


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
