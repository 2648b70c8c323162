"""Stretches of instants: where they begin and end, found by counting and halving, never by walking through them."""

from foliot.domain.instants import HOUR, SECOND, Instant
from foliot.domain.schedule import Schedule


def has_rulings(schedule: Schedule) -> bool:
    """Whether a calendar may rule instants out: its own, or one of a branch."""
    return schedule.calendar_name is not None or isinstance(schedule.triggers[0], Schedule)


def has_jitter(schedule: Schedule) -> bool:
    """Whether instants may wake late: by its own jitter, or by that of a branch."""
    return schedule.jitter_us > 0 or isinstance(schedule.triggers[0], Schedule)


def first_waking_from(schedule: Schedule, job: str, instant: Instant) -> Instant | None:
    """The least instant whose wake time is not before this one. Jitter never reaches the next instant."""
    if has_jitter(schedule):
        before = schedule.previous_before(instant)
        if before is not None and schedule.wake_at(job, before) >= instant:
            return before
    return schedule.next_after(instant - 1)


def newest_from(schedule: Schedule, n: int, first: Instant, last: Instant) -> Instant:
    """The least instant from `first` on with at most `n` allowed ones up to `last`."""
    count = schedule.allowed_between
    reach = HOUR
    while last - reach >= first and count(last - reach, last) <= n:
        reach *= 2
    low, high = max(first - SECOND, last - reach), last
    if count(low, last) <= n:
        return first
    while high - low > SECOND:  # count(low, last) > n >= count(high, last); instants are whole seconds
        middle = (low + high) // 2 // SECOND * SECOND
        low, high = (low, middle) if count(middle, last) <= n else (middle, high)
    found = schedule.next_after(high)
    assert found is not None, high
    return found


def last_allowed(schedule: Schedule, first: Instant, last: Instant) -> Instant:
    """The end of the allowed stretch that begins with `first`, not beyond `last`: reach out by doubling, then halve."""

    def is_all_allowed(until: Instant) -> bool:
        return schedule.allowed_between(first - 1, until) == schedule.count_between(first - 1, until)

    low, reach = first, HOUR
    while is_all_allowed(min(last, first + reach)):
        low = first + reach
        if low >= last:
            return last
        reach *= 2
    high = min(last, first + reach)
    while high - low > SECOND:
        middle = (low + high) // 2 // SECOND * SECOND
        low, high = (middle, high) if is_all_allowed(middle) else (low, middle)
    end = schedule.previous_before(low + 1)
    assert end is not None, low
    return end


def last_ruled_alike(schedule: Schedule, first: Instant, last: Instant) -> Instant:
    """An instant ruled like `first` whose follower is not. `last` must not be ruled like `first`."""
    ruling, low, high = schedule.ruling(first), first, last
    while True:
        middle = schedule.next_after((low + high) // 2)
        if middle is None or middle >= high:
            middle = schedule.previous_before((low + high) // 2 + 1)
            if middle is None or middle <= low:
                return low
        if schedule.ruling(middle) == ruling:
            low = middle
        else:
            high = middle
