"""Duration: the median of the last runs lies far above the usual median, as far as durations scatter."""

import math
from typing import Final

from foliot.domain.anomalies.anomaly import Deviation
from foliot.domain.anomalies.history import JobHistory, RecentRuns
from foliot.domain.anomalies.spread import Spread, buckets_of, spread_of
from foliot.domain.instants import SECOND, Micros

RUNS_MIN: Final = 4
"""Runs that are judged together: one slow run, or two, is bad luck."""
USUAL_MIN: Final = 10
SAME_MIN: Final = 4
RATIO_MIN: Final = 1.5
LONGER_MIN_US: Final[Micros] = SECOND
DEVIATIONS_MIN: Final = 5.0
ALIKE_MAX: Final = 4
"""Runs of one hour are alike: more of them make the median no surer than this many."""


def judge(history: JobHistory) -> Deviation | None:
    """Whether runs take much longer than usual."""
    latest = history.latest
    for window in history.windows():
        if window.figures.took.count >= RUNS_MIN:
            latest_us = None if latest is None else latest.took.at(0.5)
            return None if latest_us is None else _judged(window, latest_us)
    return None


def _judged(window: RecentRuns, latest_us: Micros) -> Deviation | None:
    """`latest_us`: the median of the last hour; an anomaly that lies back is over."""
    usual_us = window.usual.took.at(0.5)
    if usual_us is None or latest_us < RATIO_MIN * usual_us:  # quick: so most jobs end here
        return None
    last, usual = spread_of(window.figures.took), spread_of(window.usual.took)
    if last is None or usual is None or usual.runs < USUAL_MIN or not _is_longer(last, usual):
        return None
    before = usual
    same = spread_of(window.same.took)
    if same is not None and same.runs >= SAME_MIN:
        same = same._replace(scatter=max(same.scatter, usual.scatter))  # some runs scatter less than they will
        if latest_us < RATIO_MIN * same.median_us or not _is_longer(last, same):
            return None
        before = max(usual, same, key=_median)
    ratio = last.median_us / max(1, before.median_us)
    facts = {"now_us": last.median_us, "usual_us": before.median_us, "ratio": round(ratio, 1), "runs": last.runs}
    return Deviation(window.begin_at, facts)


def _is_longer(last: Spread, usual: Spread) -> bool:
    """Beyond chance, and by enough to matter."""
    above = last.median - usual.median
    if above < buckets_of(RATIO_MIN) or last.median_us - usual.median_us < LONGER_MIN_US:
        return False
    unsure = usual.scatter * math.sqrt(1 / min(last.runs, ALIKE_MAX) + 1 / usual.runs)
    return above / unsure >= DEVIATIONS_MIN


def _median(spread: Spread) -> float:
    return spread.median
