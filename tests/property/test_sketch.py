"""Sketches: a percentile is near the true one, and sketches add up."""

from hypothesis import given
from hypothesis import strategies as st

from foliot.domain.instants import DAY
from foliot.domain.statistics.sketch import ERROR_MAX, Sketch

DURATIONS = st.lists(st.integers(0, 400 * DAY), min_size=1, max_size=60)
ROUNDING_US = 1
"""A percentile is a whole number of microseconds."""


def percentile(durations: list[int], fraction: float) -> int:
    ordered = sorted(durations)
    return ordered[min(int(fraction * len(ordered)), len(ordered) - 1)]


@given(DURATIONS, st.sampled_from([0.0, 0.5, 0.9, 0.95, 0.99, 1.0]))
def test_a_percentile_is_wrong_by_two_in_a_hundred_at_most(durations: list[int], fraction: float) -> None:
    found, true = Sketch.of(durations).at(fraction), percentile(durations, fraction)

    assert found is not None
    assert ERROR_MAX < 0.02
    assert abs(found - true) <= true * ERROR_MAX * 1.000_001 + ROUNDING_US


@given(DURATIONS, DURATIONS)
def test_merged_sketches_are_the_sketch_of_all(one: list[int], other: list[int]) -> None:
    merged = Sketch.of(one)
    merged.merge(Sketch.of(other))

    assert merged.counts == Sketch.of(one + other).counts
    assert merged.total == len(one) + len(other)


@given(DURATIONS)
def test_a_sketch_is_read_as_it_was_written(durations: list[int]) -> None:
    sketch = Sketch.of(durations)

    assert Sketch.read(sketch.written()).counts == sketch.counts


def test_a_sketch_of_nothing_has_no_percentile() -> None:
    assert Sketch().at(0.5) is None
    assert Sketch.read("").written() == ""


def test_the_buckets_are_a_format_that_stores_keep() -> None:
    assert Sketch.of([0, 1, 2, 1_000_000, 1_000_000, 3_600_000_000]).written() == "0 2 18 1 353 2 562 1"
