"""Programs of ours run on uvloop, with a collector that suits batches; others are left as they are."""

import subprocess
import sys

LOOK = """
import asyncio, gc
from foliot.app.run_loop import {run}
async def main():
    return type(asyncio.get_running_loop()).__module__, gc.get_threshold()[0], gc.get_freeze_count() > 0
print(*{run}(main()))
"""


def seen(run: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", LOOK.format(run=run)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_process_of_ours_looks_for_cycles_less_often_and_not_through_what_was_imported() -> None:
    assert seen("run_for_long") == ["uvloop", "20000", "True"]


def test_elsewhere_the_collector_is_not_ours_to_change() -> None:
    assert seen("run") == ["uvloop", "700", "False"]
