"""Lateness: the last runs waited for their start far longer than nearly all runs before them."""

from typing import Final

from foliot.domain.anomalies.anomaly import Deviation
from foliot.domain.anomalies.history import JobHistory, RecentRuns
from foliot.domain.instants import SECOND, Micros

RUNS_MIN: Final = 4
USUAL_MIN: Final = 10
LATE_MIN_US: Final[Micros] = 30 * SECOND
RATIO_MIN: Final = 3
NEARLY_ALL: Final = 0.95
"""Of the runs before: one of twenty may have waited longer."""


def judge(history: JobHistory) -> Deviation | None:
    """Whether runs wait much longer than usual."""
    latest = history.latest
    if latest is None or (latest.delay.at(0.5) or 0) < LATE_MIN_US:
        return None
    for window in history.windows():
        if window.figures.delay.count >= RUNS_MIN:
            return _judged(window)
    return None


def _judged(window: RecentRuns) -> Deviation | None:
    if window.usual.delay.count < USUAL_MIN:
        return None
    now_us = _middle_us(window)
    before_us = max(figures.delay.at(NEARLY_ALL) or 0 for figures in (window.usual, window.same))
    if now_us < LATE_MIN_US or now_us < RATIO_MIN * before_us:
        return None
    facts = {"now_us": now_us, "usual_us": before_us, "runs": window.figures.delay.count}
    return Deviation(window.begin_at, facts)


def _middle_us(window: RecentRuns) -> Micros:
    """The lower median: of four runs three waited at least this long."""
    delay = window.figures.delay
    return delay.at((delay.count - 1) // 2 / delay.count) or 0
