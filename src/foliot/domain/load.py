"""Load: the figures that a node says of itself at each beat, and the score that they make."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from foliot.domain.errors import InvalidInput

CONNECTIONS_MAX: Final = 1000
FIGURE_MAX: Final = 1e15
"""Above any figure of a real machine, bytes of memory among them."""
_WRITTEN: Final = "write --load-weights cpu=0.4,memory=0.3,connections=0.2,running=0.1"
_SUM_OFF: Final = 0.001  # what decimals like 0.1 may be off when they are added


class BadLoadWeights(InvalidInput):
    """Weights of load figures that make no score."""

    code = "FOL-1185"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadWeights:
    """How much each figure counts in the score."""

    cpu: float = 0.4
    memory: float = 0.3
    connections: float = 0.2
    running: float = 0.1

    def __post_init__(self) -> None:
        weights = self.by_figure()
        for name, weight in weights.items():
            if not 0 <= weight <= 1:
                raise BadLoadWeights(f"The weight of {name} is not from 0 to 1.", hint=_WRITTEN)
        if not math.isclose(sum(weights.values()), 1, abs_tol=_SUM_OFF):
            raise BadLoadWeights("The weights of a node's load do not add up to 1.", hint=_WRITTEN)

    def by_figure(self) -> dict[str, float]:
        """Each weight under the name of its figure."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def sound(load: Mapping[str, float]) -> dict[str, float]:
    """The figures that can be reckoned with: what is no number is left out, what is huge is cut."""
    numbers = {name: figure for name, figure in load.items() if math.isfinite(figure)}
    return {name: min(FIGURE_MAX, max(-FIGURE_MAX, figure)) for name, figure in numbers.items()}


def score(load: Mapping[str, float], *, slots: int, weights: LoadWeights, connections_max: int) -> float | None:
    """How loaded a node is, from 0 to 1; None when it says nothing of CPU and memory.

    A figure that a node does not say leaves its weight to the others: a server has no slots. Slots in use are no strain
    by themselves: a worker whose machine hides the other figures would be too loaded whenever it is full.
    """
    shares = _shares(load, slots=slots, connections_max=connections_max)
    if "cpu" not in shares and "memory" not in shares:
        return None
    counted = {name: weight for name, weight in weights.by_figure().items() if name in shares}
    total = sum(counted.values())
    if total <= 0:
        return None
    weighed = sum(weight * shares[name] for name, weight in counted.items())
    return min(1.0, weighed / total)


def strain(load: Mapping[str, float], scored: float | None) -> float | None:
    """The score, or the share of time in which the node wanted a CPU and had none, whichever is higher.

    A starved worker has little memory and few connections in use: its score alone stays low.
    """
    starved = load.get("starved")
    if starved is None:
        return scored
    return max(_share(starved), scored or 0.0)


def _shares(load: Mapping[str, float], *, slots: int, connections_max: int) -> dict[str, float]:
    """The figures of the score, each as a share of what there is."""
    shares = {name: _share(load[name]) for name in ("cpu", "memory") if name in load}
    if "connections" in load:
        shares["connections"] = _share(load["connections"] / connections_max)
    if slots and "running" in load:
        busy = load["running"] - load.get("waiting", 0)
        shares["running"] = _share(busy / slots)
    return shares


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
