"""Cron expressions in three dialects: Unix, Quartz and Spring."""

from foliot.domain.schedule.cron.cron import Cron
from foliot.domain.schedule.cron.fields import CronDialect, Expression
from foliot.domain.schedule.cron.parser import parse

__all__ = ["Cron", "CronDialect", "Expression", "parse"]
