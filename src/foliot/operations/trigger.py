"""Trigger: ask for one run of a job, now or later."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.domain.instants import DAY, Instant, Micros
from foliot.domain.job import Lane
from foliot.domain.names import nearest
from foliot.domain.parameters import require_fit
from foliot.domain.payload import canonical_json, json_text
from foliot.domain.schema import TakesLong
from foliot.operations.aside import aside
from foliot.operations.finding import actor, find_job, find_run, group_of
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow, RunRow
from foliot.ports.store.replies import KeyReused
from foliot.ports.store.runs import TriggerRequest

DELAY_MAX: Final[Micros] = 366 * DAY
KEY_BYTES_MAX: Final = 200
REASON_BYTES_MAX: Final = 2000
PATIENCE_STEPS: Final = 2000  # of a check of parameters: a few milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerOrder:
    """What somebody wants to run."""

    namespace: str
    job: str
    params: Mapping[str, Any] | None = None
    at: Instant | None = None
    delay_us: Micros | None = None
    allow_overlap: bool = False
    priority: int | None = None
    key: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggeredRun:
    """The run of a trigger; `created` False: the key was used before and this is its run."""

    run: RunRow
    created: bool


async def trigger(services: Services, who: Principal, order: TriggerOrder) -> TriggeredRun:
    """Create the run; parameters are checked before anything is queued."""
    job = await check_order(services, who, order)
    params = await checked_params(services, job, order.params)
    _check_texts(order)
    triggered = await services.store.runs.trigger(
        TriggerRequest(
            namespace=job.namespace,
            job=job.name,
            key=order.key or services.chance.token(),
            by=actor(who, order.reason),
            params=params,
            at=order.at,
            delay_us=order.delay_us,
            allow_overlap=order.allow_overlap,
            priority=order.priority,
        )
    )
    services.runs_may_be_ready()
    services.cursors_moved()
    run = await find_run(services, who, triggered.run_id)
    if not triggered.created and not _is_same(order, run):
        raise KeyReused
    return TriggeredRun(run=run, created=triggered.created)


def _is_same(order: TriggerOrder, run: RunRow) -> bool:
    """Whether the run that has the key is the one that is asked for, as far as a run tells.

    What was given stands in the run's parameters, among those of the definition as it was then.
    """
    given = msgspec.to_builtins(dict(order.params or {}))
    stored = {} if run.params is None else msgspec.json.decode(run.params)
    if bool(given) != (run.params is not None):
        return False
    if any(name not in stored or canonical_json(stored[name]) != canonical_json(given[name]) for name in given):
        return False
    if order.priority is not None and order.priority != run.priority:
        return False
    return order.at is None or order.at == run.due_at


async def check_order(services: Services, who: Principal, order: TriggerOrder) -> JobRow:
    """The job, when this token may run it and the order makes sense."""
    job = await find_job(services, who, order.namespace, order.job)
    who.demand(Scope.RUN, group=group_of(job))
    if order.at is not None and order.delay_us is not None:
        raise BadField("delay", "give either at or delay, not both")
    if order.delay_us is not None and order.delay_us > DELAY_MAX:
        raise BadField("delay", "it is longer than a year")
    return job


async def checked_params(services: Services, job: JobRow, given: Mapping[str, Any] | None) -> str | None:
    """The parameters of the run as JSON text; `BadParameters` when the handler would refuse them.

    Given ones go over those of the definition. None: those of the definition. What no live worker describes is checked
    by the worker that gets it.
    """
    params = {**(job.document.get("params") or {}), **(given or {})}
    text = json_text(params, what="params") if given else None  # first: what is too large is not looked at
    schema = await services.offers.schema_of(lane_of_job(job))
    if schema is not None:
        await _require_fit(job.name, schema, msgspec.to_builtins(params))
    return text


async def _require_fit(job: str, schema: Mapping[str, Any], params: Any) -> None:
    """Check as the worker would. What takes long (a schema with thousands of choices) is checked beside the loop."""
    try:
        require_fit(job, schema, params, patience=PATIENCE_STEPS)
    except TakesLong:
        await aside(require_fit, job, schema, params)


def lane_of_job(job: JobRow) -> Lane:
    """What a worker must be to run the present version of a job."""
    require = (job.document.get("place") or {}).get("require") or {}
    return Lane(
        group=group_of(job),
        handler=handler_of(job),
        require=tuple(sorted(require.items())),
        namespace=job.namespace,
    )


def handler_of(job: JobRow) -> str:
    """The handler of a job's present version: `python:billing.jobs:settle`."""
    ((kind, name),) = job.document["run"].items()
    return f"{kind}:{name}"


def _check_texts(order: TriggerOrder) -> None:
    if order.key is not None and not 0 < len(order.key.encode()) <= KEY_BYTES_MAX:
        raise BadField("key", f"it is empty or longer than {KEY_BYTES_MAX} bytes")
    if order.key is not None and order.key.endswith(" "):  # not every store tells it from the key without
        raise BadField("key", "it ends with a space", hint="leave it out")
    if len(order.reason.encode()) > REASON_BYTES_MAX:
        raise BadField("reason", f"it is longer than {REASON_BYTES_MAX} bytes")


def nearest_handler(wanted: str, offered: Mapping[str, str]) -> tuple[str, str] | None:
    """The offered handler most like the wanted one, and who offers it."""
    found = nearest(wanted, offered)
    return (found, offered[found]) if found else None
