"""Two trees against each other: what counts as a loss."""

from collections.abc import Sequence

import pytest

from bench.against import RIVALS, Comparison
from bench.record import OF_RECORD


@pytest.mark.parametrize(
    ("pairs", "is_loss"),
    [
        ([1.0, 1.01, 0.99, 1.0], False),
        ([0.9, 0.91, 0.92, 0.9], True),
        ([0.98, 0.98, 0.98, 0.98], False),  # within a few hundredths
        ([0.8, 0.9, 1.2, 1.3, 0.9], False),  # slower at the median, and the pairs do not agree
        ([0.9], True),
    ],
)
def test_a_loss_is_beyond_the_spread_of_the_pairs(pairs: Sequence[float], is_loss: bool) -> None:
    compared = Comparison(command="python -m bench firing", ours=tuple(pairs), theirs=(1.0,) * len(pairs))
    assert compared.is_loss is is_loss


def test_trees_are_compared_in_benchmarks_of_record() -> None:
    known = {(entry.name, entry.on) for entry in OF_RECORD}
    assert {(rival.entry.name, rival.entry.on) for rival in RIVALS} <= known
