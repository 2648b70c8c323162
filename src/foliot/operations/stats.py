"""Stats: how a job's latest runs went. Of a bounded number of runs, so it costs the same for any history."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.instants import Instant, Micros
from foliot.operations.finding import find_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import RunRow

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
    return stats_of(await services.store.lookups.last_ended(job.job_id, limit=RUNS_LOOKED_AT))


def stats_of(runs: Sequence[RunRow]) -> JobStats:
    """The figures of some finished runs."""
    finished = [run for run in runs if run.state in ("SUCCEEDED", "FAILED")]
    return JobStats(
        runs=len(runs),
        since=min((run.created_at for run in runs), default=None),
        outcomes=Counter(f"{run.state}:{run.kind}" if run.kind else run.state for run in runs),
        success_rate=_success_rate(finished),
        duration=_spread([took for run in runs if (took := _took(run)) is not None]),
        start_delay=_spread([run.started_at - run.due_at for run in runs if run.started_at and _is_scheduled(run)]),
        retries=sum(run.failures for run in runs),
        nodes=[_node_stats(node, runs) for node in sorted({run.node for run in runs if run.node})],
    )


def _node_stats(node: str, runs: Sequence[RunRow]) -> NodeStats:
    own = [run for run in runs if run.node == node]
    took = [us for run in own if (us := _took(run)) is not None]
    return NodeStats(
        node=node,
        runs=len(own),
        success_rate=_success_rate([run for run in own if run.state in ("SUCCEEDED", "FAILED")]) or 0.0,
        average_us=sum(took) // len(took) if took else None,
        last_ended_at=max((run.ended_at for run in own if run.ended_at), default=None),
    )


def _is_scheduled(run: RunRow) -> bool:
    return run.fire_key.startswith("s:")


def _took(run: RunRow) -> Micros | None:
    return run.ended_at - run.started_at if run.ended_at and run.started_at else None


def _success_rate(finished: Sequence[RunRow]) -> float | None:
    return sum(run.state == "SUCCEEDED" for run in finished) / len(finished) if finished else None


def _spread(values: Sequence[Micros]) -> Spread | None:
    if not values:
        return None
    ordered = sorted(values)

    def at(fraction: float) -> Micros:
        return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]

    return Spread(p50_us=at(0.5), p95_us=at(0.95), p99_us=at(0.99), max_us=ordered[-1])
