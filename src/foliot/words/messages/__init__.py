"""Errors in the reader's language: by code, from the values an error keeps. English is the errors' own."""

from foliot.domain.errors import FoliotError
from foliot.words.language import Language
from foliot.words.messages.chinese import SENTENCES, TITLES
from foliot.words.schedules.troubles import trouble

__all__ = ["TITLES", "tell", "title_of"]


def tell(error: FoliotError, language: Language = Language.ENGLISH) -> tuple[str, str | None]:
    """What happened and the next step. Without a sentence in the language: its title there, then the English."""
    if language is Language.ENGLISH or "status" in error.data:  # a server's answer is in the reader's language already
        return error.sentence, error.hint
    make = SENTENCES.get(error.code)
    if make is not None:
        try:
            sentence, hint = make(error.data)
        except (KeyError, TypeError, ValueError):
            return _by_title(error)
        return _printable(sentence), hint or error.hint
    sentence, hint = trouble(error, language)
    return (sentence, hint) if sentence != error.sentence else _by_title(error)


def title_of(code: str, language: Language = Language.ENGLISH, *, english: str = "") -> str:
    """The short name of a code."""
    return TITLES.get(code, english) if language is Language.CHINESE else english


def _by_title(error: FoliotError) -> tuple[str, str | None]:
    title = TITLES.get(error.code)
    return (f"{title}：{error.sentence}" if title else error.sentence), error.hint


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
