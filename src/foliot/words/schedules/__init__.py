"""Schedules in words for people, in English and Chinese."""

from foliot.words.schedules import chinese, english
from foliot.words.schedules.sentence import describe, zones_of

__all__ = ["chinese", "describe", "english", "zones_of"]
