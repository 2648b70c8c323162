"""Testing jobs without a server: `run_inline` executes a run here and now, `time_travel` fires on virtual time."""

from foliot.testing.inline import InlineRun, run_inline, run_inline_async
from foliot.testing.travel import Fire, Skip, TimeTravel, time_travel

__all__ = ["Fire", "InlineRun", "Skip", "TimeTravel", "run_inline", "run_inline_async", "time_travel"]
