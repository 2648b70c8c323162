"""Holds: what keeps a due run from starting. Lists, `run show` and `why` all judge it here."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from foliot.domain.instants import Instant
from foliot.domain.job import Lane
from foliot.domain.names import nearest
from foliot.domain.why.facts import Hold, LimitFacts, QueueFacts, RunFacts, WorkerFacts
from foliot.domain.why.verdicts import HoldKind

WITHOUT_WORKER: Final = frozenset(
    {HoldKind.NOBODY, HoldKind.GROUP, HoldKind.HANDLER, HoldKind.LABEL, HoldKind.DRAINING}
)


def hold_of(run: RunFacts, queue: QueueFacts, now: Instant) -> Hold:
    """What stands between a due run and a worker: maintenance, its line, then who could run it, limits, room."""
    held_us = now - run.not_before
    if queue.maintenance is not None:
        return Hold(kind=HoldKind.MAINTENANCE, held_us=held_us, maintenance=queue.maintenance)
    if queue.ahead is not None:
        since = queue.ahead.started_at or queue.ahead.created_at
        return Hold(
            kind=HoldKind.LINE, held_us=held_us, ahead=queue.ahead, ahead_for_us=now - since, overlap=queue.overlap
        )
    hold = hold_in_lane(queue.lane, queue.limits, queue.workers)
    meant = _nearest(queue.lane.offer, queue.workers) if hold.kind is HoldKind.HANDLER else None
    return replace(hold, held_us=held_us, nearest=meant, route=queue.route)


def hold_of_job(lane: Lane, workers: Sequence[WorkerFacts]) -> Hold | None:
    """What would hold a run of a job, of which none waits, for want of a worker; None: some worker takes it."""
    hold = hold_in_lane(lane, (), workers)
    if hold.kind not in WITHOUT_WORKER:
        return None
    return replace(hold, nearest=_nearest(lane.offer, workers) if hold.kind is HoldKind.HANDLER else None)


def hold_in_lane(lane: Lane, limits: Sequence[LimitFacts], workers: Sequence[WorkerFacts]) -> Hold:
    """The same for the head of its line: it is the same for all such runs of a lane.

    `workers`: those that live and serve the namespace of the run.
    """
    found = Hold(kind=HoldKind.READY, handler=lane.offer, group=lane.group, online=len(workers))
    in_group = [worker for worker in workers if worker.group == lane.group]
    offering = [worker for worker in in_group if lane.offer in worker.handlers]
    fitting = [worker for worker in offering if _has_labels(worker, lane.require)]
    taking = [worker for worker in fitting if not worker.is_draining]
    if not workers:
        return replace(found, kind=HoldKind.NOBODY)
    if not in_group:
        return replace(found, kind=HoldKind.GROUP)
    if not offering:
        return replace(found, kind=HoldKind.HANDLER)
    if not fitting:
        return replace(found, kind=HoldKind.LABEL, needs=lane.require, fitting=len(offering))
    if not taking:
        return replace(found, kind=HoldKind.DRAINING, fitting=len(fitting))
    full = next((limit for limit in limits if limit.holds_up or _is_full_everywhere(limit, len(taking))), None)
    if full is not None:
        return replace(found, kind=HoldKind.LIMIT, limit=full)
    slots, running = sum(worker.slots for worker in taking), sum(worker.running for worker in taking)
    kind = HoldKind.BUSY if running >= slots else HoldKind.READY
    strained = [(worker.name, worker.cause) for worker in taking if worker.cause is not None]
    return replace(found, kind=kind, slots=slots, running=running, fitting=len(taking), strained=strained)


def _is_full_everywhere(limit: LimitFacts, workers: int) -> bool:
    """Whether every worker that could run it has as many runs of its job as one may."""
    return limit.full_on is not None and limit.full_on >= workers


def _has_labels(worker: WorkerFacts, require: tuple[tuple[str, str], ...]) -> bool:
    return all(worker.labels.get(key) == value for key, value in require)


def _nearest(handler: str, workers: Sequence[WorkerFacts]) -> tuple[str, str] | None:
    offered: dict[str, str] = {}
    for worker in workers:
        for name in sorted(worker.handlers):
            offered.setdefault(name, worker.name)
    found = nearest(handler, offered)
    return (found, offered[found]) if found else None
