"""What can be chosen by name: the tables of Foliot's own parts, and what installed packages add to them.

A table is a plain dict, name → "module:object", and a part is imported when it is chosen, so that what an optional part
needs is needed only then. A package adds a part by an entry point in the table's group, under a name nobody has yet:

    [project.entry-points."foliot.handlers"]
    grpc = "my_package.grpc:GrpcHandler"
"""

import pkgutil
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Generic, TypeVar

import structlog

from foliot.domain.errors import ClusterTrouble, Conflict, InvalidInput
from foliot.domain.routing import ROUTES
from foliot.store.sql.kernel.dialects import DIALECTS

HANDLERS: Final[Mapping[str, str]] = {
    "http": "foliot.worker.handlers.http.kind:HttpHandlers",
    "python": "foliot.worker.handlers.python:PythonHandlers",
    "shell": "foliot.worker.handlers.shell.kind:Shell",
    "sql": "foliot.worker.handlers.sql:SqlHandlers",
}

STORES: Final[Mapping[str, str]] = dict.fromkeys(DIALECTS, "foliot.store.sql.store:SqlStore.open")
"""By the scheme of a store's URL; every SQL dialect is served by the same store."""

COORDINATORS: Final[Mapping[str, str]] = {
    "store": "foliot.coordination.store:StoreCoordinator",
    "file": "foliot.coordination.file:file_coordinator",
    "redis": "foliot.coordination.redis:redis_coordinator",
    "rediss": "foliot.coordination.redis:redis_coordinator",
    "etcd": "foliot.coordination.etcd:etcd_coordinator",
    "zookeeper": "foliot.coordination.zookeeper:zookeeper_coordinator",
}

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "foliot.handlers": HANDLERS,
    "foliot.stores": STORES,
    "foliot.coordinators": COORDINATORS,
    "foliot.routes": ROUTES,
}
"""Group of entry points → the table they add to."""

Part = TypeVar("Part")

log = structlog.get_logger("foliot.plugins")


class UnknownPart(InvalidInput):
    """A part is chosen by a name that no table and no installed package has."""

    code = "FOL-1098"

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = ", ".join(sorted(known)) or "none"
        super().__init__(
            f'There is no {kind} "{name}".',
            hint=f"known are: {names}; install the package that brings another",
            kind=kind,
            name=name,
            known=names,
        )


class PartNotLoaded(ClusterTrouble):
    """A part that was chosen cannot be imported."""

    code = "FOL-5024"

    def __init__(self, kind: str, name: str, target: str, why: str) -> None:
        super().__init__(
            f'The {kind} "{name}" ({target}) cannot be loaded: {why}.',
            hint="install what it needs, or choose another",
            kind=kind,
            name=name,
            target=target,
            why=why,
        )


class PartNameTaken(Conflict):
    """An installed package brings a part under a name that another part has."""

    code = "FOL-3031"

    def __init__(self, kind: str, name: str, *, package: str, owner: str) -> None:
        super().__init__(
            f'The package {package} brings a {kind} "{name}", a name that {owner} has already.',
            hint=f"uninstall {package}, or have its {kind} renamed",
            kind=kind,
            name=name,
            package=package,
            owner=owner,
        )


def known(group: str) -> dict[str, str]:
    """Every name of a table with what it leads to: Foliot's own first, then those of installed packages."""
    table = dict(TABLES[group])
    owners = dict.fromkeys(table, "Foliot")
    for point in sorted(entry_points(group=group), key=_package_of):
        if point.name in table:
            raise PartNameTaken(_kind_of(group), point.name, package=_package_of(point), owner=owners[point.name])
        table[point.name] = point.value
        owners[point.name] = _package_of(point)
    return table


def load(group: str, name: str) -> Any:
    """The part of this name, imported now."""
    table = known(group)
    kind = _kind_of(group)
    if name not in table:
        raise UnknownPart(kind, name, table)
    try:
        return pkgutil.resolve_name(table[name])
    except Exception as error:  # whatever a package does while it is imported
        raise PartNotLoaded(kind, name, table[name], f"{type(error).__name__}: {error}") from error


class Installed(Generic[Part]):
    """All parts of one table. The names are read once; each part is imported when it is first used.

    A part that cannot be made is logged, and then it is not there: the other parts must not suffer from it.
    """

    def __init__(self, group: str, make: Callable[[Any], Part]) -> None:
        """`make`: the part, from what its name leads to."""
        self._group = group
        self._make = make
        self._names = frozenset(known(group))
        self._made: dict[str, Part | None] = {}

    def names(self) -> Collection[str]:
        return self._names

    def find(self, name: str) -> Part | None:
        if name not in self._names:
            return None
        if name not in self._made:
            self._made[name] = self._made_or_none(name)
        return self._made[name]

    def _made_or_none(self, name: str) -> Part | None:
        try:
            return self._make(load(self._group, name))
        except Exception as error:  # noqa: BLE001  a package's own code
            log.error("part.not_loaded", kind=_kind_of(self._group), name=name, why=str(error)[:300])
            return None


def _kind_of(group: str) -> str:
    """What one row of the table is called: `handler` of `foliot.handlers`."""
    return group.removeprefix("foliot.").removesuffix("s")


def _package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(unknown)"
