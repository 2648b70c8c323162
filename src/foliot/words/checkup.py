"""Findings of a checkup in words: what each check found, the next step, and what a repair does."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.checkup.findings import Finding, Grade
from foliot.words.chinese import checkup as chinese
from foliot.words.english import checkup as english
from foliot.words.language import Language
from foliot.words.templates import Catalogue, Speech, Template

_TITLES: Final = {Language.ENGLISH: english.TITLES, Language.CHINESE: chinese.TITLES}
_SENTENCES: Final = {Language.ENGLISH: english.SENTENCES, Language.CHINESE: chinese.SENTENCES}
_HINTS: Final = {Language.ENGLISH: english.HINTS, Language.CHINESE: chinese.HINTS}
_FIXES: Final = {Language.ENGLISH: english.FIXES, Language.CHINESE: chinese.FIXES}
_DONE: Final = {Language.ENGLISH: english.DONE, Language.CHINESE: chinese.DONE}
_SPEECHES: Final = {language: Speech(language) for language in Language}


def check_title(check: str, language: Language = Language.ENGLISH) -> str:
    """What a check is called."""
    return str(_TITLES[language].get(check, check))


def finding_sentence(finding: Finding, language: Language = Language.ENGLISH) -> str:
    """What a check found."""
    template = _template(_SENTENCES[language], finding)
    assert template is not None, finding
    sentence = _filled(template, finding.said, language)
    if not finding.others:
        return sentence
    return _filled(_SENTENCES[language]["others"], {"sentence": sentence, "others": finding.others}, language)


def finding_hint(finding: Finding, language: Language = Language.ENGLISH) -> str | None:
    """The next step, where something is not well or not known."""
    template = _template(_HINTS[language], finding)
    if finding.grade is Grade.OK or template is None:
        return None
    return _filled(template, finding.said, language)


def fix_title(fix: str, language: Language = Language.ENGLISH) -> str:
    """What a repair will do."""
    return str(_FIXES[language].get(fix, fix))


def fix_titles(language: Language = Language.ENGLISH) -> list[str]:
    """What the repairs will do, all of them."""
    return [str(title) for title in _FIXES[language].values()]


def fix_sentence(fix: str, count: int, why: str | None, language: Language = Language.ENGLISH) -> str:
    """What a repair did, or why it could not be done."""
    key = fix if why is None else "failed"
    return _filled(_DONE[language][key], {"count": count, "why": why}, language)


def _template(catalogue: Catalogue, finding: Finding) -> Template | None:
    if not finding.case:
        return catalogue.get(finding.check)
    return catalogue.get(f"{finding.check}.{finding.case}") or catalogue.get(finding.case)


def _filled(template: Template, values: Mapping[str, Any], language: Language) -> str:
    return _SPEECHES[language].fill(template, values)
