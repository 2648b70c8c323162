"""Covers: which days, hours and minutes of statistics make up a period, with as few of them as possible.

Statistics have days of UTC; the days of another zone begin at hours, or at minutes, of UTC. Minutes are kept for two
days and hours for sixty. Where the edge of a period lies within a point that is no longer there in parts, the point
belongs to the period in which it begins: so every run is in one period, and never in two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from foliot.domain.instants import HOUR, Instant
from foliot.domain.statistics.resolution import KEPT_US, Resolution


@dataclass(frozen=True, slots=True)
class PeriodCover:
    """Points that make up a period, in the order of time."""

    points: Sequence[tuple[Resolution, Instant]]
    grain: Resolution  # the finest of them that the edges needed
    is_exact: bool  # the edges are those of the period


def cover(from_at: Instant, to_at: Instant, *, now: Instant) -> PeriodCover:
    """The points of [from, to)."""
    wanted = _grain_of(from_at, to_at)
    grain = wanted
    while grain is not Resolution.DAY and not _is_kept(grain, from_at, now):
        grain = Resolution(grain + 1)
    at, end = _next_start(grain, from_at), _next_start(grain, to_at)
    points: list[tuple[Resolution, Instant]] = []
    while at < end:
        resolution = _longest(at, end, grain)
        points.append((resolution, at))
        at += resolution.length_us
    return PeriodCover(points, grain, is_exact=grain == wanted)


def crowd_resolution(from_at: Instant, now: Instant) -> Resolution:
    """The finest points that are kept for a whole period: minutes of a day that was yesterday, hours of a week."""
    return Resolution.MINUTE if _is_kept(Resolution.MINUTE, from_at, now) else Resolution.HOUR


def _grain_of(from_at: Instant, to_at: Instant) -> Resolution:
    """The coarsest points that begin and end with the period. Offsets of zones are whole minutes."""
    for resolution in reversed(Resolution):
        if from_at % resolution.length_us == 0 and to_at % resolution.length_us == 0:
            return resolution
    return Resolution.MINUTE


def _is_kept(resolution: Resolution, from_at: Instant, now: Instant) -> bool:
    """Whether no point since then is forgotten, nor will be in the next hour."""
    return from_at >= now - KEPT_US[resolution] + HOUR


def _next_start(resolution: Resolution, at: Instant) -> Instant:
    """The first start of a point that is not before an instant."""
    return -(-at // resolution.length_us) * resolution.length_us


def _longest(at: Instant, end: Instant, grain: Resolution) -> Resolution:
    for resolution in reversed(Resolution):
        if at % resolution.length_us == 0 and at + resolution.length_us <= end:
            return resolution
    return grain
