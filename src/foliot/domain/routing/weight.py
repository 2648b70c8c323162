"""What share of the work a worker is to get, by its weight and its health."""

from collections.abc import Sequence
from typing import Final

from foliot.domain.routing import FittingWorker
from foliot.domain.routing.order import number

_WHOLE: Final = 2
"""Of each unit of weight a healthy worker gets two shares, and one in WARNING gets one: numbers stay whole."""


def share(worker: FittingWorker) -> int:
    """Beside the shares of the others."""
    return max(1, worker.weight) * (1 if worker.is_in_warning else _WHOLE)


def strength(worker: FittingWorker) -> float:
    """Its share as people write weights: that of a healthy worker is its weight."""
    return share(worker) / _WHOLE


class WarningTurns:
    """Routes that go by turns: a worker in WARNING takes every second of its own, unless all are in WARNING."""

    def __init__(self, candidates: Sequence[FittingWorker]) -> None:
        self._is_all_in_warning = all(worker.is_in_warning for worker in candidates)

    def lets_pass(self, worker: FittingWorker, fire_key: str) -> bool:
        """Whether it does not take this turn. Drawn from the key of the fire, so nothing has to be kept."""
        if not worker.is_in_warning or self._is_all_in_warning:
            return False
        return number(f"{fire_key}:{worker.session}") % 2 == 0
