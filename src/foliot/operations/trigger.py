"""Trigger: ask for one run of a job, now or later."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

import msgspec

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField, InvalidInput
from foliot.domain.handler import handler_from
from foliot.domain.instants import DAY, Micros
from foliot.domain.job import Lane
from foliot.domain.own_parameters import default_params
from foliot.domain.parameters import require_fit
from foliot.domain.payload import canonical_json, json_text
from foliot.domain.policies.windows import KEYS_KEPT_US, StandsFor
from foliot.domain.schedule import HORIZON
from foliot.domain.schema import TakesLong
from foliot.domain.texts import check_key
from foliot.operations.names import Described, find_job, find_run, group_of
from foliot.operations.refused_triggers import queue
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.operations.trigger_trace import TriggerTrace
from foliot.ports.store.lookups import JobRow, RunRow
from foliot.ports.store.replies import KeyReused
from foliot.ports.store.runs import BadTrigger, Triggered, TriggerRequest

DELAY_MAX: Final[Micros] = 366 * DAY
PATIENCE_STEPS: Final = 2000  # of a check of parameters: a few milliseconds
TEXT_AT_ONCE: Final = 8 * 1024  # letters of parameters: two or three milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggeredRun:
    """The run of a trigger; `created` False: it was there, and stands for the trigger."""

    run: RunRow
    created: bool
    stands_for: StandsFor | None = None  # why, when it was there


async def trigger(
    services: Services, who: Principal, request: TriggerRequest, given: Mapping[str, Any] | None = None
) -> TriggeredRun:
    """Create the run; the request and the given parameters are checked before anything is queued."""
    job, params = await check(services, who, request, given)
    if request.is_test:  # of the definition that the user sees, beside open runs where the job can have such
        request = replace(request, version=job.version, allow_overlap=not job.document.get("exclusive"))
    shares_runs = bool(job.document.get("debounce") or job.document.get("throttle"))
    asked = _asked(request, given) if shares_runs else None
    is_drawn = not request.key
    key = services.chance.token() if is_drawn else request.key
    wanted = replace(request, job=job.name, key=key, is_drawn=is_drawn, params=params, asked=asked)
    followed = TriggerTrace.of(services, wanted)
    wanted = replace(wanted, trace=followed.kept)
    triggered = await queue(services, who, wanted)
    followed.end(triggered.run_id)
    services.runs_may_be_ready()
    services.cursors_moved()
    run = await find_run(services, who, triggered.run_id)
    is_repeat = triggered.stands_for is StandsFor.KEY and not is_drawn
    if is_repeat and not await _is_same(services, request, given, triggered, run):
        raise KeyReused
    return TriggeredRun(run=run, created=triggered.created, stands_for=triggered.stands_for)


def _asked(request: TriggerRequest, given: Mapping[str, Any] | None) -> str:
    """What tells two triggers with one key apart, in a form of fixed length."""
    said = [msgspec.to_builtins(dict(given or {})), request.priority, request.at, request.delay_us]
    return sha256(canonical_json(said).encode()).hexdigest()[:32]


async def _is_same(
    services: Services,
    request: TriggerRequest,
    given: Mapping[str, Any] | None,
    triggered: Triggered,
    run: RunRow,
) -> bool:
    """Whether a repeat of a key asks what the first with that key asked, as far as that is known."""
    if triggered.asked is not None:
        return triggered.asked == _asked(request, given)
    return _fits(request, given, run) or await _is_forgotten(services, run)


async def _is_forgotten(services: Services, run: RunRow) -> bool:
    """Whether others may have changed the run since, and nobody knows any more what made it."""
    version = await services.store.lookups.version(run.job_id, run.version)
    if version is None or not version.document.get("debounce"):
        return False
    return run.created_at < await services.store.lookups.now() - KEYS_KEPT_US


def _fits(request: TriggerRequest, params: Mapping[str, Any] | None, run: RunRow) -> bool:
    """Whether the run that has the key fits the request, as far as a run shows it.

    The given parameters are among the run's own, beside those of the definition as it was then.
    """
    given = msgspec.to_builtins(dict(params or {}))
    stored = {} if run.params is None else msgspec.json.decode(run.params)
    if bool(given) != (run.params is not None):
        return False
    for name, value in given.items():
        if name not in stored or canonical_json(stored[name]) != canonical_json(value):
            return False
    if request.priority is not None and request.priority != run.priority:
        return False
    return request.at is None or request.at == run.due_at


async def check(
    services: Services, who: Principal, request: TriggerRequest, given: Mapping[str, Any] | None
) -> tuple[JobRow, str | None]:
    """The job and the parameters of the run, when this token may run it and the request makes sense."""
    job = await find_job(services, who, request.namespace, request.job)
    who.demand(Scope.RUN, group=group_of(job))
    check_request(request)
    return job, await checked_params(services, job, given)


def check_request(request: TriggerRequest) -> None:
    """Refuse what cannot be, or what no store keeps."""
    if request.at is not None and request.delay_us is not None:
        raise BadField("delay", "give either at or delay, not both")
    if request.is_test and (request.at is not None or request.delay_us is not None):
        raise BadField("test", "a test starts now", hint="leave at and delay away")
    if request.delay_us is not None and not 0 <= request.delay_us <= DELAY_MAX:
        raise BadField("delay", "it is longer than a year")
    if request.at is not None and not 0 <= request.at < HORIZON:
        raise BadTrigger("The time of the trigger lies outside 1970 to 2199.", problem="time")
    if request.key:
        check_key(request.key)


async def checked_params(services: Services, job: Described, given: Mapping[str, Any] | None) -> str | None:
    """Return the parameters of the run as JSON text; raise `BadParameters` when the handler would refuse them.

    Given parameters replace those of the definition. None: the run uses those of the definition. When no live worker
    describes the handler, the worker that gets the run checks them.
    """
    params = {**default_params(_own(job)), **(job.document.get("params") or {}), **(given or {})}
    text = None
    if given:  # before the schema is looked at: parameters that are too large are refused first
        text = await _text_of(params)
    schema = await _schema_of(services, job)
    if schema is not None:
        await _require_fit(job.name, schema, msgspec.to_builtins(params))
    return text


async def _text_of(params: Mapping[str, Any]) -> str:
    """Return parameters as the store keeps them. It checks each part: the side thread does that for long ones."""
    if len(repr(params)) <= TEXT_AT_ONCE:  # a quick measure of any value, also of one that is not JSON
        return json_text(params, what="params")
    return await in_side_thread(json_text, params, what="params")


async def _require_fit(job: str, schema: Mapping[str, Any], params: Any) -> None:
    """Check as the worker would. A check that takes long (thousands of choices) goes on in the side thread."""
    try:
        require_fit(job, schema, params, patience=PATIENCE_STEPS)
    except TakesLong:
        await in_side_thread(require_fit, job, schema, params)


async def parameters_of(services: Services, job: Described) -> Mapping[str, Any] | None:
    """Return what a job takes, as JSON Schema; None while no live worker says, or when this server cannot read it."""
    try:
        return await _schema_of(services, job)
    except InvalidInput:  # a newer Foliot wrote it
        return None


async def _schema_of(services: Services, job: Described) -> Mapping[str, Any] | None:
    """Return the job's own schema, or that of its handler as live workers describe it."""
    return _own(job) or await services.offers.schema_of(lane_of_job(job))


def _own(job: Described) -> Mapping[str, Any]:
    """The parameters that the job itself says."""
    return job.document.get("parameters") or {}


def lane_of_job(job: Described) -> Lane:
    """What a worker must be to run the present version of a job."""
    require = (job.document.get("place") or {}).get("require") or {}
    return Lane(
        group=group_of(job),
        offer=handler_from(job.document.get("run"), "run").offer,
        require=tuple(sorted(require.items())),
        namespace=job.namespace,
    )
