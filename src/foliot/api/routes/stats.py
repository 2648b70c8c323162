"""`/jobs/{name}/stats`, `/nodes/{name}/stats`, `/cluster/stats`: how runs went in a range of time, and the load."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.models.stats import STEPS, JobStatsOut, NodeStatsOut
from foliot.api.request_parts import PREFIX, READS, Namespace, Reader, Services, Speaks, read_moment
from foliot.api.route import FoliotRoute
from foliot.domain.errors import BadField
from foliot.domain.statistics.resolution import Resolution
from foliot.operations.names import home_of
from foliot.operations.stats import AskedRange
from foliot.operations.stats import cluster_stats as stats_of_cluster
from foliot.operations.stats import job_stats as stats_of_job
from foliot.operations.stats import node_stats as stats_of_node

router: Final = APIRouter(prefix=PREFIX, route_class=FoliotRoute)
From = Annotated[
    str | None, Query(alias="from", max_length=64, description="RFC 3339. Included; a week before `to` unless said.")
]
To = Annotated[str | None, Query(max_length=64, description="RFC 3339. Not included; now unless said.")]
Step = Annotated[
    str | None,
    Query(max_length=10, description="minute, hour, day of UTC; what suits the range unless said.", examples=["hour"]),
]


@router.get("/jobs/{name}/stats", responses=READS, summary="How a job's runs went in a range of time", tags=["jobs"])
async def get_job_stats(
    services: Services,
    who: Reader,
    language: Speaks,
    name: str,
    namespace: Namespace = None,
    from_: From = None,
    to: To = None,
    step: Step = None,
) -> JobStatsOut:
    """Counts, success rate, durations, queue delays, anomalies: in all, over time and per node. Tests do not count.

    Minutes are kept for 2 days, hours for 60 days, days for 400 days.
    """
    asked = _asked(from_, to, step)
    return JobStatsOut.of_job(await stats_of_job(services, who, home_of(who, namespace), name, asked), language)


@router.get(
    "/nodes/{name}/stats", responses=READS, summary="How the runs of a node went, and its load", tags=["cluster"]
)
async def get_node_stats(
    services: Services, who: Reader, name: str, from_: From = None, to: To = None, step: Step = None
) -> NodeStatsOut:
    """The same of all runs and shards that a worker had, and the load of the node, up to a minute ago.

    Also of a node that left. Of a server: what it fired and leased.
    """
    return NodeStatsOut.of_node(await stats_of_node(services, who, name, _asked(from_, to, step)))


@router.get("/cluster/stats", responses=READS, summary="How all runs went, and the load of all nodes", tags=["cluster"])
async def get_cluster_stats(
    services: Services, who: Reader, from_: From = None, to: To = None, step: Step = None
) -> NodeStatsOut:
    """The same of every job and node together, up to a minute ago: scheduled, skipped, succeeded, failed, and the load.

    A sharded run counts once.
    """
    return NodeStatsOut.of_node(await stats_of_cluster(services, who, _asked(from_, to, step)))


def _asked(from_: str | None, to: str | None, step: str | None) -> AskedRange:
    resolution = None
    if step is not None:
        resolution = Resolution[_word(step).upper()]
    return AskedRange(from_at=read_moment(from_, "from"), to_at=read_moment(to, "to"), resolution=resolution)


def _word(step: str) -> str:
    if step.casefold() not in STEPS:
        raise BadField("step", f'"{step}" is not one of {", ".join(STEPS)}')
    return step
