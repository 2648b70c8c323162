"""Which tests may run a second time."""

from pathlib import Path

import pytest

from tests.reruns import ROOMS, may_run_again

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_test_with_real_processes_may_run_again(room: str) -> None:
    assert (TESTS / room).is_dir()
    assert may_run_again(TESTS / room / "test_something.py", TESTS)


def test_every_other_test_runs_once() -> None:
    rooms = {path.name for path in TESTS.iterdir() if path.is_dir()} - ROOMS
    assert "unit" in rooms
    assert not any(may_run_again(TESTS / room / "test_something.py", TESTS) for room in rooms)
