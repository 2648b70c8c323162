"""Stats: how a job's latest runs went. Of a bounded number of runs, so it costs the same for any history."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import Instant, Micros
from foliot.operations.names import find_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import RunRow, first_start_of

RUNS_LOOKED_AT: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a duration is spread."""

    p50_us: Micros
    p95_us: Micros
    p99_us: Micros
    max_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStats:
    """A job's runs on one node (D4)."""

    node: str
    runs: int
    success_rate: float
    average_us: Micros | None
    last_ended_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStats:
    """The latest finished runs of a job."""

    runs: int
    since: Instant | None
    outcomes: Mapping[str, int]  # SUCCEEDED, FAILED:timeout …
    success_rate: float | None
    duration: Spread | None
    start_delay: Spread | None  # due to start
    retries: int
    nodes: Sequence[NodeStats]


async def stats(services: Services, who: Principal, namespace: str, name: str) -> JobStats:
    """Durations, outcomes, delays and figures per node of the latest finished runs."""
    who.demand(Scope.READ)
    job = await find_job(services, who, namespace, name)
    ended = await services.store.lookups.last_ended(job.job_id, limit=RUNS_LOOKED_AT)
    return stats_of(ended)


def stats_of(runs: Sequence[RunRow]) -> JobStats:
    """Return the figures of some finished runs."""
    starts = [(first_start_of(run), run.due_at) for run in runs if _is_scheduled(run)]
    delays = [start_at - due_at for start_at, due_at in starts if start_at]
    nodes = sorted({run.node for run in runs if run.node})
    return JobStats(
        runs=len(runs),
        since=min((run.created_at for run in runs), default=None),
        outcomes=Counter(map(_outcome, runs)),
        success_rate=_success_rate(runs),
        duration=spread_of(_durations(runs)),
        start_delay=spread_of(delays),
        retries=sum(run.failures for run in runs),
        nodes=[_node_stats(node, runs) for node in nodes],
    )


def _node_stats(node: str, runs: Sequence[RunRow]) -> NodeStats:
    own = [run for run in runs if run.node == node]
    durations = _durations(own)
    average_us = sum(durations) // len(durations) if durations else None
    return NodeStats(
        node=node,
        runs=len(own),
        success_rate=_success_rate(own) or 0.0,
        average_us=average_us,
        last_ended_at=max((run.ended_at for run in own if run.ended_at), default=None),
    )


def _outcome(run: RunRow) -> str:
    if not run.kind:
        return run.state
    return f"{run.state}:{run.kind}"


def _is_scheduled(run: RunRow) -> bool:
    return run.fire_key.startswith("s:")


def _durations(runs: Sequence[RunRow]) -> list[Micros]:
    """Return how long each run took that was started."""
    return [run.ended_at - run.started_at for run in runs if run.ended_at and run.started_at]


def _success_rate(runs: Sequence[RunRow]) -> float | None:
    """Return the part that succeeded, of the runs that succeeded or failed."""
    succeeded = sum(run.state == "SUCCEEDED" for run in runs)
    failed = sum(run.state == "FAILED" for run in runs)
    if not succeeded + failed:
        return None
    return succeeded / (succeeded + failed)


def spread_of(values: Sequence[Micros]) -> Spread | None:
    """How some durations are spread; None of none."""
    if not values:
        return None
    ordered = sorted(values)

    def at(fraction: float) -> Micros:
        index = int(fraction * len(ordered))
        return ordered[min(index, len(ordered) - 1)]

    return Spread(p50_us=at(0.5), p95_us=at(0.95), p99_us=at(0.99), max_us=ordered[-1])
