"""Failovers in words: how one was detected, and how each type is."""

from collections.abc import Mapping
from typing import Any, Final

from foliot.domain.failover import FailoverType
from foliot.ports.store.failovers import Failover
from foliot.words.language import Language
from foliot.words.phrases import phrase

_UNKNOWN: Final[Mapping[str, Any]] = dict.fromkeys(("silent_us", "away_us", "ahead_us", "cycle", "by_replica"))


def detection(failover: Failover, language: Language) -> str:
    """How this failure was detected."""
    if "step_us" in failover.evidence:
        return phrase(f"node_clock_{failover.evidence['way']}", {"step_us": failover.evidence["step_us"]}, language)
    return phrase(f"failover_{failover.type}", {**_UNKNOWN, **failover.evidence}, language)


def detection_of(type_: FailoverType, language: Language) -> str:
    """How failures of this type are detected."""
    return phrase(f"detects_{type_}", {}, language)
