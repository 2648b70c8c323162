"""Schedules as people write them in code: `cron("0 2 * * *")`, `every("15m")`, `at(...)`, `daily(...)`, `weekly(...)`.

Each builds the same value as the job-file form of the same words. A calendar is given by name and stays a name until
the job meets its cluster.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

from foliot.domain.schedule.document import schedule_from_document
from foliot.domain.schedule.schedule import Schedule

Duration: TypeAlias = str | int | float | timedelta
Moment: TypeAlias = str | datetime | date


def cron(
    expression: str,
    *,
    tz: str = "UTC",
    dialect: str | None = None,
    dst_gap: str | None = None,
    dst_overlap: str | None = None,
    calendar: str | None = None,
    shift: str | None = None,
    start: Moment | None = None,
    end: Moment | None = None,
    count: int | None = None,
    jitter: Duration | None = None,
) -> Schedule:
    """When a cron expression says: 5 fields as in crontab, or 6 to 7 with seconds first (Quartz, Spring)."""
    return _built(
        cron=expression,
        tz=tz,
        dialect=dialect,
        dst_gap=dst_gap,
        dst_overlap=dst_overlap,
        calendar=calendar,
        shift=shift,
        start=start,
        end=end,
        count=count,
        jitter=jitter,
    )


def every(
    interval: Duration,
    *,
    from_end: bool = False,
    phase: Duration | None = None,
    anchor: Moment | None = None,
    tz: str = "UTC",
    calendar: str | None = None,
    start: Moment | None = None,
    end: Moment | None = None,
    count: int | None = None,
    jitter: Duration | None = None,
) -> Schedule:
    """Every so often on a grid that no restart shifts; `from_end` counts from the end of the last run instead."""
    return _built(
        every=interval,
        from_end=from_end or None,
        phase=phase,
        anchor=anchor,
        tz=tz,
        calendar=calendar,
        start=start,
        end=end,
        count=count,
        jitter=jitter,
    )


def at(
    *instants: Moment,
    tz: str = "UTC",
    calendar: str | None = None,
    shift: str | None = None,
    jitter: Duration | None = None,
) -> Schedule:
    """At one or several instants; those without an offset are read by the wall clock of the zone."""
    return _built(at=list(instants), tz=tz, calendar=calendar, shift=shift, jitter=jitter)


def daily(
    *times: str,
    tz: str = "UTC",
    every_days: int | None = None,
    since: Moment | None = None,
    dst_gap: str | None = None,
    dst_overlap: str | None = None,
    calendar: str | None = None,
    shift: str | None = None,
    start: Moment | None = None,
    end: Moment | None = None,
    count: int | None = None,
    jitter: Duration | None = None,
) -> Schedule:
    """At these times every day, or every n-th day counted from `since` (`start` is what holds fires back)."""
    return _built(
        daily=list(times),
        tz=tz,
        every_days=every_days,
        since=since,
        dst_gap=dst_gap,
        dst_overlap=dst_overlap,
        calendar=calendar,
        shift=shift,
        start=start,
        end=end,
        count=count,
        jitter=jitter,
    )


def weekly(
    *weekdays: str,
    time: str | Sequence[str],
    tz: str = "UTC",
    every_weeks: int | None = None,
    since: Moment | None = None,
    dst_gap: str | None = None,
    dst_overlap: str | None = None,
    calendar: str | None = None,
    shift: str | None = None,
    start: Moment | None = None,
    end: Moment | None = None,
    count: int | None = None,
    jitter: Duration | None = None,
) -> Schedule:
    """At these times on these weekdays (`"MON-FRI"`, `"SAT"`), also in every n-th week counted from that of `since`."""
    return _built(
        weekly=list(weekdays),
        time=time if isinstance(time, str) else list(time),
        tz=tz,
        every_weeks=every_weeks,
        since=since,
        dst_gap=dst_gap,
        dst_overlap=dst_overlap,
        calendar=calendar,
        shift=shift,
        start=start,
        end=end,
        count=count,
        jitter=jitter,
    )


def _built(**words: Any) -> Schedule:
    return schedule_from_document({key: value for key, value in words.items() if value is not None})
