"""The pacer: runs of missed instants come a few at a time, so that on-time work goes on after an outage (R10)."""

from typing import Final

from foliot.domain.fire import Plan, PlannedRun
from foliot.domain.instants import SECOND, Instant

CATCH_UP_RATE: Final = 50


class CatchUpPacer:
    """Gives each catch-up run of this server a slot of its own, across jobs and batches."""

    def __init__(self, rate_per_s: float = CATCH_UP_RATE) -> None:
        assert rate_per_s > 0, rate_per_s
        self._gap_us = SECOND / rate_per_s
        self._next_at = 0.0
        self._now = 0

    def spread(self, plan: Plan, now: Instant) -> Plan:
        """The same plan with its catch-up runs in their slots."""
        if now < self._now:  # the clock stepped back: the line of slots keeps its length, not its date
            self._next_at -= self._now - now
        self._now = now
        return plan._replace(runs=tuple(self._placed(run, now) if run.catch_up else run for run in plan.runs))

    def _placed(self, run: PlannedRun, now: Instant) -> PlannedRun:
        slot = max(float(now), self._next_at)
        self._next_at = slot + self._gap_us
        return run._replace(not_before=int(slot))
