"""Drills in words: what each type breaks, and what will happen."""

from collections.abc import Sequence
from typing import NamedTuple

from foliot.domain.drills import DrillType
from foliot.domain.instants import Micros
from foliot.words.language import Language
from foliot.words.phrases import phrase


class DrillTarget(NamedTuple):
    """The node of a drill, and what depends on it."""

    node: str
    kind: str
    runs: int
    jobs: Sequence[str]
    is_leader: bool
    others: int  # nodes that can do its work meanwhile


def breaks(type_: DrillType, language: Language) -> str:
    """What drills of this type break."""
    return phrase(f"drill_breaks_{type_}", {}, language)


def consequences(
    type_: DrillType, target: DrillTarget, for_us: Micros, size_us: Micros | None, language: Language
) -> list[str]:
    """What will happen, a sentence each."""
    size = size_us or 0
    does = "clock_back" if type_ is DrillType.CLOCK_STEP and size < 0 else str(type_)
    said = [phrase(f"drill_does_{does}", {"node": target.node, "for_us": for_us, "size_us": abs(size)}, language)]
    if target.runs:
        said.append(phrase("drill_runs", {"runs": target.runs, "jobs": target.jobs}, language))
    if target.is_leader:
        said.append(phrase("drill_leader", {"node": target.node}, language))
    if not target.others:
        said.append(phrase(f"drill_alone_{target.kind}", {"node": target.node}, language))
    return said
