"""The reader's language."""

import os
from typing import Final

from foliot.words.language import Language

_VARIABLES: Final = ("FOLIOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")  # the locale as the C library looks it up


def reader_language(asked: str | None = None) -> Language:
    """What was asked for, else what the environment says."""
    known = (asked, *(os.environ.get(name) for name in _VARIABLES))
    return Language.of(next(filter(None, known), None))
