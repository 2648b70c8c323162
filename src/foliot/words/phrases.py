"""What the command line says beside errors and data, in the reader's language."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.words.chinese import headings
from foliot.words.chinese import phrases as chinese
from foliot.words.english import phrases as english
from foliot.words.language import Language
from foliot.words.templates import Speech

_PHRASES: Final = {Language.ENGLISH: english.PHRASES, Language.CHINESE: chinese.PHRASES}
_STATES: Final = {Language.ENGLISH: english.STATES, Language.CHINESE: chinese.STATES}
_HEADINGS: Final[Mapping[Language, Mapping[str, str]]] = {Language.ENGLISH: {}, Language.CHINESE: headings.HEADINGS}
_LABELS: Final[Mapping[Language, Mapping[str, str]]] = {Language.ENGLISH: {}, Language.CHINESE: headings.LABELS}
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {Language.ENGLISH: {}, Language.CHINESE: chinese.WORDS}
_SPEECHES: Final = {language: Speech(language) for language in Language}


def phrase(key: str, values: Mapping[str, Any], language: Language) -> str:
    """A phrase with its values."""
    return _SPEECHES[language].fill(_PHRASES[language][key], values)


def heading(english: str, language: Language) -> str:
    """The heading of a table, with its zone behind it: `DUE (CST)`."""
    name, gap, zone = english.partition(" (")
    return _HEADINGS[language].get(name, name) + gap + zone


def label(english: str, language: Language) -> str:
    """The word in front of a line, with its number behind it: `try 2`."""
    name, gap, number = english.rpartition(" ")
    if not number.isdecimal():
        return _LABELS[language].get(english, english)
    return _LABELS[language].get(name, name) + gap + number


def value_word(value: str, language: Language) -> str:
    """A value of the API in the reader's language; one that is not known as it is."""
    return _WORDS[language].get(value, value)


def state_word(state: str, language: Language) -> str:
    """A state as the reader calls it; one that is not known as it is."""
    return _STATES[language].get(state, state)
