"""Kinds of handlers: which ones a job may have, and what a job of a kind does, in a few words."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from foliot.domain.errors import BadField, FoliotError, InvalidInput
from foliot.domain.handler import JobHandler, handler_from, kind_of
from foliot.domain.job import Definition
from foliot.domain.names import nearest
from foliot.domain.own_parameters import ParameterMayLack, check_named, may_lack
from foliot.domain.secret_references import check_references
from foliot.operations.services import Services
from foliot.ports.handler import HandlerKind, HandlerKinds, KindWithAdvice, KindWithParameters
from foliot.ports.secrets import KindWithSecretFields, KindWithSecrets
from foliot.ports.store.lookups import RunRow
from foliot.ports.worker_link import Hello

ADVICE_MAX: Final = 20


class UnservedKind(InvalidInput):
    """A job is of a kind that no worker executes: its runs would wait for ever."""

    code = "FOL-1099"

    def __init__(self, kind: str, known: Collection[str]) -> None:
        names = ", ".join(sorted(known))
        meant = nearest(kind, known)
        advice = f"did you mean {meant}? " if meant else ""
        super().__init__(
            f'No worker serves jobs of the kind "{kind}".',
            hint=f"{advice}known are: {names}; a worker that offers {kind} must be online before the job is saved",
            kind=kind,
            known=names,
            meant=meant,
        )


async def check_kind(services: Services, namespace: str, definition: Definition) -> None:
    """Refuse options that the kind refuses, and a kind that neither this server knows nor a live worker offers."""
    handler = definition.handler
    check_references("params", definition.params, fields=())  # people read them, and every run is kept with its own
    kind = services.kinds.find(handler.kind)
    if kind is not None:
        _check_options(kind, definition)
        return
    offered = await _offered(services, namespace)
    if handler.kind not in offered:
        services.offers.forget()  # what is known may be some seconds old: a worker may just have come
        offered = await _offered(services, namespace)
    if handler.kind not in offered:
        raise UnservedKind(handler.kind, {*services.kinds.names(), *offered})


def check_declared(kinds: HandlerKinds, hello: Hello, definition: Definition) -> None:
    """The same for a job that a worker declares: what the worker itself offers counts."""
    handler = definition.handler
    check_references("params", definition.params, fields=())
    kind = kinds.find(handler.kind)
    if kind is not None:
        _check_options(kind, definition)
        return
    offered = {kind_of(offer.name) for offer in hello.handlers}
    if handler.kind not in offered:
        raise UnservedKind(handler.kind, {*kinds.names(), *offered})


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


def advice_on(kinds: HandlerKinds, definition: Definition) -> list[FoliotError]:
    """What works in a definition, but perhaps not as its author means it."""
    kind = kinds.find(definition.handler.kind)
    if kind is None:
        return []
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
    check_references(f"run.{handler.kind}", handler.options, fields=_filled_by(kind))


def _filled_by(kind: HandlerKind) -> Collection[str] | None:
    """The options in which a kind fills secrets; None: in all of them."""
    if not isinstance(kind, KindWithSecrets):
        return ()
    return kind.secret_fields if isinstance(kind, KindWithSecretFields) else None


async def _offered(services: Services, namespace: str) -> set[str]:
    workers = await services.offers.workers(namespace)
    return {kind_of(name) for worker in workers for name in worker.handlers}
