"""Explanations in one sentence, in English and Chinese."""

from foliot.domain.why import Explanation
from foliot.words.humane import Clockface
from foliot.words.language import Language
from foliot.words.why import chinese, english
from foliot.words.why.hints import hint
from foliot.words.why.pieces import CODES

__all__ = ["CODES", "hint", "sentence"]


def sentence(said: Explanation, *, tz: str, language: Language = Language.ENGLISH) -> str:
    """The whole answer in one line, its times in this zone."""
    clock = Clockface(tz, now=said.now, language=language)
    return chinese.sentence(said, clock) if language is Language.CHINESE else english.sentence(said, clock)
