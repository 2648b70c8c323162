"""Kinds of handlers: which ones a job may have, and what a job of a kind does, in a few words."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from foliot.domain.errors import BadField, FoliotError, InvalidInput
from foliot.domain.handler import PYTHON, JobHandler, handler_from
from foliot.domain.job import Definition, lane_of
from foliot.domain.names import nearest
from foliot.domain.own_parameters import ParameterMayLack, check_named, may_lack
from foliot.domain.routing.choice import check_known
from foliot.domain.schema import PATH_MAX, STEPS_MAX, SchemaProblem, TakesLong, check
from foliot.domain.secret_references import check_references
from foliot.operations.older_servers import check_fields_known, has_new_fields, oldest_server
from foliot.operations.services import Services
from foliot.operations.side_thread import in_side_thread
from foliot.ports.handler import HandlerKind, HandlerKinds, KindWithAdvice, KindWithParameters
from foliot.ports.secrets import KindWithSecretFields, KindWithSecrets
from foliot.ports.store.lookups import RunRow
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import Hello, KindOffer

STEPS_ON_LOOP: Final = 4000  # of a check of options on the loop of a server

ADVICE_MAX: Final = 20


class UnservedKind(InvalidInput):
    """A job is of a kind that no live worker offers: it is saved with this warning, and its runs wait."""

    code = "FOL-1099"

    def __init__(self, kind: str, known: Collection[str]) -> None:
        names = ", ".join(sorted(known))
        meant = None if kind in known else nearest(kind, known)
        advice = f"did you mean {meant}? " if meant else ""
        super().__init__(
            f'No live worker that may run this job offers the kind "{kind}": its runs wait until one does.',
            hint=f"{advice}start a worker that offers {kind}; known are: {names}",
            kind=kind,
            known=names,
            meant=meant,
        )


class OptionsRefused(InvalidInput):
    """Options of a job that no live worker's version of its kind takes."""

    code = "FOL-1114"

    def __init__(self, kind: str, versions: Collection[str], problems: Sequence[SchemaProblem]) -> None:
        """`problems`: by the schema of the newest worker's version."""
        super().__init__(
            f"{'; '.join(map(str, problems))}.",
            hint=f"see its options: foliot handler show {kind}",
            kind=kind,
            versions=", ".join(filter(None, versions)),
            path=problems[0].path[:PATH_MAX],
            errors=[{"path": problem.path[:PATH_MAX], "message": problem.said} for problem in problems],
        )


async def check_kind(services: Services, namespace: str, definition: Definition) -> Sequence[FoliotError]:
    """Refuse options that the kind refuses; return what a user should know of a definition that can be saved.

    A kind of Foliot's own checks its options itself, the same on every server. What a package brings is judged by the
    live workers that have it, because they execute it: another version may stand beside the server. Where no worker
    has it, the package beside the server judges, if there is one.
    """
    handler = definition.handler
    check_known(definition.route, services.route_names())
    if has_new_fields(definition):
        check_fields_known(definition, await oldest_server(services))
    check_references("params", definition.params, fields=())  # people read them, and every run is kept with its own
    kind = services.kinds.find(handler.kind)
    is_own = services.kinds.is_own(handler.kind)
    versions = () if handler.kind == PYTHON else await _live_versions(services, namespace, definition)
    advice: list[FoliotError] = []
    if versions and not is_own:
        await _check_by_offers(versions, handler)
    elif kind is not None:
        _check_options(kind, definition)
        advice = advice_on(kind, definition)
    if kind is not None:
        check_references(f"run.{handler.kind}", handler.options, fields=_filled_by(kind))
    if versions or handler.kind == PYTHON:  # which functions there are is another question: `is_offered` answers it
        return advice
    workers = await services.offers.workers(namespace)
    offered = {stated.kind for worker in workers for stated in worker.kinds.loaded}
    return [*advice, UnservedKind(handler.kind, {*services.kinds.names(), *offered})]


async def _live_versions(services: Services, namespace: str, definition: Definition) -> Sequence[KindOffer]:
    lane = lane_of(0, definition, namespace=namespace)
    versions = await services.offers.versions_of(lane)
    if not versions:
        services.offers.forget()  # what is known may be some seconds old: a worker may just have come
        versions = await services.offers.versions_of(lane)
    return versions


