"""How long the loop stands still: the time of the processor that its thread spends in one step, whatever else runs.

A step is told in seconds of one known machine. A slower one (or a busy one, whose two threads share a core) is measured
beside it by work of a known size, so that a bound means the same everywhere.
"""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

import pytest

KNOWN_WORK_S: Final = 0.002  # what `_known_work` takes on the machine that the bounds of the tests were chosen on


class LoopMeter:
    """The longest step so far, and what it was."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.what = ""

    def note(self, took_s: float, what: str) -> None:
        if took_s > self.longest_s:
            self.longest_s, self.what = took_s, what


@contextmanager
def loop_metered() -> Iterator[LoopMeter]:
    """Measure every step of the loop. Collecting garbage is left out: it depends on all the tests before."""
    meter = LoopMeter()
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        began_s = time.thread_time()
        run(handle)
        meter.note(time.thread_time() - began_s, repr(handle))

    gc.collect()
    gc.disable()
    try:
        before = _slowness()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio.Handle, "_run", timed)
            yield meter
        meter.longest_s /= max(1.0, before, _slowness())
    finally:
        gc.enable()


def _slowness() -> float:
    """How much longer than the known machine this one takes now."""
    return median(_known_work_s() for _ in range(5)) / KNOWN_WORK_S


def _known_work_s() -> float:
    began_s = time.thread_time()
    kept: dict[str, object] = {}
    for number in range(8_000):
        kept[str(number)] = [number, number == kept.get("0")]
    return time.thread_time() - began_s
