"""Trial: a test run of a definition that is not saved."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import to_document
from foliot.domain.errors import InvalidInput
from foliot.domain.names import check_name
from foliot.operations.calendars import read_definition
from foliot.operations.kinds import UnservedKind, check_kind
from foliot.operations.names import find_run
from foliot.operations.services import Services
from foliot.operations.trigger import check_request, checked_params
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.runs import TriggerRequest


class ExclusiveTrial(InvalidInput):
    """A definition of an exclusive job is to be tested before it is saved."""

    code = "FOL-1152"

    def __init__(self, name: str) -> None:
        super().__init__(
            f'"{name}" is exclusive: a test of it takes its turn in the line of the saved job.',
            hint=f"save it, then foliot job test {name}; or test it with exclusive: false",
            name=name,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unsaved:
    """What a trigger needs to know of a job, where there is none."""

    name: str
    namespace: str
    document: Mapping[str, Any]


async def try_out(
    services: Services,
    who: Principal,
    request: TriggerRequest,
    document: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
) -> RunRow:
    """Execute a definition once, now. It is checked as for a save, and executing it needs the rights of both."""
    name, namespace = check_name("job", request.job), check_name("namespace", request.namespace)
    check_request(request)
    if not who.sees(namespace):
        who.demand_everywhere(Scope.WRITE)
    definition = await read_definition(services, document, job=name)
    for scope in (Scope.WRITE, Scope.RUN):
        who.demand(scope, group=definition.group)
    who.demand_script(definition.handler.kind)
    for warning in await check_kind(services, namespace, definition):
        if isinstance(warning, UnservedKind) and services.kinds.find(definition.handler.kind) is None:
            raise warning  # a job may wait for a worker; who tests a kind that nobody knows has misspelt it
    if definition.exclusive:
        raise ExclusiveTrial(name)
    definition = replace(definition, schedule=None)  # a test starts now, and nothing follows it
    unsaved = _Unsaved(name=name, namespace=namespace, document=to_document(definition))
    params = await checked_params(services, unsaved, given)
    key = request.key or services.chance.token()
    asked = replace(request, job=name, namespace=namespace, key=key, params=params)
    run_id = await services.store.jobs.try_out(definition, asked)
    services.runs_may_be_ready()
    return await find_run(services, who, run_id)
