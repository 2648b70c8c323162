"""Periods of reports: days and weeks of a zone, and the points of statistics that make them up."""

from datetime import datetime
from itertools import pairwise

import pytest

from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, HOUR, MINUTE, Instant, to_instant
from foliot.domain.reports.cover import PeriodCover, cover, crowd_resolution
from foliot.domain.reports.period import (
    Period,
    ReportKind,
    check_timezone,
    last_period,
    period_from,
    read_day,
)
from foliot.domain.statistics.resolution import Resolution

DAILY, WEEKLY = ReportKind.DAILY, ReportKind.WEEKLY


def at(text: str) -> Instant:
    return to_instant(datetime.fromisoformat(text))


def day(zone: str, date: str, kind: ReportKind = DAILY) -> Period:
    return period_from(kind, zone, read_day(date))


@pytest.mark.parametrize(
    ("zone", "date", "hours", "begins"),
    [
        ("UTC", "2026-03-29", 24, "2026-03-29T00:00:00Z"),
        ("Europe/Berlin", "2026-03-28", 24, "2026-03-27T23:00:00Z"),
        ("Europe/Berlin", "2026-03-29", 23, "2026-03-28T23:00:00Z"),
        ("Europe/Berlin", "2026-10-25", 25, "2026-10-24T22:00:00Z"),
        ("Asia/Kolkata", "2026-03-29", 24, "2026-03-28T18:30:00Z"),
        ("Africa/Cairo", "2026-04-24", 23, "2026-04-23T22:00:00Z"),  # midnight itself is skipped
        ("Australia/Lord_Howe", "2026-04-05", 24.5, "2026-04-04T13:00:00Z"),
    ],
)
def test_a_day_is_a_day_of_its_zone(zone: str, date: str, hours: float, begins: str) -> None:
    period = day(zone, date)
    assert (period.from_at, period.to_at - period.from_at) == (at(begins), hours * HOUR)
    assert period.before().to_at == period.from_at, "nothing lies between two days"
    assert (period.date, period.last_date) == (date, date)


def test_a_week_is_from_monday_to_sunday_whichever_of_its_days_is_said() -> None:
    weeks = {day("Europe/Berlin", f"2026-03-{date}", WEEKLY) for date in (23, 26, 29)}
    (week,) = weeks
    assert (week.date, week.last_date) == ("2026-03-23", "2026-03-29")
    assert week.to_at - week.from_at == 7 * DAY - HOUR
    assert week.before().date == "2026-03-16"


@pytest.mark.parametrize(
    ("kind", "now", "date"),
    [
        (DAILY, "2026-03-29T22:00:00Z", "2026-03-29"),  # midnight in Berlin
        (DAILY, "2026-03-29T21:59:59Z", "2026-03-28"),
        (WEEKLY, "2026-03-29T22:00:00Z", "2026-03-23"),
        (WEEKLY, "2026-03-29T21:59:59Z", "2026-03-16"),
    ],
)
def test_the_last_period_is_the_last_that_is_over(kind: ReportKind, now: str, date: str) -> None:
    assert last_period(kind, "Europe/Berlin", at(now)).date == date


@pytest.mark.parametrize("written", ["", "today", "2026-3-29", "2026-02-30", "1970-01-02", "9999-01-01", None])
def test_what_is_no_date_is_refused(written: str | None) -> None:
    with pytest.raises(BadField):
        read_day(written)


def test_an_unknown_zone_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadField, match="Berlin"):
        check_timezone("Europe/Berlim")


def length_of(covered: PeriodCover) -> int:
    return sum(resolution.length_us for resolution, _ in covered.points)


@pytest.mark.parametrize(
    ("zone", "kind", "days_ago", "points", "grain", "is_exact"),
    [
        ("UTC", DAILY, 1, 1, Resolution.DAY, True),
        ("UTC", WEEKLY, 8, 7, Resolution.DAY, True),
        ("Asia/Shanghai", DAILY, 1, 24, Resolution.HOUR, True),
        ("Asia/Shanghai", WEEKLY, 8, 30, Resolution.HOUR, True),
        ("Asia/Kolkata", DAILY, 1, 23 + 60, Resolution.MINUTE, True),
        ("Asia/Kolkata", DAILY, 9, 24, Resolution.HOUR, False),
        ("Asia/Shanghai", DAILY, 90, 1, Resolution.DAY, False),
    ],
)
def test_a_period_is_made_of_few_points(
    zone: str, kind: ReportKind, days_ago: int, points: int, grain: Resolution, is_exact: bool
) -> None:
    now = at("2026-03-18T08:00:00Z")
    period = period_from(kind, zone, read_day("2026-03-18") - days_ago)
    covered = cover(period.from_at, period.to_at, now=now)
    assert (len(covered.points), covered.grain, covered.is_exact) == (points, grain, is_exact)
    assert length_of(covered) == period.to_at - period.from_at
    starts = [start_at for _, start_at in covered.points]
    assert starts == sorted(set(starts))
    if is_exact:
        assert starts[0] == period.from_at


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin", "Australia/Lord_Howe"])
@pytest.mark.parametrize("age", [2 * DAY, 30 * DAY, 300 * DAY])
def test_every_point_belongs_to_one_day(zone: str, age: int) -> None:
    """Days one after the other: their points neither overlap nor leave anything out, on whole days of UTC or finer."""
    first = read_day("2026-03-20")
    now = at("2026-03-20T00:00:00Z") + age
    days = [period_from(DAILY, zone, first + n) for n in range(20)]
    spans = []
    for one in days:
        covered = cover(one.from_at, one.to_at, now=now + 20 * DAY)
        spans += [(start_at, start_at + resolution.length_us) for resolution, start_at in covered.points]
    assert all(before[1] == after[0] for before, after in pairwise(spans))


def test_minutes_are_looked_at_where_all_of_the_period_has_them() -> None:
    now = at("2026-03-20T08:00:00Z")
    assert crowd_resolution(now - 32 * HOUR, now) is Resolution.MINUTE
    assert crowd_resolution(now - 2 * DAY + MINUTE, now) is Resolution.HOUR
