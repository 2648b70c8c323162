"""How long the loop stands still: the time of the processor that its thread spends in one step, whatever else runs."""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


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
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio.Handle, "_run", timed)
            yield meter
    finally:
        gc.enable()
