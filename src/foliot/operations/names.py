"""Names: jobs and runs by the name that a user gave, within the namespace of the user's token (SEC-05).

The answer for a job outside that namespace has the same words as for a job that does not exist.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

import structlog

from foliot.domain.access import Principal
from foliot.domain.errors import JobNotFound, RunNotFound
from foliot.domain.job import DEFAULT_GROUP, DEFAULT_NAMESPACE
from foliot.domain.run import format_run_id
from foliot.domain.texts import actor_name, check_reason
from foliot.operations.services import Services
from foliot.ports.store.actor import Actor
from foliot.ports.store.lookups import JobRow, RunRow

NAMESAKES_MAX: Final = 20
"""Jobs of one name whose runs are listed together: the present one, and those that were deleted last."""

log = structlog.get_logger("foliot.people")


class Described(Protocol):
    """A job by its definition, saved or not."""

    @property
    def name(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def document(self) -> Mapping[str, Any]: ...


def namespace_of(who: Principal, asked: str | None) -> str | None:
    """The namespace a list is about: what was asked for, within what the token may see. None: all of them."""
    return who.namespace if asked is None else asked


def home_of(who: Principal, asked: str | None) -> str:
    """The namespace a name is looked up in when none was said."""
    return asked if asked is not None else (who.namespace or DEFAULT_NAMESPACE)


async def find_job(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    *,
    with_last_run: bool = True,
    with_hold: bool = False,
    strip: int = 0,
) -> JobRow:
    """The job, or `JobNotFound`. `with_hold`: with what keeps its newest run from starting; `strip`: and some more."""
    if not who.sees(namespace):
        raise JobNotFound(name, namespace=namespace)
    lookups = services.store.lookups
    return await lookups.job(namespace, name, with_last_run=with_last_run, with_hold=with_hold, strip=strip)


async def find_job_ids(services: Services, who: Principal, namespace: str, name: str) -> tuple[int, ...]:
    """The jobs that have this name or had it until they were deleted; `JobNotFound` when there is none."""
    found: tuple[int, ...] = ()
    if who.sees(namespace):
        found = tuple(await services.store.lookups.job_ids(namespace, name, limit=NAMESAKES_MAX))
    if not found:
        await find_job(services, who, namespace, name)  # raises, with the nearest name
    return found


async def find_run(services: Services, who: Principal, run_id: int, *, with_hold: bool = False) -> RunRow:
    """The run, or `RunNotFound`. `with_hold`: with what keeps it from starting."""
    run = await services.store.lookups.run(run_id, with_hold=with_hold)
    if run is None or not who.sees(run.namespace):
        raise RunNotFound(format_run_id(run_id))
    return run


def group_of(job: Described) -> str:
    """The group a job's present version runs on."""
    return str(job.document.get("group", DEFAULT_GROUP))


def actor(who: Principal, reason: str = "") -> Actor:
    """The user and the reason, as the store records them."""
    check_reason(reason)
    return Actor(name=actor_name(who.name), reason=reason)
