"""`/nodes`, `/cluster`, `/search`, `/cron:explain`: the cluster at a glance, and helpers."""

from itertools import islice
from typing import Annotated, Final

from fastapi import APIRouter, Query

from foliot.api.models.cluster import (
    ClusterOut,
    CronIn,
    CronOut,
    HandoverOut,
    HitOut,
    HitsOut,
    MaybeDrainNode,
    MaybeStepDown,
    NodeOut,
    NodesOut,
)
from foliot.api.models.common import moment
from foliot.api.models.maintenance import MaintenanceChangeOut, MaintenanceOut, SetMaintenance
from foliot.api.models.runs import RunOut
from foliot.api.pages import AnyLimit, page_of
from foliot.api.request_parts import (
    PREFIX,
    READS,
    WRITES,
    Admin,
    Cursor,
    EveryNamespace,
    Limit,
    Reader,
    Services,
    Speaks,
    read_duration,
)
from foliot.api.route import FoliotRoute
from foliot.domain.schedule import schedule_from_document
from foliot.operations.maintenance import begin_maintenance, end_maintenance
from foliot.operations.nodes import cluster_status, drain, find_node, undrain
from foliot.operations.nodes import list_nodes as nodes_seen
from foliot.operations.promote import demote, promote
from foliot.operations.search import search as search_all
from foliot.operations.step_down import step_down as hand_over
from foliot.words.schedules import describe
from foliot.words.schedules.warnings import warnings_of

HITS_MAX: Final = 200
router: Final = APIRouter(prefix=PREFIX, tags=["cluster"], route_class=FoliotRoute)


@router.get("/cluster", responses=READS, summary="The cluster at a glance")
async def get_cluster(services: Services, who: Reader, language: Speaks) -> ClusterOut:
    """Leader, term, queue, lag, what is not well, and every node."""
    return ClusterOut.of(await cluster_status(services, who), language)


@router.post("/cluster:step-down", responses=WRITES, summary="Hand leadership to another server")
async def step_down(services: Services, who: Admin, body: MaybeStepDown) -> HandoverOut:
    """Any server can be asked; the answer comes when it is done. Jobs fire and run meanwhile."""
    handed = await hand_over(services, who, to=body.to, reason=body.reason)
    return HandoverOut(before=handed.before, leader=handed.leader, term=handed.term)


@router.post("/cluster:maintenance", responses=WRITES, summary="Stop deciding, or decide again")
async def set_maintenance(services: Services, who: Admin, body: SetMaintenance) -> MaintenanceChangeOut:
    """While it is on, no instant is decided and no run is leased; everything else is served.

    Instants that pass meanwhile are decided afterwards, by each job's misfire policy.
    """
    if not body.on:
        ended = await end_maintenance(services, who, reason=body.reason)
        return MaintenanceChangeOut(maintenance=None, ended=MaintenanceOut.of(ended))
    lasts_us = read_duration(body.lasts, "lasts")
    begun = await begin_maintenance(services, who, lasts_us=lasts_us, reason=body.reason)
    return MaintenanceChangeOut(maintenance=MaintenanceOut.of(begun))


@router.get("/nodes", responses=READS, summary="Servers and workers")
async def list_nodes(
    services: Services, who: Reader, language: Speaks, limit: AnyLimit = None, cursor: Cursor = None
) -> NodesOut:
    """Those alive, and those that died in the last ten minutes."""
    found = await nodes_seen(services, who)
    page, more = page_of(found, lambda node: node.row.session, limit=limit, cursor=cursor)
    return NodesOut(items=[NodeOut.of(node, language) for node in page], next_cursor=more)


@router.get("/nodes/{name}", responses=READS, summary="One node and what runs on it")
async def get_node(services: Services, who: Reader, language: Speaks, name: str) -> NodeOut:
    """By its name, or by its id."""
    found, runs = await find_node(services, who, name)
    told = NodeOut.of(found, language)
    told.runs = [RunOut.of(run, full=False) for run in runs]
    return told


@router.post("/nodes/{name}:drain", responses=WRITES, summary="Take a node out of service")
async def drain_node(services: Services, who: Admin, language: Speaks, name: str, body: MaybeDrainNode) -> NodeOut:
    """It takes no more work; what it holds goes on to its end."""
    return NodeOut.of(await drain(services, who, name, reason=body.reason), language)


@router.post("/nodes/{name}:undrain", responses=WRITES, summary="Take a drained node back into service")
async def undrain_node(services: Services, who: Admin, language: Speaks, name: str, body: MaybeDrainNode) -> NodeOut:
    """It takes work again from its next beat on; one that is stopping by itself does not."""
    return NodeOut.of(await undrain(services, who, name, reason=body.reason), language)


@router.post("/nodes/{name}:promote", responses=WRITES, summary="Make a standby active")
async def promote_node(services: Services, who: Admin, language: Speaks, name: str, body: MaybeDrainNode) -> NodeOut:
    """It fires, leases and may lead from its next beat on."""
    return NodeOut.of(await promote(services, who, name, reason=body.reason), language)


@router.post("/nodes/{name}:demote", responses=WRITES, summary="Make a server a standby")
async def demote_node(services: Services, who: Admin, language: Speaks, name: str, body: MaybeDrainNode) -> NodeOut:
    """It serves users, and neither fires, leases nor leads from its next beat on."""
    return NodeOut.of(await demote(services, who, name, reason=body.reason), language)


@router.get("/search", responses=READS, summary="Jump to a job, a run or a node")
async def search(
    services: Services,
    who: Reader,
    q: Annotated[str, Query(max_length=200, examples=["结算"])],
    namespace: EveryNamespace = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> HitsOut:
    """By id, by name, or by anything a definition says."""
    hits = await search_all(services, who, q, namespace=namespace, limit=HITS_MAX)
    page, more = page_of(hits, lambda hit: f"{hit.kind} {hit.namespace} {hit.name}", limit=limit, cursor=cursor)
    return HitsOut(items=[HitOut.of(hit) for hit in page], next_cursor=more)


@router.post("/cron:explain", responses=WRITES, summary="A cron expression in words")
async def explain_cron(services: Services, who: Reader, language: Speaks, body: CronIn) -> CronOut:
    """The sentence, the next instants, and what may surprise."""
    document = {"cron": body.expression, "tz": body.timezone}
    if body.dialect:
        document["dialect"] = body.dialect
    schedule = schedule_from_document(document)
    now = await services.store.lookups.now()
    warnings = warnings_of(schedule, now=now, language=language)
    upcoming = islice(schedule.upcoming(now), body.count)
    return CronOut(
        expression=body.expression,
        words=describe(schedule, language),
        next=[moment(at) or "" for at in upcoming],
        warnings=[{"code": one.code, "message": one.sentence, "hint": one.hint or None} for one in warnings],
    )
