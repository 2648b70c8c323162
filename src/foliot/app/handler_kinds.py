"""The kinds of handlers that this installation has: those of the table `HANDLERS`, and those of installed packages."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from foliot.app.plugins import HANDLERS, FailedPart, Installed, UnknownPart
from foliot.domain.errors import InvalidInput
from foliot.domain.handler import KIND_BYTES_MAX
from foliot.ports.handler import BadHandlerSetting, HandlerKind
from foliot.ports.worker_link import FAILURE_MAX, VERSION_MAX, KindFailure
from foliot.worker.handlers import offers_of, one_line, stated
from foliot.worker.handlers.settings import set_up

GROUP: Final = "foliot.handlers"
PYTHON: Final = "python"
HTTP: Final = "http"
ON_ONE_MACHINE: Final = (HTTP, "sql")  # kinds that `foliot up` has without a word: no shell

HandlerSettings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What a worker is told of its kinds: kind → key → value, as people wrote it. Naming a kind here enables it."""
NO_SETTINGS: Final[HandlerSettings] = {}


class NothingToExecute(InvalidInput):
    """A worker has no jobs of its own and no other kind of handler: no run could ever go to it."""

    code = "FOL-1096"

    def __init__(self) -> None:
        super().__init__(
            "This worker has nothing to execute: no module with jobs was named, and no installed package offers "
            "another kind of handler.",
            hint='name a module (foliot worker billing.jobs; in a program jobs=["billing.jobs"]), or install a package '
            "that brings a kind of handler",
        )


class KindNamedOtherwise(InvalidInput):
    """A package lists a kind of handler under one name, and its class has another."""

    code = "FOL-1115"

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(
            f'The class that is listed as handler "{name}" says that it is the kind "{kind}".',
            hint="the entry point and the attribute kind must be the same word",
            name=name,
            kind=kind,
        )


class InstalledKinds(Installed[HandlerKind]):
    """`ports.handler.HandlerKinds` of this installation."""

    def __init__(self) -> None:
        super().__init__(GROUP, _made)


class KindsHere(NamedTuple):
    """What a worker executes beside Python functions."""

    kinds: list[HandlerKind]
    failed: tuple[KindFailure, ...] = ()  # installed kinds that do not work here; people see them at the node


def beside_python(settings: HandlerSettings = NO_SETTINGS) -> KindsHere:
    """What a worker executes beside Python functions, which it has to load itself. Each kind has its settings.

    Foliot's own kinds call URLs, start processes and change databases: a worker has only those that its user named,
    and what keeps such a kind from working is raised. A package was installed to be used: its kind needs no word. One
    that does not work is left out and reported: it must stop neither the worker nor another kind.
    """
    kinds = InstalledKinds()
    others = sorted({*kinds.names()} - {PYTHON})
    for name, values in settings.items():
        if name == PYTHON:
            raise BadHandlerSetting(PYTHON, next(iter(values), ""), "this kind has no settings")
        if name not in others:
            raise UnknownPart("handler", name, others)
    found = [
        *(_of_foliot(kinds, name, settings[name]) for name in others if name in settings and name in HANDLERS),
        *(_of_package(kinds, name, settings.get(name, {})) for name in others if name not in HANDLERS),
    ]
    return KindsHere([kind for kind in found if kind is not None], tuple(map(_failure, kinds.failed)))


def _of_foliot(kinds: InstalledKinds, name: str, values: Mapping[str, Any]) -> HandlerKind:
    kind = kinds.get(name)
    set_up(kind, values)
    kind.offers()
    return kind


def _of_package(kinds: InstalledKinds, name: str, values: Mapping[str, Any]) -> HandlerKind | None:
    """Set a kind up, and ask it for its offers and its schema once. Settings are the user's: bad ones are raised."""
    kind = kinds.find(name)
    if kind is None:
        return None
    try:
        set_up(kind, values)
        kind.offers()
        stated(kind)
    except BadHandlerSetting:
        raise
    except Exception as error:  # noqa: BLE001  a package's own code
        kinds.fail(name, error)
        return None
    return kind


def _failure(failed: FailedPart) -> KindFailure:
    """The same, as a worker's message may hold it."""
    return KindFailure(
        kind=one_line(failed.name, KIND_BYTES_MAX) or "?",
        package=one_line(failed.package, VERSION_MAX),
        version=one_line(failed.version, VERSION_MAX),
        why=one_line(failed.why, FAILURE_MAX),
    )


def of_one_machine(settings: HandlerSettings) -> HandlerSettings:
    """The settings of a worker that serves its own machine: it has `http`, which may call that machine, and `sql`.

    What this installation cannot load stays away; a user who names it is told why.
    """
    kinds = InstalledKinds()
    chosen = dict(settings)
    for name in ON_ONE_MACHINE:
        if name in HANDLERS and kinds.find(name) is not None:
            chosen.setdefault(name, {})
    if HTTP in chosen:
        chosen[HTTP] = {"allow": ["loopback"], **chosen[HTTP]}
    return chosen


def check_something_to_execute(modules: Sequence[str], here: KindsHere) -> None:
    """Refuse a worker that could execute nothing. One whose packages fail starts: its node shows why."""
    if not modules and not here.failed and not offers_of({kind.kind: kind for kind in here.kinds}):
        raise NothingToExecute


def _made(name: str, kind: Any) -> HandlerKind:
    made: HandlerKind = kind()
    if made.kind != name:
        raise KindNamedOtherwise(name, str(made.kind)[:KIND_BYTES_MAX])
    return made
