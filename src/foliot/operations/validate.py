"""Validate: what a definition would mean, before it is saved. Nothing changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from foliot.domain.access import Principal, Scope
from foliot.domain.definition import definition_hash, to_document
from foliot.domain.errors import FoliotError, JobNotFound
from foliot.domain.instants import Instant
from foliot.domain.job import Definition, lane_of
from foliot.domain.limits import LimitChange, LimitTooSmall, check_change, limit_key
from foliot.domain.names import check_name
from foliot.operations.calendars import read_definition
from foliot.operations.diff import FieldChange, changes_between
from foliot.operations.kinds import check_kind
from foliot.operations.known_channels import alert_warnings
from foliot.operations.names import find_job
from foliot.operations.services import Services
from foliot.ports.store.lookups import JobRow
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.words.schedules import describe
from foliot.words.schedules.warnings import warnings_of

NEXT_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionWarning:
    """Something that works, but perhaps not as meant: what happens, and what to write instead."""

    code: str
    sentence: str
    hint: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A definition in its canonical form, and what it would do."""

    document: Mapping[str, Any]
    hash: str
    in_words: str | None
    next_instants: Sequence[Instant]
    warnings: Sequence[DefinitionWarning]
    exists_at_version: int | None
    changes: Sequence[FieldChange]
    is_offered: bool  # some live worker may run it


async def validate(
    services: Services,
    who: Principal,
    namespace: str,
    name: str,
    document: Mapping[str, Any],
    *,
    language: Language = Language.ENGLISH,
) -> Validated:
    """Return what a save of this definition would do; raise the error that the save would raise."""
    who.demand(Scope.READ)
    namespace = check_name("namespace", namespace)
    if not who.sees(namespace):  # as a save does: a limited token must not learn what other workers offer (SEC-05)
        who.demand_everywhere(Scope.WRITE)
    definition = await read_definition(services, document, job=check_name("job", name))
    if Scope.WRITE in who.may:  # who only reads asks for somebody else
        who.demand_script(definition.handler.kind)
    advice = [
        *await check_kind(services, namespace, definition),
        *await alert_warnings(services, namespace, definition),
    ]
    canonical = to_document(definition)
    now = await services.store.lookups.now()
    try:
        present = await find_job(services, who, namespace, name)
    except JobNotFound:
        present = None
    await _check_limits(services, who, namespace, definition, said_before=_limits_in(present))
    schedule = definition.schedule
    workers = await services.offers.fitting(lane_of(0, definition, namespace=namespace))
    return Validated(
        document=canonical,
        hash=definition_hash(definition),
        in_words=None if schedule is None else describe(schedule, language),
        next_instants=[] if schedule is None else list(islice(schedule.upcoming(now), NEXT_SHOWN)),
        warnings=list(_warnings(advice, definition, now, language)),
        exists_at_version=present.version if present else None,
        changes=changes_between(present.document if present else {}, canonical),
        is_offered=bool(workers),
    )


def _warnings(
    kind_warnings: Iterable[FoliotError], definition: Definition, now: Instant, language: Language
) -> Iterator[DefinitionWarning]:
    """What to look at again in the schedule, and in what runs."""
    schedule = definition.schedule
    for one in () if schedule is None else warnings_of(schedule, now=now, language=language):
        yield DefinitionWarning(code=one.code, sentence=one.sentence, hint=one.hint or None)
    for advice in kind_warnings:
        sentence, hint = tell(advice, language)
        yield DefinitionWarning(code=advice.code, sentence=sentence, hint=hint)


async def _check_limits(
    services: Services, who: Principal, namespace: str, definition: Definition, *, said_before: Mapping[str, int]
) -> None:
    """Raise what a save would: `LimitNotYours` for another maximum, `LimitTooSmall` for a run that takes more."""
    said_anew = {name: most for name, most in definition.limits.items() if said_before.get(name) != most}
    asked = {*said_anew, *definition.takes}
    keys = [limit_key(name, owner) for name in sorted(asked) for owner in (None, namespace)]
    found = await services.store.limits.find(keys)
    present = {(limit.name, limit.namespace): limit.max for limit in found if limit.max is not None}
    for name, wanted in definition.limits.items():
        owner = None if (name, None) in present else namespace
        max_ = present.get((name, owner), wanted)
        if name in said_anew and max_ != wanted:
            check_change(who, LimitChange(name=name, namespace=owner, max=max_, wanted=wanted))
            max_ = wanted
        takes = definition.takes.get(name, 1)
        if takes > max_:
            raise LimitTooSmall(name, takes=takes, max_=max_)


def _limits_in(job: JobRow | None) -> Mapping[str, int]:
    """The limits that the present version of a job names."""
    place = (job.document.get("place") or {}) if job is not None else {}
    return place.get("concurrency") or {}
