"""What the command line says beside errors and data, in the reader's language."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.words.chinese import phrases as chinese
from foliot.words.english import phrases as english
from foliot.words.language import Language
from foliot.words.templates import Speech

_PHRASES: Final = {Language.ENGLISH: english.PHRASES, Language.CHINESE: chinese.PHRASES}
_STATES: Final = {Language.ENGLISH: english.STATES, Language.CHINESE: chinese.STATES}
_SPEECHES: Final = {language: Speech(language) for language in Language}


def phrase(key: str, values: Mapping[str, Any], language: Language) -> str:
    """A phrase with its values."""
    return _SPEECHES[language].fill(_PHRASES[language][key], values)


def state_word(state: str, language: Language) -> str:
    """A state as the reader calls it; one that is not known as it is."""
    return _STATES[language].get(state, state)
