"""What share of the work a worker is to get, by its weight and its health."""

from typing import Final

from foliot.domain.routing import FittingWorker

_WHOLE: Final = 2
"""Of each unit of weight a healthy worker gets two shares, and one in WARNING gets one: numbers stay whole."""


def share(worker: FittingWorker) -> int:
    """Beside the shares of the others."""
    return max(1, worker.weight) * (1 if worker.is_in_warning else _WHOLE)