async def _check_by_offers(versions: Sequence[KindOffer], handler: JobHandler) -> None:
    """Raise `OptionsRefused` unless some version takes the options. Steps are bounded: nobody waits for a schema."""
    try:
        check_by_offers(versions, handler, steps_max=STEPS_ON_LOOP)
    except TakesLong:
        with suppress(TakesLong):  # the worker judges what takes longer still
            await in_side_thread(check_by_offers, versions, handler, steps_max=STEPS_MAX)


def check_by_offers(versions: Sequence[KindOffer], handler: JobHandler, *, steps_max: int) -> None:
    """The same at once; `TakesLong` when all versions together need more steps."""
    refused: list[SchemaProblem] = []
    for stated in versions:
        problems = _problems(stated, handler, steps_max // len(versions))
        if not problems:
            return
        refused = refused or problems  # the newest worker's words
    names = [stated.version for stated in versions]
    raise OptionsRefused(handler.kind, names, refused)


def _problems(stated: KindOffer, handler: JobHandler, steps_max: int) -> list[SchemaProblem]:
    if stated.options is None:
        return []
    return check(stated.options, handler.options, path=f"run.{handler.kind}", patience=steps_max)


def check_declared(
    kinds: HandlerKinds, routes: Collection[str], oldest: NodeRow | None, hello: Hello, definition: Definition
) -> None:
    """The same for a job that a worker declares: of a package's kind, what the worker itself states counts.

    `oldest`: the live server that knows least, if that is not everything.
    """
    handler = definition.handler
    check_known(definition.route, routes)
    check_fields_known(definition, oldest)
    check_references("params", definition.params, fields=())
    stated = [one for one in hello.kinds if one.kind == handler.kind]
    kind = kinds.find(handler.kind)
    if stated and not kinds.is_own(handler.kind):
        with suppress(TakesLong):  # the worker judges its own job
            check_by_offers(stated, handler, steps_max=STEPS_ON_LOOP)
    elif kind is not None:
        _check_options(kind, definition)
    if kind is not None:
        check_references(f"run.{handler.kind}", handler.options, fields=_filled_by(kind))


def what_runs(kinds: HandlerKinds, document: Mapping[str, Any], part: str = "run") -> str | None:
    """What a job executes, in a few words: `http: GET https://example.org`. `part`: `run`, or `merge` of its shards.

    None when this server cannot read that part: during a rolling upgrade a newer Foliot may have written it.
    """
    try:
        handler = handler_from(document.get(part), part)
    except InvalidInput:
        return None
    return f"{handler.kind}: {_described(kinds, handler)}"


async def what_run_executes(services: Services, run: RunRow) -> str | None:
    """The same for one run, by its own version; None when that is gone."""
    version = await services.store.lookups.version(run.job_id, run.version)
    if version is None:
        return None
    is_merge = run.parent_id is not None and run.shard < 0
    return what_runs(services.kinds, version.document, "merge" if is_merge else "run")


def _described(kinds: HandlerKinds, handler: JobHandler) -> str:
    kind = kinds.find(handler.kind)
    try:
        return handler.label if kind is None else kind.describe(handler.options)
    except Exception:  # noqa: BLE001  a package's own code, and options that an older version of it took
        return handler.label


def advice_on(kind: HandlerKind, definition: Definition) -> list[FoliotError]:
    """What works in a definition, but perhaps not as its author means it."""
    lacking = may_lack(definition)
    named = dict.fromkeys(_parameters_in(kind, definition))
    found: list[FoliotError] = [ParameterMayLack(where, name) for where, name in named if name in lacking]
    if isinstance(kind, KindWithAdvice):
        found += kind.advice(definition)
    return found[:ADVICE_MAX]


def _parameters_in(kind: HandlerKind, definition: Definition) -> Iterable[tuple[str, str]]:
    """The parameters that the options name, where the job says what parameters it has."""
    if not definition.parameters or not isinstance(kind, KindWithParameters):
        return ()
    return kind.parameters_in(definition.handler.options)


def _check_options(kind: HandlerKind, definition: Definition) -> None:
    handler = definition.handler
    try:
        kind.validate(handler.options)
        for where, name in _parameters_in(kind, definition):
            check_named(definition, where, name)
    except FoliotError:
        raise
    except Exception as error:
        why = f"the kind cannot read its options ({type(error).__name__}: {error})"[:300]
        raise BadField(f"run.{handler.kind}", why) from error


def _filled_by(kind: HandlerKind) -> Collection[str] | None:
    """The options in which a kind fills secrets; None: in all of them."""
    if not isinstance(kind, KindWithSecrets):
        return ()
    return kind.secret_fields if isinstance(kind, KindWithSecretFields) else None
