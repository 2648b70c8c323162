"""Schedules in words for people, in English and Chinese."""

from foliot.domain.schedule.describe import chinese, english
from foliot.domain.schedule.describe.language import Language
from foliot.domain.schedule.describe.sentence import describe

__all__ = ["Language", "chinese", "describe", "english"]
