"""Tails: how improbable a count is under a usual rate. In logarithms: no probability is too small to be told."""

import math
from collections.abc import Callable
from typing import Final

_TERMS_MAX: Final = 10_000
_NEGLIGIBLE: Final = 1e-17


def poisson_at_least(count: int, mean: float) -> float:
    """The probability of this count or a higher one."""
    if count <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    if count <= mean:
        return 1.0  # no tail: nobody asks how far above the mean it is
    return _summed(_poisson_log(count, mean), lambda n: mean / (n + 1), count)


def poisson_at_most(count: int, mean: float) -> float:
    """The probability of this count or a lower one."""
    if count >= mean:
        return 1.0
    return _summed(_poisson_log(count, mean), lambda n: n / mean, count, step=-1)


def binomial_at_least(successes: int, tries: int, rate: float) -> float:
    """The probability of so many successes or more, of so many tries."""
    if successes <= 0 or successes <= tries * rate:
        return 1.0
    if rate <= 0:
        return 0.0
    if rate >= 1:
        return 1.0
    first = (
        math.lgamma(tries + 1) - math.lgamma(successes + 1) - math.lgamma(tries - successes + 1)
        + successes * math.log(rate) + (tries - successes) * math.log1p(-rate)
    )  # fmt: skip
    odds = rate / (1 - rate)
    return _summed(first, lambda n: (tries - n) / (n + 1) * odds, successes)


def _poisson_log(count: int, mean: float) -> float:
    return count * math.log(mean) - mean - math.lgamma(count + 1)


def _summed(first_log: float, ratio: Callable[[int], float], start: int, *, step: int = 1) -> float:
    """The first term and those behind it, each smaller than the one before. `ratio`: from the term of n to the next."""
    total = term = 1.0
    n = start
    for _ in range(_TERMS_MAX):
        term *= ratio(n)
        n += step
        if term < _NEGLIGIBLE * total:
            break
        total += term
    return min(1.0, math.exp(first_log) * total)
