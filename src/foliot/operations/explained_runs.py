"""Why, of several runs together, as a list shows them: what they share is read once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.run import RunState
from foliot.domain.why import Explanation, explain_run
from foliot.operations.services import Services
from foliot.operations.why import facts_of_run, queue_facts, zone_of
from foliot.ports.store.lookups import RunRow

EXPLAINED_MAX: Final = 50
"""Runs that are explained at a time: a page of a list. Each takes a few statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRun:
    """Where a run stands, and the zone that its times are best shown in."""

    run: RunRow
    why: Explanation
    tz: str


async def why_runs(services: Services, who: Principal, run_ids: Sequence[int]) -> Sequence[ExplainedRun]:
    """Explain where runs stand and what they wait for, in the order asked. One that is not there is left out."""
    who.demand(Scope.READ)
    assert len(run_ids) <= EXPLAINED_MAX, len(run_ids)
    lookups = services.store.lookups
    found = [await lookups.run(run_id) for run_id in dict.fromkeys(run_ids)]
    runs = [run for run in found if run is not None and who.sees(run.namespace)]
    pending = [run for run in runs if run.state == RunState.PENDING]
    now = await lookups.now()
    waits = await lookups.waits(pending) if pending else {}
    nodes = await lookups.nodes() if pending else ()
    documents = await _documents(services, runs)
    explained: list[ExplainedRun] = []
    for run in runs:
        document = documents[run.job_id, run.version]
        waiting = waits.get(run.run_id)
        queue = None if waiting is None else queue_facts(run, document, waiting, nodes, services.health)
        why = explain_run(await facts_of_run(services, run, document), queue, now)
        explained.append(ExplainedRun(run=run, why=why, tz=zone_of(document, run.job)))
    return explained


async def _documents(services: Services, runs: Sequence[RunRow]) -> Mapping[tuple[int, int], Mapping[str, Any]]:
    """The definitions of the runs by job and version; empty where a version is gone."""
    documents: dict[tuple[int, int], Mapping[str, Any]] = {}
    for job_id, number in {(run.job_id, run.version) for run in runs}:
        version = await services.store.lookups.version(job_id, number)
        documents[job_id, number] = version.document if version else {}
    return documents
