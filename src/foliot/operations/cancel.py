"""Cancel: a waiting run ends at once, a running one is asked to stop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import JobNotFound
from foliot.domain.job import DEFAULT_GROUP
from foliot.domain.run import format_run_id
from foliot.operations.names import actor, find_run, group_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.runs import CancelOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledRun:
    """A run after a cancel, and how that landed."""

    run: RunRow
    outcome: CancelOutcome


async def cancel(
    services: Services, who: Principal, run_ids: Sequence[int], *, reason: str = "", force: bool = False
) -> Sequence[CancelledRun]:
    """Cancel runs; each says how it landed. All must be there and within the token's reach, or none is touched.

    `force`: a worker ends running runs and does not ask them to stop. No worker can end a thread: it gives the thread
    up after the grace.
    """
    once_each = dict.fromkeys(run_ids)
    runs = [await find_run(services, who, run_id) for run_id in once_each]
    await demand_run(services, who, runs)
    ids = [run.run_id for run in runs]
    outcomes = await services.store.runs.cancel(ids, by=actor(who, reason), force=force)
    services.runs_may_be_ready()
    if CancelOutcome.ASKED in outcomes:
        services.cancels_asked()
    for run, outcome in zip(runs, outcomes, strict=True):
        if outcome is not CancelOutcome.FINAL:
            await note(services, _happening(run, who, outcome, reason, force=force))
    after = [await find_run(services, who, run_id) for run_id in ids]
    return [CancelledRun(run=run, outcome=outcome) for run, outcome in zip(after, outcomes, strict=True)]


async def demand_run(services: Services, who: Principal, runs: Sequence[RunRow]) -> None:
    """Raise unless the token may act on all these runs."""
    who.demand(Scope.RUN)
    if who.group is None:
        return
    for namespace, name in sorted({(run.namespace, run.job) for run in runs}):
        try:
            group = group_of(await services.store.lookups.job(namespace, name))
        except JobNotFound:  # a user deleted it meanwhile: it has no group any more
            group = DEFAULT_GROUP
        who.demand(Scope.RUN, group=group)


def _happening(run: RunRow, who: Principal, outcome: CancelOutcome, reason: str, *, force: bool) -> Happening:
    key = f"run.cancel:{run.run_id}:{outcome}"
    data: dict[str, Any] = {"job": run.job}
    if reason:
        data["reason"] = reason
    if force:
        key += ":force"
        data["force"] = True
    return Happening(
        key=key,
        topic=Topic.RUNS,
        kind="run.cancelled" if outcome is CancelOutcome.ENDED else "run.cancel_asked",
        subject=format_run_id(run.run_id),
        by=who.name,
        namespace=run.namespace,
        data=data,
    )
