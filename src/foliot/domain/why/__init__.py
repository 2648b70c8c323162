"""Why: explain any instant of any job, and any run, in one sentence, in English and Chinese."""

from foliot.domain.humane import Clockface
from foliot.domain.schedule.describe import Language
from foliot.domain.why import chinese, english
from foliot.domain.why.explain import explain_ahead, explain_instant, explain_run, explain_standing
from foliot.domain.why.facts import Explanation
from foliot.domain.why.hints import hint
from foliot.domain.why.pieces import CODES

__all__ = [
    "CODES",
    "Explanation",
    "explain_ahead",
    "explain_instant",
    "explain_run",
    "explain_standing",
    "hint",
    "sentence",
]


def sentence(said: Explanation, *, tz: str, language: Language = Language.ENGLISH) -> str:
    """The whole answer in one line, its times in this zone."""
    clock = Clockface(tz, now=said.now, language=language)
    return chinese.sentence(said, clock) if language is Language.CHINESE else english.sentence(said, clock)
