"""Pieces of explanations that every language needs."""

from collections.abc import Mapping
from typing import Final

from foliot.domain.schedule import Schedule
from foliot.domain.why.facts import Explanation, RunFacts, SkipFacts

CODES: Final[Mapping[str, str]] = {
    "held_handler": "FOL-2002",
    "held_label": "FOL-5005",
    "lost": "FOL-6001",
    "thread_goes_on": "FOL-6002",
}
"""Verdicts that are messages of their own, by code."""


def bare(handler: str) -> str:
    """`python:billing.jobs:settle` as people write it: `billing.jobs:settle`."""
    return handler.removeprefix("python:")


def run_of(said: Explanation) -> RunFacts:
    """The run an explanation is about."""
    assert said.run is not None, said.verdict
    return said.run


def skip_of(said: Explanation) -> SkipFacts:
    """The skip an explanation is about."""
    assert said.skip is not None, said.verdict
    return said.skip


def schedule_of(said: Explanation) -> Schedule:
    """The schedule an explanation is about."""
    assert said.facts is not None, said.verdict
    assert said.facts.schedule is not None, said.verdict
    return said.facts.schedule
