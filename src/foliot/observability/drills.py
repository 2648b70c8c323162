"""Metrics of drills: how many were asked for at this server, how those that it judged ended, and what they took."""

from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from foliot.domain.drills import DrillState, DrillType
from foliot.domain.instants import SECOND

TIMES: Final = ("detected", "failed_over", "recovered")
SPOILED: Final = ("lost", "doubled", "early")


class DrillMetrics:
    """One server judges a drill: the sum over the servers is right."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._started = Counter("foliot_drills_started_total", "Drills asked for here", ["type"], registry=registry)
        self._ended = Counter(
            "foliot_drills_ended_total", "Drills that were closed here", ["type", "outcome"], registry=registry
        )
        self._took = Gauge(
            "foliot_drill_last_seconds",
            "From its beginning, of the last drill that was judged here",
            ["type", "time"],
            registry=registry,
        )

    def told(self, type_: DrillType, state: DrillState, report: Mapping[str, Any]) -> None:
        """A drill was asked for or closed here."""
        if state is DrillState.ASKED:
            self._started.labels(type=str(type_)).inc()
            return
        self._ended.labels(type=str(type_), outcome=outcome_of(state, report)).inc()
        for name in TIMES:
            took_us = report.get(f"{name}_us")
            if took_us is not None:
                self._took.labels(type=str(type_), time=name).set(took_us / SECOND)


def outcome_of(state: DrillState, report: Mapping[str, Any]) -> str:
    """`clean`, `failed` (a fire was lost, doubled or early), `lost` or `stopped`."""
    if state is not DrillState.ENDED:
        return str(state)
    return "failed" if any(report["fires"][name] for name in SPOILED) else "clean"
