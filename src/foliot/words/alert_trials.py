"""What a rule would find at a run, in words."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.words.chinese import alert_trials as chinese
from foliot.words.english import alert_trials as english
from foliot.words.language import Language
from foliot.words.phrases import state_word
from foliot.words.templates import Speech

_SENTENCES: Final = {Language.ENGLISH: english.SENTENCES, Language.CHINESE: chinese.SENTENCES}
_SPEECHES: Final = {language: Speech(language) for language in Language}


def trial_sentence(key: str, is_so: bool, said: Mapping[str, Any], language: Language) -> str:
    """One thing that a rule asks, and the answer."""
    values = dict(said)
    if "state" in values:
        values["state"] = state_word(str(values["state"]), language).lower()
    template = _SENTENCES[language][f"{'yes' if is_so else 'no'}.{key}"]
    return _SPEECHES[language].fill(template, values)
