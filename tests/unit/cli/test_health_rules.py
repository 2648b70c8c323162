"""`--health` and `--load-weights` as people write them."""

import pytest

from foliot.app.settings import TIMINGS
from foliot.cli.health_rules import with_health
from foliot.domain.errors import InvalidInput
from foliot.domain.instants import SECOND

USUAL = TIMINGS["prod"]


def test_what_is_written_counts_and_the_rest_is_as_usual() -> None:
    assert with_health(USUAL, health="", load_weights="") is USUAL
    written = "warning_after=6s, offline_after=9s,warning_share=0.25,score=0.7,calm=0.5,beats=2,connections_max=50"
    written += ",memory=0.85,memory_calm=0.8"
    rules = with_health(USUAL, health=written, load_weights="cpu=0.7,memory=0").bands
    assert (rules.warning_after_us, rules.offline_after_us) == (6 * SECOND, 9 * SECOND)
    assert (rules.warning_share, rules.score, rules.calm, rules.beats, rules.connections_max) == (0.25, 0.7, 0.5, 2, 50)
    assert (rules.memory, rules.memory_calm) == (0.85, 0.8)
    assert rules.weights.by_figure() == {"cpu": 0.7, "memory": 0.0, "connections": 0.2, "running": 0.1}
    assert rules.ttl_us == USUAL.session.ttl_us


@pytest.mark.parametrize(
    ("health", "weights", "code"),
    [
        ("warning_afte=6s", "", "FOL-1186"),
        ("score=high", "", "FOL-1186"),
        ("score", "", "FOL-1186"),
        ("score=nan", "", "FOL-1186"),
        ("beats=1.5", "", "FOL-1186"),
        ("warning_after=4s", "", "FOL-1186"),  # shorter than a beat
        ("offline_after=16s", "", "FOL-1186"),  # longer than a session lives
        ("warning_after=soon", "", "FOL-1010"),
        ("", "cpu=0.9", "FOL-1185"),
        ("", "gpu=0.1", "FOL-1185"),
        ("", "cpu=nan", "FOL-1185"),
    ],
)
def test_what_cannot_work_is_refused(health: str, weights: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        with_health(USUAL, health=health, load_weights=weights)
    assert refused.value.code == code
    assert refused.value.hint
