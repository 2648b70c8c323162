"""The invariants: each a sentence of the promise, a loop over the history, and what contradicts it."""

from foliot_check.invariants import cluster, instants, limits, rates, routes, runs

__all__ = ["cluster", "instants", "limits", "rates", "routes", "runs"]
