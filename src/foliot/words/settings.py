"""What a setting means, in the reader's language: the help of its option."""

from foliot.words.chinese.help_options import OPTIONS
from foliot.words.language import Language


def meaning_of(english: str, language: Language) -> str:
    """The help of an option. A text that the catalogue does not know stays as it is."""
    return OPTIONS.get(english, english) if language is Language.CHINESE else english
