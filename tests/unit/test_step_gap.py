"""The gap between steps: a lone step waits for nothing, and thin steps come some milliseconds apart."""

import pytest

from foliot.domain.step_gap import ALONE_RATIO, MOST_OF_IT, REST_RATIO, StepGap

MOST_S = 0.016


def test_the_first_step_waits_for_nothing() -> None:
    assert StepGap(MOST_S).left_s(0.0) == 0.0


@pytest.mark.parametrize(
    ("took_s", "asked_after_s", "left_s"),
    [
        (0.0005, 0.0005, 0.0005 * REST_RATIO - 0.0005),  # a cheap step rests in proportion
        (0.004, 0.004, MOST_S - 0.004),  # a dear one rests no longer than allowed
        (0.004, MOST_S, 0.0),  # the rest counts from the beginning of the step
        (0.020, 0.020, 0.0),  # who took longer than that has rested enough
        (0.004, 5.0, 0.0),
    ],
)
def test_after_a_thin_step_the_next_one_waits(took_s: float, asked_after_s: float, left_s: float) -> None:
    gap = StepGap(MOST_S)
    gap.thin(began_at=100.0, ended_at=100.0 + took_s)
    assert gap.left_s(100.0 + asked_after_s) == pytest.approx(left_s, abs=1e-9)


def test_after_a_full_step_the_next_one_comes_at_once() -> None:
    gap = StepGap(MOST_S)
    gap.thin(began_at=100.0, ended_at=100.004)
    gap.full()
    assert gap.left_s(100.004) == 0.0


def test_after_a_step_that_found_one_thing_alone_the_next_one_waits_for_less() -> None:
    gap = StepGap(MOST_S)
    gap.thin(began_at=100.0, ended_at=100.0005, is_alone=True)
    assert gap.left_s(100.0) == pytest.approx(0.0005 * ALONE_RATIO)
    gap.thin(began_at=100.0, ended_at=100.5, is_alone=True)
    assert gap.left_s(100.0) == pytest.approx(MOST_S), "and never for more than it may"


def test_a_step_with_news_waits_for_most_of_the_gap_alone() -> None:
    gap = StepGap(0.1)
    gap.thin(began_at=100.0, ended_at=100.050)
    early, late = 100.0 + 0.1 * MOST_OF_IT - 0.001, 100.0 + 0.1 * MOST_OF_IT + 0.001
    assert not gap.is_over(early, has_news=True)
    assert gap.is_over(late, has_news=True)
    assert not gap.is_over(late)
    assert gap.is_over(100.101)
