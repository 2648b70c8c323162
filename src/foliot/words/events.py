"""The names of log events in words, for people who read them in a feed."""

from foliot.words.chinese.events import EVENTS
from foliot.words.language import Language


def event_words(event: str, language: Language) -> str:
    """`spool.full` in words. What other packages log is a sentence already and stays as it is."""
    is_sentence = " " in event
    if is_sentence:
        return event
    english = event.replace(".", " ").replace("_", " ")
    return EVENTS.get(event, english) if language is Language.CHINESE else english
