"""The form a schedule has in job files: reading it and writing it."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.instants import format_duration, isoformat, parse_duration, to_instant
from foliot.domain.schedule.at import At
from foliot.domain.schedule.calendars import Calendar
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.schedule import Schedule


def schedule_from_document(document: Any, *, calendars: Mapping[str, Calendar] = {}, job: str = "") -> Schedule:
    """Read a schedule as job files write it."""
    from datetime import datetime

    trigger: Any
    if "cron" in document:
        trigger = Cron.parse(document["cron"], tz=document.get("tz", "UTC"), job=job)
    elif "every" in document:
        trigger = Every(
            interval_us=parse_duration(document["every"]), phase_us=parse_duration(document.get("phase", 0))
        )
    elif "fixed_delay" in document:
        trigger = FixedDelay(delay_us=parse_duration(document["fixed_delay"]))
    else:
        trigger = At(instants=(to_instant(datetime.fromisoformat(document["at"])),))
    return Schedule(
        triggers=(trigger,), jitter_us=parse_duration(document.get("jitter", 0)), count=document.get("count")
    )


def to_document(schedule: Schedule) -> dict[str, Any]:
    """Write a schedule as job files have it."""
    trigger = schedule.triggers[0]
    document: dict[str, Any] = {}
    match trigger:
        case Cron():
            document = {"cron": trigger.text, "tz": trigger.tz}
        case Every():
            document = {"every": format_duration(trigger.interval_us)}
        case FixedDelay():
            document = {"fixed_delay": format_duration(trigger.delay_us)}
        case At():
            document = {"at": isoformat(trigger.instants[0])}
    if schedule.jitter_us:
        document["jitter"] = format_duration(schedule.jitter_us)
    if schedule.count is not None:
        document["count"] = schedule.count
    return document
