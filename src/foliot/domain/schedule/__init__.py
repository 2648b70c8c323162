"""When a job is due: cron, intervals, one-off instants, calendars, zones."""

from foliot.domain.schedule.at import At
from foliot.domain.schedule.calendars import ALLOWED, Calendar, Ruling
from foliot.domain.schedule.cron import Cron
from foliot.domain.schedule.document import schedule_from_document
from foliot.domain.schedule.every import Every, FixedDelay
from foliot.domain.schedule.schedule import Schedule
from foliot.domain.schedule.trigger import HORIZON, Trigger

__all__ = [
    "ALLOWED",
    "HORIZON",
    "At",
    "Calendar",
    "Cron",
    "Every",
    "FixedDelay",
    "Ruling",
    "Schedule",
    "Trigger",
    "schedule_from_document",
]
