"""Failures: of the last runs so many failed that the usual rate does not explain it."""

from typing import Final

from foliot.domain.anomalies.anomaly import Deviation
from foliot.domain.anomalies.history import JobHistory, RecentDays, RecentRuns
from foliot.domain.anomalies.tails import binomial_at_least
from foliot.domain.statistics.figures import RunFigures

FAILED_MIN: Final = 3
USUAL_MIN: Final = 10
SAME_ADDED: Final = 10
MORE_MIN: Final = 0.2
"""By how much the rate must be above the usual one."""
ENOUGH: Final = 12
"""Runs with which a window is judged alone: a longer one says no more of now."""
CHANCE_MAX_HOURS: Final = 1e-5
CHANCE_MAX_DAYS: Final = 2e-4
"""How improbable it must be: what is judged each hour needs more than what is judged once a day."""


def judge(history: JobHistory) -> Deviation | None:
    """Whether many more runs fail than usual."""
    latest = history.latest
    if latest is None or 2 * latest.failed < _judged_runs(latest):
        return _judged(next(history.windows()))  # most of the last hour succeeded: only that hour itself may tell
    for window in history.windows():
        found = _judged(window)
        if found is not None or _judged_runs(window.figures) >= ENOUGH:
            return found
    return None


def _judged(window: RecentRuns) -> Deviation | None:
    failed, judged = window.figures.failed, _judged_runs(window.figures)
    if failed < FAILED_MIN or _judged_runs(window.usual) < USUAL_MIN:
        return None
    usual = _rate(window.usual)
    usual = max(usual, _rate_beside(window.same, usual))
    chance_max = CHANCE_MAX_DAYS if isinstance(window, RecentDays) else CHANCE_MAX_HOURS
    if failed / judged < usual + MORE_MIN or binomial_at_least(failed, judged, usual) > chance_max:
        return None
    kind = window.figures.kinds.most_common(1)[0][0]
    return Deviation(window.begin_at, {"failed": failed, "runs": judged, "usual": round(usual, 4), "kind": kind})


def _judged_runs(figures: RunFigures) -> int:
    return figures.succeeded + figures.failed


def _rate(figures: RunFigures) -> float:
    """The part that fails. A job that never failed may fail all the same: half a run is added."""
    return (figures.failed + 0.5) / (_judged_runs(figures) + 1)


def _rate_beside(figures: RunFigures, usual: float) -> float:
    """The part that fails at the same time of past weeks. Those are few runs, so some usual ones are added."""
    return (figures.failed + SAME_ADDED * usual) / (_judged_runs(figures) + SAME_ADDED)
