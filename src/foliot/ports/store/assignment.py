"""Assigning: routes say for which worker each waiting run is meant."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from foliot.domain.health import HealthRules
from foliot.domain.routing import FittingWorker, Ready, Routed

ANYONE: Final = "*"
"""In the place of a session: the run is for any worker that fits. No session has this name."""


class AskRoute(Protocol):
    """Asks the route of this name; pure. The store calls it in a thread of its own."""

    def __call__(self, name: str, ready: Ready, candidates: Sequence[FittingWorker], /) -> Routed: ...


@dataclass(frozen=True, slots=True)
class Routing:
    """How fires are assigned in the transaction that decides them."""

    ask: AskRoute
    health: HealthRules  # which workers a route may choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """What a step of assigning did."""

    runs: int = 0
    sessions: frozenset[str] = frozenset()  # whom they are meant for; those for anyone that fits are not named
    more: bool = False  # the step was full: there may be more at once
    again: bool = False  # more runs than the step looked at may be meant for workers that let them wait
