"""Fault points: a process breaks itself where it was told to, and nowhere else."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from foliot.app.faults import BadFaultPoint, fault_point
from foliot.store.sql.ending.ends import Ending
from foliot.store.sql.kernel.database import verb_of

PASSING = """
import sys
from foliot.app.faults import fault_point
point = fault_point(sys.argv[1])
for name in ["firing.taken", "firing.recorded", "firing.taken", "firing.recorded"]:
    print(name, flush=True)
    point(name)
"""


def passed(written: str) -> tuple[int, list[str]]:
    """The exit code and the places of a process with this fault point."""
    done = subprocess.run(
        [sys.executable, "-c", PASSING, written], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout.split()


def test_it_dies_the_nth_time_it_comes_by() -> None:
    code, places = passed("kill:firing.taken:2")
    assert (code, places) == (-signal.SIGKILL, ["firing.taken", "firing.recorded", "firing.taken"])


def test_a_file_arms_it_and_is_taken_by_the_first_to_come(tmp_path: Path) -> None:
    file = tmp_path / "armed"
    assert passed(f"@{file}")[0] == 0, "nothing is armed"
    file.write_text("kill:firing.recorded")
    assert passed(f"@{file}") == (-signal.SIGKILL, ["firing.taken", "firing.recorded"])
    assert not file.exists()
    assert passed(f"@{file}")[0] == 0, "the next comes through"
    assert set((tmp_path / "armed.passed").read_text().split()) == {"firing.taken", "firing.recorded"}


def test_it_stops_and_goes_on_where_it_was() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PASSING, "stop:firing.taken:1"], stdout=subprocess.PIPE, text=True
    )
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.kill(process.pid, signal.SIGCONT)
    out, _ = process.communicate(timeout=60)
    assert len(out.split()) == 4


@pytest.mark.parametrize("written", ["burn:x", "kill", "kill:x:soon", ":x:1"])
def test_what_cannot_be_read_is_refused(written: str) -> None:
    with pytest.raises(BadFaultPoint):
        fault_point(written)


def test_no_fault_is_no_point() -> None:
    assert fault_point(None) is fault_point("") is None


def test_places_are_named_after_the_verb_whatever_stands_for_it() -> None:
    assert verb_of(Ending.settle_in) == "ends.settle_in"  # type: ignore[arg-type]
    assert verb_of(partial(partial(Ending.settle_in), None)) == "ends.settle_in"
    assert verb_of(lambda _: None) == "test_faults.test_places_are_named_after_the_verb_whatever_stands_for_it"
