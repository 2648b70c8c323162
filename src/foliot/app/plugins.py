"""What can be chosen by name: the tables of Foliot's own parts, and what installed packages add to them.

A table is a plain dict, name → "module:object", and a part is imported when it is chosen, so that what an optional part
needs is needed only then. A package adds a part by an entry point in the table's group, under a name nobody has yet:

    [project.entry-points."foliot.handlers"]
    grpc = "my_package.grpc:GrpcHandler"
"""

import pkgutil
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Generic, NamedTuple, TypeVar

import structlog

from foliot.domain.errors import ClusterTrouble, Conflict, FoliotError, InvalidInput
from foliot.domain.redaction import redacted
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

NOTIFIERS: Final[Mapping[str, str]] = {
    "apprise": "foliot.notify.apprise:Apprise",
    "dingtalk": "foliot.notify.dingtalk:DingTalk",
    "email": "foliot.notify.email:Email",
    "feishu": "foliot.notify.feishu:Feishu",
    "ntfy": "foliot.notify.ntfy:Ntfy",
    "pagerduty": "foliot.notify.pagerduty:PagerDuty",
    "slack": "foliot.notify.slack:Slack",
    "teams": "foliot.notify.teams:Teams",
    "telegram": "foliot.notify.telegram:Telegram",
    "webhook": "foliot.notify.webhook:Webhook",
    "wecom": "foliot.notify.wecom:WeCom",
}

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "foliot.handlers": HANDLERS,
    "foliot.stores": STORES,
    "foliot.coordinators": COORDINATORS,
    "foliot.routes": ROUTES,
    "foliot.notifiers": NOTIFIERS,
}
"""Group of entry points → the table they add to."""

WHY_MAX: Final = 500

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


class TableRow(NamedTuple):
    """One row of a table: where its part is, and which package brings it."""

    target: str
    package: str = "Foliot"
    version: str = ""


class FailedPart(NamedTuple):
    """A part that an installed package brings, and that is not there."""

    name: str
    package: str
    version: str
    why: str


def known(group: str) -> dict[str, str]:
    """Every name of a table with what it leads to: Foliot's own first, then those of installed packages."""
    table, clashes = _rows_of(group)
    for clash in clashes:
        raise clash
    return {name: row.target for name, row in table.items()}


def _rows_of(group: str) -> tuple[dict[str, TableRow], list[PartNameTaken]]:
    """The table, and what packages bring under a name that is taken."""
    table = {name: TableRow(target) for name, target in TABLES[group].items()}
    clashes: list[PartNameTaken] = []
    for point in sorted(entry_points(group=group), key=_package_of):
        package, version = _package_of(point), point.dist.version if point.dist is not None else ""
        if point.name in table:
            owner = table[point.name].package
            clashes.append(PartNameTaken(_kind_of(group), point.name, package=package, owner=owner))
            continue
        table[point.name] = TableRow(point.value, package, version)
    return table, clashes


def load(group: str, name: str) -> Any:
    """The part of this name, imported now."""
    table = known(group)
    if name not in table:
        raise UnknownPart(_kind_of(group), name, table)
    return _imported(group, name, table[name])


def _imported(group: str, name: str, target: str) -> Any:
    try:
        return pkgutil.resolve_name(target)
    except (Exception, SystemExit) as error:  # whatever a package does while it is imported
        raise PartNotLoaded(_kind_of(group), name, target, f"{type(error).__name__}: {error}") from error


class Installed(Generic[Part]):
    """All parts of one table. The names are read once; each part is imported when it is first used.

    A part that cannot be made is logged, and then it is not there: the other parts must not suffer from it.
    """

    def __init__(self, group: str, make: Callable[[str, Any], Part]) -> None:
        """`make`: the part, from its name and what that leads to."""
        self._group = group
        self._make = make
        self._table, clashes = _rows_of(group)
        self._made: dict[str, Part | None] = {}
        self.failed: list[FailedPart] = []
        for clash in clashes:
            self._fail(clash.data["name"], TableRow("", clash.data["package"]), clash)

    def names(self) -> Collection[str]:
        return self._table.keys()

    def is_own(self, name: str) -> bool:
        """Whether a part comes with Foliot, and from no other package."""
        return name in TABLES[self._group]

    def find(self, name: str) -> Part | None:
        if name not in self._table:
            return None
        if name not in self._made:
            self._made[name] = self._made_or_none(name)
        return self._made[name]

    def get(self, name: str) -> Part:
        """The part, or the error why it is not there."""
        row = self._table[name]
        return self._make(name, _imported(self._group, name, row.target))

    def fail(self, name: str, error: BaseException) -> None:
        """Note that a part cannot be used."""
        self._made[name] = None
        self._fail(name, self._table[name], error)

    def _made_or_none(self, name: str) -> Part | None:
        try:
            return self.get(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  a package's own code
            self._fail(name, self._table[name], error)
            return None

    def _fail(self, name: str, row: TableRow, error: BaseException) -> None:
        why = redacted(_why(error))[:WHY_MAX]
        self.failed.append(FailedPart(name, row.package, row.version, why))
        log.error("part.not_loaded", kind=_kind_of(self._group), name=name, package=row.package, why=why)


def _kind_of(group: str) -> str:
    """What one row of the table is called: `handler` of `foliot.handlers`."""
    return group.removeprefix("foliot.").removesuffix("s")


def _why(error: BaseException) -> str:
    if isinstance(error, PartNotLoaded):
        return str(error.data["why"])
    return error.sentence if isinstance(error, FoliotError) else f"{type(error).__name__}: {error}"


def _package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(unknown)"
