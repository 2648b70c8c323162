"""The pace of a worker at a job: how long a run takes there of late, from being ready to a success."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from foliot.domain.instants import Micros

HOURS: Final = 6
"""So many hours are looked at, the present one among them."""
_FADES: Final = 0.5
"""What an hour counts beside the hour after it."""
_RATE_MIN: Final = 0.01


class WorkerHour(NamedTuple):
    """What statistics know of a job's runs on a worker in one hour."""

    hours_ago: int
    succeeded: int
    failed: int
    took: int  # runs that were started
    took_us: Micros  # the sum of their durations
    delays: int
    delay_us: Micros  # the sum of their answers: from being ready to the start


def pace_us(hours: Iterable[WorkerHour]) -> Micros | None:
    """The moving average of durations and of answers, added up, divided by the part of the runs that succeeded.

    The division keeps a worker on which every run fails at once from being the quickest. None: no run was started.
    """
    took = took_us = delays = delay_us = succeeded = judged = 0.0
    for hour in hours:
        weight = _FADES**hour.hours_ago
        took += weight * hour.took
        took_us += weight * hour.took_us
        delays += weight * hour.delays
        delay_us += weight * hour.delay_us
        succeeded += weight * hour.succeeded
        judged += weight * (hour.succeeded + hour.failed)
    if not took:
        return None
    rate = succeeded / judged if judged else 1.0
    answer = delay_us / delays if delays else 0.0
    return round((took_us / took + answer) / max(rate, _RATE_MIN))
