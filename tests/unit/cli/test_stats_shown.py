"""How figures are shown: bars that fit a line, and rates that promise no more than they are."""

import pytest

from foliot.cli.charts import ASCII_LEVELS, BARS_MAX, bars, columns
from foliot.cli.stats import _runs, rate


@pytest.mark.parametrize(
    ("values", "shown"),
    [([1, 8], "▂█"), ([0, 1, 4], " ▃█"), ([2, 2], "██"), ([0, 0], ""), ([7], ""), ([], "")],
)
def test_bars_compare_with_the_greatest(values: list[float], shown: str) -> None:
    assert bars(values) == shown


def test_bars_of_a_terminal_without_their_letters() -> None:
    assert bars([0, 1, 2, 4], ASCII_LEVELS) == " -+#"


@pytest.mark.parametrize(
    ("part", "shown"), [(None, ""), (1.0, "100 %"), (0.9999, "99.9 %"), (0.5, "50.0 %"), (0.0, "0.0 %")]
)
def test_a_rate_is_100_only_when_it_is(part: float | None, shown: str) -> None:
    assert rate({"success_rate": part}) == shown


def test_a_long_range_is_drawn_in_as_many_parts_as_fit() -> None:
    points = [{"start": "2026-03-01T00:00:00Z", "runs": 3}, {"start": "2026-03-07T23:00:00Z", "runs": 5}]
    found = {
        "from_at": "2026-03-01T00:00:00Z", "to_at": "2026-03-08T00:00:00Z", "step": "hour", "points": points,
    }  # fmt: skip
    drawn = columns(found, points, _runs)
    assert (len(drawn), drawn[0], drawn[-1], sum(drawn)) == (BARS_MAX, 3, 5, 8)
