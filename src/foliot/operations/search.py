"""Search: find a job, a run, a node or a check by a part of its name, or by its id."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.run import BadRunId, format_run_id, parse_run_id
from foliot.operations.names import namespace_of
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow

TEXT_MAX: Final = 200
NODES_MAX: Final = 5
CHECKS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something that was found."""

    kind: str  # job, run, node, check
    name: str
    namespace: str | None
    detail: str


async def search(
    services: Services, who: Principal, text: str, *, namespace: str | None = None, limit: int = 20
) -> Sequence[Hit]:
    """Runs by id, nodes and checks by name, jobs by name and everything their definitions say; at most `limit`."""
    who.demand(Scope.READ)
    wanted = text.strip()[:TEXT_MAX]
    if not wanted:
        return []
    if namespace is not None and not who.sees(namespace):
        return []
    within = namespace_of(who, namespace)
    runs = await _runs(services, who, wanted)
    nodes = await _nodes(services, who, wanted)
    jobs = await services.store.lookups.search(wanted, namespace=within, limit=limit)
    checks = await _checks(services, wanted, within)
    hits = [*runs, *nodes, *checks, *map(_job_hit, jobs)]
    return hits[:limit]


def _job_hit(job: JobRow) -> Hit:
    description = str(job.document.get("description", ""))
    first_line = description.partition("\n")[0]
    return Hit(kind="job", name=job.name, namespace=job.namespace, detail=first_line)


async def _runs(services: Services, who: Principal, wanted: str) -> Sequence[Hit]:
    if not wanted.lower().startswith("r-"):
        return []
    try:
        run = await services.store.lookups.run(parse_run_id(wanted))
    except BadRunId:
        return []
    if run is None or not who.sees(run.namespace):
        return []
    name = format_run_id(run.run_id)
    detail = f"{run.job} {run.state}"
    return [Hit(kind="run", name=name, namespace=run.namespace, detail=detail)]


async def _nodes(services: Services, who: Principal, wanted: str) -> Sequence[Hit]:
    is_limited = who.namespace is not None or who.group is not None
    if is_limited:
        return []
    text = wanted.lower()
    nodes = await services.store.lookups.nodes()
    found = [node for node in nodes if text in node.name.lower()]
    return [Hit(kind="node", name=node.name, namespace=None, detail=node.kind) for node in found[:NODES_MAX]]


async def _checks(services: Services, wanted: str, namespace: str | None) -> Sequence[Hit]:
    """Checks of jobs outside of Foliot, by name."""
    text = wanted.lower()
    checks = [one.check for one in await services.store.heartbeats.list(namespace=namespace)]
    found = [one for one in checks if text in one.name.lower()][:CHECKS_MAX]
    return [
        Hit(kind="check", name=one.name, namespace=one.namespace, detail=one.description.partition("\n")[0])
        for one in found
    ]
