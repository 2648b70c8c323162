"""`/overview`: what needs somebody, what runs, what comes next and what changed, in one answer."""

from collections.abc import Iterable
from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.language import zone_of
from foliot.api.models.alerts import AlertCountsOut, AlertOut
from foliot.api.models.cluster import ClusterOut, EventOut
from foliot.api.models.common import moment
from foliot.api.models.jobs import JobOut
from foliot.api.models.overview import AheadOut, HeldRunOut, OverviewOut
from foliot.api.models.runs import RunOut
from foliot.api.request_parts import PREFIX, READS, EveryNamespace, Reader, Services, Speaks
from foliot.api.route import FoliotRoute
from foliot.api.routes.job_details import why_out
from foliot.operations.ahead import MINUTES_MAX
from foliot.operations.ahead import ahead as look_ahead
from foliot.operations.overview import HeldRun
from foliot.operations.overview import overview as look_over
from foliot.ports.store.lookups import JobRow
from foliot.words.language import Language

NODES_MAX: Final = 50
WELL: Final = ("ONLINE", "LEFT")

router: Final = APIRouter(prefix=PREFIX, tags=["cluster"], route_class=FoliotRoute)


@router.get("/overview", responses=READS, summary="What needs somebody, what runs, what comes next")
async def get_overview(
    services: Services,
    who: Reader,
    language: Speaks,
    namespace: EveryNamespace = None,
    tz: Annotated[str | None, Query(max_length=100, description="Zone of times in sentences; each job's own.")] = None,
) -> OverviewOut:
    """Failing, late and held work, what runs, the next instants, what changed, and the cluster."""
    found = await look_over(services, who, namespace)
    if found is None:
        now = await services.store.lookups.now()
        return _empty(moment(now) or "")
    glance = found.glance
    return OverviewOut(
        now=moment(glance.now) or "",
        namespaces=list(glance.namespaces),
        failing=_briefly(glance.failing, language),
        late=_briefly(glance.late, language),
        alerts=[AlertOut.of(one, language) for one in found.alerts],
        alert_counts=AlertCountsOut.of(found.alert_counts),
        held=[_held(one, tz, language) for one in found.held],
        running=[RunOut.of(run, full=False) for run in glance.running],
        next=_briefly(glance.next, language),
        changes=[EventOut.of(event) for event in found.changes],
        cluster=_at_a_glance(ClusterOut.of(found.cluster, language)) if found.cluster else None,
    )


@router.get("/overview/ahead", responses=READS, summary="How many instants are due in each of the next minutes")
async def get_ahead(
    services: Services,
    who: Reader,
    namespace: EveryNamespace = None,
    minutes: Annotated[int, Query(ge=1, le=MINUTES_MAX, description="How far to look.")] = 60,
) -> AheadOut:
    """Minutes in which nothing is due are left out."""
    return AheadOut.of(await look_ahead(services, who, namespace, minutes=minutes))


def _empty(now: str) -> OverviewOut:
    """Of a namespace that does not exist for this token."""
    return OverviewOut(
        now=now,
        namespaces=[],
        failing=[],
        late=[],
        alerts=[],
        alert_counts=AlertCountsOut(),
        held=[],
        running=[],
        next=[],
        changes=[],
        cluster=None,
    )


def _at_a_glance(cluster: ClusterOut) -> ClusterOut:
    """With the nodes that matter alone: browsers read it after each change, and a cluster may have 500 nodes."""
    unwell = {node.name for node in cluster.nodes if node.health not in WELL}  # with those that came back
    nodes = [node for node in cluster.nodes if node.kind == "server" or node.name in unwell]
    return cluster.model_copy(update={"nodes": nodes[:NODES_MAX]})


def _held(held: HeldRun, tz: str | None, language: Language) -> HeldRunOut:
    why = why_out(held.why, tz=zone_of(tz, held.tz), language=language)
    return HeldRunOut(run=RunOut.of(held.run, full=False), why=why)


def _briefly(jobs: Iterable[JobRow], language: Language) -> list[JobOut]:
    return [JobOut.of(job, language=language, full=False) for job in jobs]
