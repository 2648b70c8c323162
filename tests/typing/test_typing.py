"""What type checkers make of users' code."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow

WRONG = """
from datetime import date
from foliot import Ctx, job

@job
def settle(ctx: Ctx, day: date) -> int:
    return day.day

settle.trigger(day="2026-01-31")
settle.trigger()
settle.trigger(day=date(2026, 1, 31), dry=True)
reveal_type(settle.trigger)
"""


def mypy(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", *args], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )


def test_right_uses_pass_and_wrong_ones_are_found() -> None:
    done = mypy("tests/typing/users_code.py")
    assert done.returncode == 0, done.stdout


def test_a_wrong_trigger_is_told_in_words_that_help(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    said = mypy(str(tmp_path / "wrong.py")).stdout
    assert 'Argument "day" to "trigger" of "JobFunction" has incompatible type "str"; expected "date"' in said
    assert 'Missing positional argument "day" in call to "trigger"' in said
    assert 'Unexpected keyword argument "dry" for "trigger"' in said
    assert 'Revealed type is "def (day: datetime.date) -> foliot.client.blocking.run.Run"' in said


def test_the_examples_are_typed_strictly() -> None:
    done = mypy("--strict", "examples")
    assert done.returncode == 0, done.stdout
