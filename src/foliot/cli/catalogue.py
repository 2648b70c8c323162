"""Every code a person can meet, with what it means."""

from dataclasses import dataclass
from typing import Final

from foliot.words.english.errors import TITLES
from foliot.words.errors import branch_of, explanation_of, title_of
from foliot.words.language import Language
from foliot.words.schedules.warnings import CODES

WARNINGS: Final = CODES | {"FOL-1099"}
"""What is said of a job that is saved all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One code."""

    code: str
    title: str
    branch: str
    why: str = ""  # when it is met
    next_step: str = ""


def find_code(code: str, language: Language = Language.ENGLISH) -> Entry | None:
    """The entry of a code, if there is one."""
    if code not in TITLES:
        return None
    return _entry(code, language)


def catalogue(language: Language = Language.ENGLISH) -> list[Entry]:
    """Every code in order."""
    codes = sorted(TITLES)
    return [_entry(code, language) for code in codes]


def _entry(code: str, language: Language) -> Entry:
    title = title_of(code, language)
    why, next_step = explanation_of(code, language) or ("", "")
    return Entry(code=code, title=title, branch=_branch(code, language), why=why, next_step=next_step)


def _branch(code: str, language: Language) -> str:
    branch = branch_of(code, language)
    return f"warning: {branch}" if code in WARNINGS and language is Language.ENGLISH else branch
