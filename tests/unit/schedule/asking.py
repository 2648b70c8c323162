"""Short ways to ask a schedule and read the answer."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from foliot.domain.instants import Instant, to_datetime, to_instant
from foliot.domain.schedule import Cron, CronDialect, Schedule, Trigger, schedule_from_document
from foliot.domain.schedule.moments import read_instant
from tests.property.clockwork import zone_of

NEW_YEAR = "2026-01-01"


def instant(written: str, tz: str = "UTC") -> Instant:
    return read_instant(written, tz=tz)


def shown(at: Instant, tz: str) -> str:
    """The wall clock's reading: `2026-01-31 17:00`, with seconds only if there are any."""
    moment = to_datetime(at).astimezone(zone_of(tz))
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def walk(trigger: Trigger, after: Instant) -> Iterator[Instant]:
    at = trigger.next_after(after)
    while at is not None:
        yield at
        at = trigger.next_after(at)


def fires(
    text: str, n: int = 3, *, since: str = NEW_YEAR, tz: str = "UTC", dialect: str | None = None, **more: Any
) -> list[str]:
    """The first n fires of an expression from a wall reading on, as wall readings."""
    trigger = Cron(text=text, tz=tz, dialect=CronDialect(dialect) if dialect else None, **more)
    return [shown(at, tz) for at in islice(walk(trigger, instant(since, tz) - 1), n)]


def planned(document: Any, n: int = 3, *, since: str = NEW_YEAR, tz: str = "UTC", **more: Any) -> list[str]:
    """The first n allowed fires of a schedule."""
    schedule: Schedule = schedule_from_document(document, **more)
    return [shown(at, tz) for at in islice(schedule.upcoming(instant(since, tz) - 1), n)]


def utc(moment: datetime) -> Instant:
    return to_instant(moment)
