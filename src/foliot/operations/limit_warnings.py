"""A save that lowers a limit below what runs hold or what runs of another job take: whoever saves is told."""

from collections.abc import Iterator, Sequence

from foliot.domain.access import Principal
from foliot.domain.errors import FoliotError, InvalidInput
from foliot.domain.job import Definition
from foliot.domain.limits import LimitKind, job_key, limit_key
from foliot.operations.services import Services
from foliot.ports.store.limits import KeyBounds, LimitUser, NamedLimit


class LimitOverfull(InvalidInput):
    """A job was saved with less of a limit than runs hold: it is saved with this warning, and runs wait."""

    code = "FOL-1243"

    def __init__(self, name: str, *, used: int, max_: int) -> None:
        super().__init__(
            f"{name} is {max_} now, and {used} are taken: no run is stopped, and none starts until fewer are taken.",
            hint="wait until runs have ended, or raise it again",
            name=name,
            used=used,
            max=max_,
        )


class LimitTooSmallForOthers(InvalidInput):
    """A job was saved with less of a limit than each run of another job takes: those runs can never start."""

    code = "FOL-1244"

    def __init__(self, name: str, stuck: LimitUser, *, max_: int) -> None:
        super().__init__(
            f"The limit {name} has {max_} now, and a run of {stuck.job} takes {stuck.takes}: its runs can never start.",
            hint=f"raise the limit, or write a place.takes.{name} of {max_} at most in {stuck.job}",
            name=name,
            job=stuck.job,
            takes=stuck.takes,
            max=max_,
        )


class QueueOverfull(InvalidInput):
    """A job was saved with a `max_waiting` below what waits: its triggers are refused until fewer wait."""

    code = "FOL-1245"

    def __init__(self, *, waiting: int, max_: int) -> None:
        super().__init__(
            f"max_waiting is {max_} now, and {waiting} runs wait: they stay, and triggers are refused until fewer do.",
            hint="cancel runs that nobody needs, or raise it again",
            waiting=waiting,
            max=max_,
        )


def names_limits(definition: Definition) -> bool:
    """Whether a save of this definition may set a limit: all other saves ask for nothing."""
    bounds = (definition.max_running, definition.max_waiting, definition.max_per_key, definition.max_per_worker)
    return bool(definition.limits) or any(bound is not None for bound in bounds)


async def limit_warnings(
    services: Services, who: Principal, namespace: str, job_id: int, definition: Definition
) -> Sequence[FoliotError]:
    """What this token should know of the limits of a job that was just saved."""
    if not names_limits(definition):
        return []
    counted = await _counted(services, namespace, job_id, definition)
    return [
        *_overfull(counted),
        *await _overfull_keys(services, job_id, definition),
        *await _too_small(services, who, counted),
        *await _queue(services, job_id, definition),
    ]


async def _counted(services: Services, namespace: str, job_id: int, definition: Definition) -> Sequence[NamedLimit]:
    """The limits that the job counts in: one of the cluster comes before the namespace's own of the same name."""
    keys = [limit_key(name, owner) for name in sorted(definition.limits) for owner in (None, namespace)]
    if definition.max_running is not None:
        keys.append(job_key(job_id))
    found: dict[str, NamedLimit] = {}
    for limit in await services.store.limits.find(keys) if keys else ():
        found.setdefault(limit.name, limit)
    return list(found.values())


def _overfull(counted: Sequence[NamedLimit]) -> Iterator[LimitOverfull]:
    for limit in counted:
        if limit.max is not None and limit.used > limit.max:
            yield LimitOverfull(limit.name, used=limit.used, max_=limit.max)


async def _overfull_keys(services: Services, job_id: int, definition: Definition) -> Sequence[LimitOverfull]:
    """The fullest key and the fullest worker, where either has more runs than it may."""
    per_key, per_worker = definition.max_per_key, definition.max_per_worker
    if per_key is None and per_worker is None:
        return []
    bounds = KeyBounds(per_key=_one_more(per_key), per_worker=_one_more(per_worker))
    uses = await services.store.limits.full_keys(job_id, bounds)
    maxima = {LimitKind.KEY: ("max_per_key", per_key), LimitKind.WORKER: ("max_per_worker", per_worker)}
    found = []
    for kind, (name, max_) in maxima.items():
        fullest = next((use for use in uses if use.kind is kind), None)
        if fullest is not None and max_ is not None:
            found.append(LimitOverfull(name, used=fullest.used, max_=max_))
    return found


def _one_more(max_: int | None) -> int | None:
    """Only who has more than the maximum is looked for."""
    return None if max_ is None else max_ + 1


async def _too_small(
    services: Services, who: Principal, counted: Sequence[NamedLimit]
) -> Sequence[LimitTooSmallForOthers]:
    """Jobs that this token sees and whose runs take more than there is. The saved job is none: it would be refused."""
    found: list[LimitTooSmallForOthers] = []
    for limit in counted:
        if limit.kind is LimitKind.NAMED and limit.max is not None:
            stuck = await services.store.limits.stuck([limit.key])
            seen = [one for one in stuck if who.sees(one.namespace)]
            found += [LimitTooSmallForOthers(limit.name, one, max_=limit.max) for one in seen]
    return found


async def _queue(services: Services, job_id: int, definition: Definition) -> Sequence[QueueOverfull]:
    max_ = definition.max_waiting
    if max_ is None:
        return []
    waiting = await services.store.limits.waiting(job_id)
    return [QueueOverfull(waiting=waiting, max_=max_)] if waiting > max_ else []
