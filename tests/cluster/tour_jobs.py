"""The jobs of the tour of faults: the workload, and by hand one that overruns its time and one that takes two locks."""

from tests.cluster.lock_jobs import cross
from tests.cluster.troubles import hangs

__all__ = ["cross", "hangs"]
