"""The reader's language: of what a command says, and of help and usage errors, which come before a command begins."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from foliot.cli.global_options import language_asked_for
from foliot.words.language import Language

_VARIABLES: Final = ("FOLIOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")  # the locale as the C library looks it up
_PROJECT: Final = Path("foliot.toml")
_spoken: ContextVar[Language] = ContextVar("language", default=Language.ENGLISH)


def reader_language(asked: str | None = None) -> Language:
    """What was asked for, else what the environment says."""
    said = [asked, language_asked_for()]
    said += [os.environ.get(name) for name in _VARIABLES]
    return Language.of(next(filter(None, said), None))


def spoken() -> Language:
    """The language of the command line that is being read."""
    return _spoken.get()


def say(key: str, **values: Any) -> str:
    """A phrase in that language."""
    from foliot.words.phrases import phrase

    return phrase(key, values, spoken())


@contextmanager
def in_language(language: Language) -> Iterator[None]:
    """Say help and usage errors in a language."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def language_of(args: Sequence[str]) -> Language:
    """The language of a command line that is not parsed yet: `--lang`, else as a command that is called would find."""
    asked = _flag(args) or os.environ.get("FOLIOT_LANG")
    return reader_language(asked or _said_by_project())


def _flag(args: Sequence[str]) -> str | None:
    for word, following in pairwise([*args, ""]):
        if word == "--":
            return None
        if word == "--lang":
            return following
        if word.startswith("--lang="):
            return word.partition("=")[2]
    return None


def _said_by_project() -> str | None:
    """`lang` of a project's file. A file that cannot be read is the matter of the command that needs it."""
    if not _PROJECT.is_file():
        return None
    import tomllib

    try:
        said = tomllib.loads(_PROJECT.read_text("utf-8")).get("client", {})
    except (OSError, ValueError):
        return None
    lang = said.get("lang") if isinstance(said, dict) else None
    return lang if isinstance(lang, str) else None
