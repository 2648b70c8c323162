"""Metrics of drills: how many were asked for at this server, how those that it judged ended, and what they took."""

from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry

from foliot.domain.drills import DrillState, DrillType
from foliot.domain.instants import SECOND
from foliot.observability.families import counter, gauge

TIMES: Final = ("detected", "failed_over", "recovered")
SPOILED: Final = ("lost", "doubled", "early")


class DrillMetrics:
    """One server judges a drill: the sum over the servers is right."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._started = counter("foliot_drills_started_total", registry)
        self._ended = counter("foliot_drills_ended_total", registry)
        self._took = gauge("foliot_drill_last_seconds", registry)

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
