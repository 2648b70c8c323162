"""Silence: no run ended, although at this time of every week before there were some."""

import math
from typing import Final

from foliot.domain.anomalies.anomaly import Deviation
from foliot.domain.anomalies.history import JobHistory
from foliot.domain.instants import HOUR

CHANCE_MAX: Final = 1e-7
WEEKS_MIN: Final = 4
SILENT_HOURS: Final = 4
BUSY_WEEKS_MIN: Final = 2


def judge(history: JobHistory) -> Deviation | None:
    """Whether a job did not run at all."""
    if not history.is_active or history.runs(0, 0):
        return None
    return _of_a_busy_job(history) or _of_a_regular_job(history)


def _of_a_busy_job(history: JobHistory) -> Deviation | None:
    """One hour without a run is enough, where an hour had many."""
    if len(history.weeks) < BUSY_WEEKS_MIN:
        return None
    fewest = min(history.runs(week, 0) for week in history.weeks)
    if math.exp(-fewest) > CHANCE_MAX:
        return None
    return Deviation(history.hour_at, {"hours": 1, "usual": fewest, "weeks": len(history.weeks)})


def _of_a_regular_job(history: JobHistory) -> Deviation | None:
    """A schedule makes a run at the same time of each week.

    The two hours in the middle had a run in every week. The hour before them and the one behind them are for a run
    that ends a bit earlier or later than usual.
    """
    if not history.is_scheduled or len(history.weeks) < WEEKS_MIN:
        return None
    if any(history.runs(0, back) for back in range(SILENT_HOURS)):
        return None
    fewest = min(history.runs(week, 1) + history.runs(week, 2) for week in history.weeks)
    if not fewest:
        return None
    begin_at = history.end_at - SILENT_HOURS * HOUR
    return Deviation(begin_at, {"hours": SILENT_HOURS, "usual": fewest, "weeks": len(history.weeks)})
