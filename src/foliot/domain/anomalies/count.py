"""Count: many more runs in an hour than at this time of any week before, or far fewer in three hours."""

from typing import Final

from foliot.domain.anomalies.anomaly import Deviation
from foliot.domain.anomalies.history import SAME_HOURS, JobHistory
from foliot.domain.anomalies.tails import poisson_at_least, poisson_at_most
from foliot.domain.instants import HOUR

CHANCE_MAX: Final = 1e-7
TIMES_MORE_MIN: Final = 3
MORE_MIN: Final = 8
WEEKS_MIN: Final = 3
DAYS_MIN: Final = 10
"""Days with runs: a job that began yesterday has no usual count."""
LEFT_MAX: Final = 0.5
"""Far fewer: at most this part of the fewest before."""


def judge(history: JobHistory) -> Deviation | None:
    """Whether there are many more or far fewer runs than usual."""
    return _more(history) or _fewer(history)


def _more(history: JobHistory) -> Deviation | None:
    count = history.runs(0, 0)
    if count < MORE_MIN or len(history.weeks) < WEEKS_MIN or history.usual.active_days < DAYS_MIN:
        return None
    most = max(history.runs(week, back) for week in history.weeks for back in range(SAME_HOURS))
    if not history.is_scheduled:
        most = max(most, history.usual.busiest_day)  # users come when they like
    if count < TIMES_MORE_MIN * most or count - most < MORE_MIN:
        return None
    if poisson_at_least(count, most + 1) > CHANCE_MAX:
        return None
    return Deviation(history.hour_at, {"way": "more", "runs": count, "usual": most, "hours": 1})


def _fewer(history: JobHistory) -> Deviation | None:
    """Only of a job with a schedule: users come and go."""
    if not history.is_scheduled or not history.is_active or len(history.weeks) < WEEKS_MIN:
        return None
    count = sum(history.runs(0, back) for back in range(SAME_HOURS))
    if not count:
        return None  # that is silence
    fewest = min(sum(history.runs(week, back) for back in range(SAME_HOURS)) for week in history.weeks)
    if count > LEFT_MAX * fewest or poisson_at_most(count, fewest) > CHANCE_MAX:
        return None
    begin_at = history.hour_at - (SAME_HOURS - 1) * HOUR
    return Deviation(begin_at, {"way": "fewer", "runs": count, "usual": fewest, "hours": SAME_HOURS})
