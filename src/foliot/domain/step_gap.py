"""The gap between steps: steps that find little to do come a few milliseconds apart, so that cost follows the work.

A thousand instants spread over a second would be a thousand transactions of one row each. A duty that rests for some
milliseconds after each of them decides ten rows at once instead. The rest counts from the beginning of a step, grows
with what the step took, and is bounded. So a lone fire waits for nothing, and a crowded second is late by little.
"""

from typing import Final

REST_RATIO: Final = 3.0
"""A step that took one millisecond is followed by the next after three: the duty costs a third of the time at most."""


class StepGap:
    """When the next step of one duty may begin, on the monotonic clock."""

    def __init__(self, most_s: float, *, ratio: float = REST_RATIO) -> None:
        """`most_s`: how much later than without a gap a step may begin; `ratio`: of the gap to what a step took."""
        self._most_s = most_s
        self._ratio = ratio
        self._not_before = 0.0

    def left_s(self, now: float) -> float:
        """The seconds that a step has still to wait; 0: it may begin."""
        return max(0.0, self._not_before - now)

    def thin(self, *, began_at: float, ended_at: float) -> None:
        """A step is over, and found less than it could have done."""
        took_s = ended_at - began_at
        self._not_before = began_at + min(self._most_s, took_s * self._ratio)

    def full(self) -> None:
        """A step is over, and there may be more to do at once."""
        self._not_before = 0.0
