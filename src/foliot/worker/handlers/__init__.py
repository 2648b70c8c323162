"""Kinds of handlers that a worker executes, one file each; `ports.handler` says what a kind is."""

import json
import pkgutil
from collections.abc import Iterable, Mapping

import msgspec

from foliot.domain.errors import NotJson
from foliot.domain.payload import json_text
from foliot.ports.handler import HandlerKind, Invocable
from foliot.ports.worker_link import SCHEMA_BYTES_MAX, VERSION_MAX, HandlerOffer, KindOffer, LeasedRun
from foliot.worker.handlers.settings import set_up, written


def handler_of(kinds: Mapping[str, HandlerKind], run: LeasedRun) -> Invocable | None:
    """What executes a run, by the kind its offer begins with; None: this process has no such handler."""
    kind = kinds.get(run.handler.partition(":")[0])
    return None if kind is None else kind.handler_of(run)


def offers_of(kinds: Mapping[str, HandlerKind]) -> tuple[HandlerOffer, ...]:
    """Everything these kinds offer. A name that begins with another kind is left out: its runs would not come here."""
    return tuple(
        offer for name, kind in kinds.items() for offer in kind.offers() if offer.name.partition(":")[0] == name
    )


def stated(kind: HandlerKind) -> KindOffer:
    """What a kind states of itself; `InvalidInput` for a schema that no server would take.

    A package that was written for an older Foliot has neither attribute.
    """
    version = str(getattr(kind, "version", ""))
    schema = getattr(kind, "options_schema", None)
    if schema is not None and not isinstance(schema, Mapping):
        raise NotJson("The schema of its options", "it is not an object")
    if schema is not None:
        json_text(schema, bytes_max=SCHEMA_BYTES_MAX, what="The schema of its options")
        schema = json.loads(json.dumps(schema, default=dict))
    return KindOffer(kind=kind.kind, version=one_line(version, VERSION_MAX), options=schema)


def one_line(text: str, longest: int) -> str:
    """A text as messages of workers may hold it."""
    letters = [letter if letter.isprintable() else " " for letter in text]
    return " ".join("".join(letters).split())[:longest]


class KindToMake(msgspec.Struct, frozen=True):
    """A kind as a child process makes it again."""

    path: str  # of its class: package.module:Class
    settings: str | None = None  # as JSON; None: the kind has none


def to_make(kind: HandlerKind) -> KindToMake:
    """How a child process makes this kind."""
    return KindToMake(f"{type(kind).__module__}:{type(kind).__qualname__}", written(kind))


def made_again(kinds: Iterable[KindToMake]) -> tuple[dict[str, HandlerKind], list[str]]:
    """These kinds, by name; and for each that does not load, why not."""
    made: dict[str, HandlerKind] = {}
    problems = []
    for order in kinds:
        try:
            kind = pkgutil.resolve_name(order.path)()
            set_up(kind, msgspec.json.decode(order.settings or "{}"))
        except Exception as error:  # noqa: BLE001  whatever a package does when it is imported
            problems.append(f"{order.path} cannot be loaded: {type(error).__name__}: {error}")
        else:
            made[kind.kind] = kind
    return made, problems
