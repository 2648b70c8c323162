"""Anomalies in words: one sentence with the numbers."""

from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.words.language import Language
from foliot.words.phrases import phrase


def anomaly_sentence(anomaly: Anomaly, language: Language) -> str:
    """In what a job differs, and what is usual for it."""
    facts = dict(anomaly.facts)
    key = f"anomaly_{anomaly.kind}"
    if anomaly.kind is AnomalyKind.COUNT:
        key = f"{key}_{facts['way']}"
    if anomaly.kind is AnomalyKind.FAILURES:
        facts["usual"] = f"{100 * float(facts['usual']):.1f} %"
    return phrase(key, facts, language)
