"""Full lanes: enough of their runs are assigned, so routes decide about no more of them for now.

A backlog is assigned a little ahead of the leases, and not as a whole. Each step of assigning counts what waits for
each worker, so the number of assigned runs is the price of a step. What is decided late is also decided better: the
route sees the workers of that moment.

A lane with `ENOUGH` assigned runs is full unless some worker has nothing to do: all of these runs may wait for another
worker, which hangs. With `MOST` of them it is full in any case. Runs that wait for a worker that hangs go to others
when their time is over (`assignment.ASSIGNED_FOR_US`). Fires are assigned until there are `MOST`: a step of them needs
one count for a thousand runs, and each would have to be written twice more if it were assigned later.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from foliot.store.sql.leasing.fitting_workers import Business, LiveWorker

ENOUGH: Final = 2000
MOST: Final = 10_000
ENOUGH_PER_SLOT: Final = 2
MOST_PER_SLOT: Final = 4


def open_lanes(fitting: Mapping[int, Sequence[LiveWorker]], business: Business) -> dict[int, Sequence[LiveWorker]]:
    """The lanes that are not full, each with the workers that fit it."""
    return {lane: workers for lane, workers in fitting.items() if not _is_full(lane, workers, business)}


def open_to_fires(fitting: Mapping[int, Sequence[LiveWorker]], business: Business) -> dict[int, Sequence[LiveWorker]]:
    """The same for runs that are being inserted: assigned now they cost two writes less than assigned later."""
    return {lane: workers for lane, workers in fitting.items() if not _has_most(lane, workers, business)}


def may_be_full_soon(business: Business, *, step: int) -> bool:
    """Whether a lane may be full before the next count: one step of assigning adds this many runs at most."""
    return business.most_waiting + step >= ENOUGH


def _is_full(lane: int, workers: Sequence[LiveWorker], business: Business) -> bool:
    waiting = business.waiting_in(lane)
    if waiting < ENOUGH:  # nearly every lane: its workers need not be looked at
        return False
    if _has_most(lane, workers, business):
        return True
    if waiting < ENOUGH_PER_SLOT * _slots(workers):
        return False
    return not any(business.is_idle(worker) for worker in workers)


def _has_most(lane: int, workers: Sequence[LiveWorker], business: Business) -> bool:
    waiting = business.waiting_in(lane)
    return waiting >= MOST and waiting >= MOST_PER_SLOT * _slots(workers)


def _slots(workers: Sequence[LiveWorker]) -> int:
    return sum(worker.given for worker in workers)
