"""The kinds of handlers that this installation has: those of the table `HANDLERS`, and those of installed packages."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from foliot.app.plugins import HANDLERS, Installed, UnknownPart, load, log
from foliot.domain.errors import InvalidInput
from foliot.ports.handler import BadHandlerSetting, HandlerKind
from foliot.worker.handlers import offers_of
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


class InstalledKinds(Installed[HandlerKind]):
    """`ports.handler.HandlerKinds` of this installation."""

    def __init__(self) -> None:
        super().__init__(GROUP, _made)


def beside_python(settings: HandlerSettings = NO_SETTINGS) -> list[HandlerKind]:
    """What a worker executes beside Python functions, which it has to load itself. Each kind has its settings.

    Foliot's own kinds call URLs, start processes and change databases: a worker has only those that its user named. A
    package was installed to be used: its kind needs no word, and one that does not work is left out. A user who names a
    kind wants it: then what keeps it from working is raised.
    """
    kinds = InstalledKinds()
    others = sorted({*kinds.names()} - {PYTHON})
    for name, values in settings.items():
        if name == PYTHON:
            raise BadHandlerSetting(PYTHON, next(iter(values), ""), "this kind has no settings")
        if name not in others:
            raise UnknownPart("handler", name, others)
        if kinds.find(name) is None:
            load(GROUP, name)  # raises why
    wanted = [name for name in others if name in settings or name not in HANDLERS]
    found = [kind for name in wanted if (kind := kinds.find(name)) is not None]
    return [kind for kind in found if _works(kind, settings.get(kind.kind))]


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


def check_something_to_execute(modules: Sequence[str], kinds: Sequence[HandlerKind]) -> None:
    """Refuse a worker that could execute nothing."""
    if not modules and not offers_of({kind.kind: kind for kind in kinds}):
        raise NothingToExecute


def _made(kind: Any) -> HandlerKind:
    made: HandlerKind = kind()
    return made


def _works(kind: HandlerKind, values: Mapping[str, Any] | None) -> bool:
    """Set a kind up and ask it for its offers once."""
    try:
        set_up(kind, values or {})
        kind.offers()
    except Exception as error:
        if values is not None:
            raise
        log.error("handler.not_offered", handler=kind.kind, why=str(error)[:300])
        return False
    return True
