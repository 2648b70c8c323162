"""Whether the store's clock can be believed, case by case (R7, C2)."""

import pytest

from foliot.domain.clocks import Offset, Verdict, is_apart, judged, median
from foliot.domain.instants import HOUR, SECOND

STEP = 120 * SECOND
GOOD = Verdict(suspect=False)


def suspect(ahead_us: int) -> Verdict:
    return Verdict(suspect=True, ahead_us=ahead_us)


@pytest.mark.parametrize(
    ("leads", "offsets", "trusted_us", "verdict"),
    [
        pytest.param([0, 0, 0], [], 0, GOOD, id="nobody saw a step"),
        pytest.param([STEP, STEP, 0], [], 0, suspect(STEP), id="most saw it"),
        pytest.param([STEP, STEP + SECOND, STEP + 2 * SECOND], [], 0, suspect(STEP + SECOND), id="the middle one"),
        pytest.param([STEP, 0, 0], [], 0, GOOD, id="one alone is wrong"),
        pytest.param([STEP, 0], [], 0, None, id="divided"),
        pytest.param([STEP, STEP, 0, 0], [], 0, None, id="divided, though many"),
        pytest.param([STEP, STEP], [], 0, None, id="two are no majority"),
        pytest.param([4 * SECOND] * 3, [], 0, GOOD, id="too small to mind"),
        pytest.param([-STEP] * 3, [], 0, GOOD, id="back only delays"),
        pytest.param([], [], 0, None, id="nobody there"),
        pytest.param([], [0] * 3, 0, GOOD, id="no witness is left, and the wall clocks agree"),
        pytest.param([], [-STEP] * 3, 0, None, id="no witness is left, and the wall clocks do not"),
        pytest.param([], [0] * 2, 0, None, id="no witness is left, and too few clocks"),
        pytest.param([0], [-STEP, -STEP, -STEP], 0, suspect(0), id="every wall clock is behind: alarm, no lead"),
        pytest.param([0], [HOUR, HOUR, 0], 0, suspect(0), id="most are ahead"),
        pytest.param([STEP, 0, 0], [-STEP] * 3, 0, suspect(STEP), id="one saw the step that every wall clock shows"),
        pytest.param([HOUR, 0, 0], [-STEP] * 3, 0, suspect(0), id="one saw another step"),
        pytest.param([STEP, 0, 0], [STEP] * 3, 0, suspect(0), id="one saw the opposite"),
        pytest.param([0], [HOUR, 0, 0], 0, GOOD, id="one wall clock is wrong"),
        pytest.param([0], [-STEP, -STEP], 0, GOOD, id="two wall clocks are no majority"),
        pytest.param([0], [29 * SECOND] * 3, 0, GOOD, id="near enough"),
        pytest.param([0], [-STEP] * 3, -STEP, GOOD, id="trusted as it is"),
        pytest.param([0], [-STEP] * 3, -STEP + 20 * SECOND, GOOD, id="about as trusted"),
        pytest.param([0], [0] * 3, -STEP, GOOD, id="trusted, and right since"),
        pytest.param([0], [STEP] * 3, -STEP, suspect(0), id="not as trusted"),
        pytest.param([STEP] * 3, [-STEP] * 3, -STEP, suspect(STEP), id="a step is a step"),
        pytest.param([STEP, 0], [-STEP] * 3, 0, suspect(STEP), id="divided, and the wall clocks say so"),
    ],
)
def test_the_verdict(leads: list[int], offsets: list[int], trusted_us: int, verdict: Verdict | None) -> None:
    assert judged(leads, offsets, trusted_us=trusted_us) == verdict


def test_the_middle_of_many() -> None:
    assert median([]) == 0
    assert median([7]) == 7
    assert median([9, 1, 5]) == 5
    assert median([1, 9]) == 9


@pytest.mark.parametrize(("offset_us", "apart"), [(30 * SECOND, False), (31 * SECOND, True), (-31 * SECOND, True)])
def test_far_is_more_than_half_a_minute(offset_us: int, apart: bool) -> None:
    assert is_apart(offset_us) is apart


def test_an_offset_is_news_when_it_becomes_one_and_when_it_ends() -> None:
    offset = Offset()
    assert offset.learn(HOUR + SECOND, HOUR) is False
    assert (offset.us, offset.is_off) == (SECOND, False)
    assert offset.learn(HOUR - 6 * SECOND, HOUR) is True
    assert (offset.us, offset.is_off) == (-6 * SECOND, True)
    assert offset.learn(HOUR + 7 * SECOND, HOUR) is False
    assert offset.learn(HOUR, HOUR) is True
    assert offset.is_off is False
