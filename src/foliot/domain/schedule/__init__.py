"""When a job is due: cron, intervals, one-off instants, calendars, zones. Pure: no clock, no I/O but reading tzdata."""

from foliot.domain.schedule.at import At
from foliot.domain.schedule.builtin import builtin_calendar, find_calendar
from foliot.domain.schedule.calendar_document import calendar_from_document, calendar_to_document
from foliot.domain.schedule.calendars import ALLOWED, Calendar, Ruling, Shift
from foliot.domain.schedule.cron import Cron, CronDialect
from foliot.domain.schedule.document import schedule_from_document
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.schedule import Schedule, expressions_of
from foliot.domain.schedule.structured import Daily, Weekly
from foliot.domain.schedule.trigger import HORIZON, Trigger
from foliot.domain.schedule.zones import Gap, RepeatedTime, tzdata_version

__all__ = [
    "ALLOWED",
    "HORIZON",
    "At",
    "Calendar",
    "Cron",
    "CronDialect",
    "Daily",
    "Every",
    "FixedDelay",
    "Gap",
    "RepeatedTime",
    "Ruling",
    "Schedule",
    "Shift",
    "Trigger",
    "Weekly",
    "builtin_calendar",
    "calendar_from_document",
    "calendar_to_document",
    "expressions_of",
    "find_calendar",
    "schedule_from_document",
    "tzdata_version",
]
