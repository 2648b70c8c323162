"""Search: jump to a job, a run or a node by what one remembers of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.run import BadRunId, format_run_id, parse_run_id
from foliot.operations.finding import namespace_of
from foliot.operations.services import Services

TEXT_MAX: Final = 200
NODES_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something that was found."""

    kind: str  # job, run, node
    name: str
    namespace: str | None
    detail: str


async def search(
    services: Services, who: Principal, text: str, *, namespace: str | None = None, limit: int = 20
) -> Sequence[Hit]:
    """Runs by id, nodes by name, jobs by name and everything their definitions say; at most `limit`."""
    who.demand(Scope.READ)
    wanted = text.strip()[:TEXT_MAX]
    if not wanted or (namespace is not None and not who.sees(namespace)):
        return []
    within = namespace_of(who, namespace)
    hits = [*await _run(services, who, wanted), *await _nodes(services, who, wanted)]
    for job in await services.store.lookups.search(wanted, namespace=within, limit=limit):
        detail = str(job.document.get("description", "")).partition("\n")[0]
        hits.append(Hit(kind="job", name=job.name, namespace=job.namespace, detail=detail))
    return hits[:limit]


async def _run(services: Services, who: Principal, wanted: str) -> Sequence[Hit]:
    if not wanted.lower().startswith("r-"):
        return []
    try:
        run = await services.store.lookups.run(parse_run_id(wanted))
    except BadRunId:
        return []
    if run is None or not who.sees(run.namespace):
        return []
    return [Hit(kind="run", name=format_run_id(run.run_id), namespace=run.namespace, detail=f"{run.job} {run.state}")]


async def _nodes(services: Services, who: Principal, wanted: str) -> Sequence[Hit]:
    if who.namespace is not None or who.group is not None:
        return []
    found = [node for node in await services.store.lookups.nodes() if wanted.lower() in node.name.lower()]
    return [Hit(kind="node", name=node.name, namespace=None, detail=node.kind) for node in found[:NODES_MAX]]
