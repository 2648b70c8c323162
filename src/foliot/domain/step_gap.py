"""The gap between steps: steps that find little to do come a few milliseconds apart, so that cost follows the work.

A thousand instants spread over a second would be a thousand transactions of one row each. A duty that rests for some
milliseconds after each of them decides ten rows at once instead. The rest counts from the beginning of a step, grows
with what the step took, and is bounded. So a lone fire waits for nothing, and a crowded second is late by little.

Runs of a line go one at a time: each waits for the end of the one before it, and no rest gathers two of them. So after
a step that found one alone the rest is a fifth of the usual one. In a crowded second two come together even so, and the
rest is the usual one again.
"""

from typing import Final

REST_RATIO: Final = 30.0
"""After a step of one millisecond the next begins thirty after it began: the duty costs a thirtieth of the time."""
ALONE_RATIO: Final = 6.0
"""The same after a step that found one thing alone."""
MOST_OF_IT: Final = 0.7
"""So much of a gap is enough for a step that has news."""


class StepGap:
    """When the next step of one duty may begin, on the monotonic clock."""

    def __init__(self, most_s: float) -> None:
        """`most_s`: how much later than without a gap a step may begin."""
        self._most_s = most_s
        self._began_at = 0.0
        self._gap_s = 0.0

    def left_s(self, now: float) -> float:
        """The seconds that a step has still to wait; 0: it may begin."""
        return max(0.0, self._began_at + self._gap_s - now)

    def is_over(self, now: float, *, has_news: bool = False) -> bool:
        """Whether a step may begin.

        `has_news`: another duty of this process has just made work for it. Most of the gap is enough then, so that the
        two steps come together: a processor that wakes for both spends less than one that wakes twice.
        """
        gap_s = self._gap_s * MOST_OF_IT if has_news else self._gap_s
        return self._began_at + gap_s <= now

    def thin(self, *, began_at: float, ended_at: float, is_alone: bool = False) -> None:
        """A step is over, and found less than it could have done; `is_alone`: one thing, so that nothing gathered."""
        self._began_at = began_at
        self._gap_s = min(self._most_s, (ended_at - began_at) * (ALONE_RATIO if is_alone else REST_RATIO))

    def full(self) -> None:
        """A step is over, and there may be more to do at once."""
        self._gap_s = 0.0
