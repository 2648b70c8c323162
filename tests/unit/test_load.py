"""Load: the score of a node by its figures."""

import pytest

from foliot.domain.load import FIGURE_MAX, BadLoadWeights, LoadWeights, score, sound, strain

FULL = {"cpu": 1.0, "memory": 1.0, "connections": 1000.0, "running": 8.0}


def of(load: dict[str, float], *, slots: int = 8, weights: LoadWeights | None = None) -> float | None:
    return score(load, slots=slots, weights=weights or LoadWeights(), connections_max=1000)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (FULL, 1.0),
        (FULL | {"cpu": 0.5}, 0.8),
        (FULL | {"memory": 0.5}, 0.85),
        (FULL | {"connections": 500.0}, 0.9),
        (FULL | {"running": 4.0}, 0.95),
        (FULL | {"running": 8.0, "waiting": 8.0}, 0.9),  # runs that wait for others take no slot
        (FULL | {"connections": 5000.0, "cpu": 7.0}, 1.0),  # no share is above 1
        (FULL | {"cpu": -3.0}, 0.6),
    ],
)
def test_the_score_is_the_weighted_sum_of_shares(load: dict[str, float], expected: float) -> None:
    assert of(load) == pytest.approx(expected)


def test_a_figure_that_is_not_said_leaves_its_weight_to_the_others() -> None:
    assert of({"cpu": 0.5}) == pytest.approx(0.5)
    assert of(FULL | {"cpu": 0.0}, slots=0) == pytest.approx(0.5 / 0.9)  # a server has no slots
    assert of({"disk": 0.9}) is None
    assert of({"running": 8.0, "connections": 1000.0}) is None, "a full worker is not strained by being full"
    assert of({}) is None


def test_weights_can_be_set() -> None:
    weights = LoadWeights(cpu=1, memory=0, connections=0, running=0)
    assert of({"cpu": 0.3, "memory": 1.0}, weights=weights) == pytest.approx(0.3)
    assert of({"memory": 1.0}, weights=weights) is None


@pytest.mark.parametrize("weights", [{"cpu": 0.5}, {"cpu": -0.1, "memory": 0.8}, {"cpu": 1.4, "memory": -0.7}])
def test_weights_that_make_no_score_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(BadLoadWeights):
        LoadWeights(**weights)


def test_a_starved_node_is_strained_whatever_its_score() -> None:
    assert strain({"starved": 0.95}, 0.3) == 0.95
    assert strain({"starved": 0.1}, 0.3) == 0.3
    assert strain({"starved": 0.1}, None) == 0.1
    assert strain({}, 0.3) == 0.3
    assert strain({}, None) is None


def test_figures_are_finite_and_none_is_beyond_all_machines() -> None:
    said = {"cpu": 0.5, "memory": float("nan"), "disk": float("inf"), "rss": 1e307, "left": -1e307}

    assert sound(said) == {"cpu": 0.5, "rss": FIGURE_MAX, "left": -FIGURE_MAX}
