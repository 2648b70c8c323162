"""The kinds of handlers that this installation has: those of the table `HANDLERS`, and those of installed packages."""

from collections.abc import Collection
from typing import Final

import structlog

from foliot.app import plugins
from foliot.ports.handler import HandlerKind

log = structlog.get_logger("foliot.plugins")

GROUP: Final = "foliot.handlers"


class InstalledKinds:
    """`ports.handler.HandlerKinds`: the names are read once, each kind is imported when somebody asks for it."""

    def __init__(self) -> None:
        self._names = frozenset(plugins.known(GROUP))
        self._made: dict[str, HandlerKind | None] = {}

    def names(self) -> Collection[str]:
        return self._names

    def find(self, kind: str) -> HandlerKind | None:
        if kind not in self._names:
            return None
        if kind not in self._made:
            self._made[kind] = _made(kind)
        return self._made[kind]


def beside_python() -> list[HandlerKind]:
    """What a worker executes beside Python functions, which it has to load itself."""
    kinds = InstalledKinds()
    found = [kinds.find(name) for name in sorted(kinds.names()) if name != "python"]
    return [kind for kind in found if kind is not None]


def _made(name: str) -> HandlerKind | None:
    """A kind; None for one that cannot be made: the others must not suffer from it."""
    try:
        kind: HandlerKind = plugins.load(GROUP, name)()
        kind.offers()
    except Exception as error:  # noqa: BLE001  a package's own code
        log.error("handler.not_loaded", kind=name, why=str(error)[:300])
        return None
    return kind
