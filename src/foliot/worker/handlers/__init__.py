"""Kinds of handlers that a worker executes, one file each; `ports.handler` says what a kind is."""

import pkgutil
from collections.abc import Iterable, Mapping

from foliot.ports.handler import HandlerKind, Invocable
from foliot.ports.worker_link import HandlerOffer, LeasedRun


def handler_of(kinds: Mapping[str, HandlerKind], run: LeasedRun) -> Invocable | None:
    """What executes a run, by the kind its offer begins with; None: this process has no such handler."""
    kind = kinds.get(run.handler.partition(":")[0])
    return None if kind is None else kind.handler_of(run)


def offers_of(kinds: Mapping[str, HandlerKind]) -> tuple[HandlerOffer, ...]:
    """Everything these kinds offer. A name that begins with another kind is left out: its runs would not come here."""
    return tuple(
        offer for name, kind in kinds.items() for offer in kind.offers() if offer.name.partition(":")[0] == name
    )


def path_of(kind: HandlerKind) -> str:
    """Where a child process finds the class of a kind: `package.module:Class`."""
    return f"{type(kind).__module__}:{type(kind).__qualname__}"


def made_again(paths: Iterable[str]) -> tuple[dict[str, HandlerKind], list[str]]:
    """The kinds of these classes, by name; and for each that does not load, why not."""
    kinds: dict[str, HandlerKind] = {}
    problems = []
    for path in paths:
        try:
            kind = pkgutil.resolve_name(path)()
        except Exception as error:  # noqa: BLE001  whatever a package does when it is imported
            problems.append(f"{path} cannot be loaded: {type(error).__name__}: {error}")
        else:
            kinds[kind.kind] = kind
    return kinds, problems
