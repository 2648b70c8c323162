"""All due seconds of a span, asked for in three ways."""

from foliot.domain.schedule import Trigger
from tests.property.clockwork import SECOND

DAY_S = 86_400


def walked(trigger: Trigger, first: int, past: int) -> list[int]:
    """Due seconds in [first, past), one `next_after` after the other."""
    found, at = [], trigger.next_after(first * SECOND - 1)
    while at is not None and at < past * SECOND:
        found.append(at // SECOND)
        at = trigger.next_after(at)
    return found


def walked_back(trigger: Trigger, first: int, past: int) -> list[int]:
    """The same, one `previous_before` after the other."""
    found, at = [], trigger.previous_before(past * SECOND)
    while at is not None and at >= first * SECOND:
        found.append(at // SECOND)
        at = trigger.previous_before(at)
    return found[::-1]


def masked(trigger: Trigger, first: int, past: int) -> list[int]:
    """The same, from day masks."""
    found = []
    for day in range(first // DAY_S, past // DAY_S + 1):
        mask = trigger.due_mask(day)
        while mask:
            low = mask & -mask
            found.append(day * DAY_S + low.bit_length() - 1)
            mask ^= low
    return [second for second in found if first <= second < past]
