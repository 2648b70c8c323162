"""Handlers: the kinds in the cluster, their versions, the nodes that offer them, their options, and what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import NotFound
from foliot.domain.handler import KIND_BYTES_MAX
from foliot.domain.names import nearest
from foliot.operations.services import Services
from foliot.ports.store.node_row import NodeRow
from foliot.ports.worker_link import KindFailure, KindOffer


class KindNotFound(NotFound):
    """No node has a kind of handler of this name, and Foliot has none either."""

    code = "FOL-2020"

    def __init__(self, kind: str, *, nearest: str | None = None) -> None:
        shown = kind[:KIND_BYTES_MAX]
        super().__init__(
            f'No kind of handler "{shown}".',
            hint=f"did you mean {nearest}?" if nearest else "see all: foliot handler list",
            kind=shown,
            nearest=nearest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KindVersion:
    """One version of a kind, as live workers offer it."""

    version: str
    nodes: Sequence[str]
    options: Mapping[str, Any] | None  # JSON Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAt:
    """A package whose kind does not work at a node."""

    node: str
    failed: KindFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSeen:
    """A kind of handler."""

    kind: str
    is_own: bool  # it comes with Foliot
    versions: Sequence[KindVersion]  # the newest worker's first
    failed: Sequence[FailedAt]
    options: Mapping[str, Any] | None = None  # JSON Schema: the newest worker's, else this server's


async def list_kinds(services: Services, who: Principal) -> list[KindSeen]:
    """Every kind that live workers offer or could not load, and Foliot's own, by name."""
    who.demand(Scope.READ)
    found = {name: _Gathered() for name in services.kinds.names() if services.kinds.is_own(name)}
    for worker in await _workers(services, who):
        for stated in worker.kinds.loaded:
            found.setdefault(stated.kind, _Gathered()).add(worker.name, stated)
        if who.is_limited:
            continue  # why a package failed may name files of a machine: who sees no nodes does not see it
        for failed in worker.kinds.failed:
            found.setdefault(failed.kind, _Gathered()).failed.append(FailedAt(node=worker.name, failed=failed))
    return [found[kind].seen(kind, services) for kind in sorted(found)]


async def find_kind(services: Services, who: Principal, kind: str) -> KindSeen:
    """One kind, with the schema of its options."""
    known = await list_kinds(services, who)
    found = next((one for one in known if one.kind == kind), None)
    if found is None:
        raise KindNotFound(kind, nearest=nearest(kind, [one.kind for one in known]))
    if found.options is not None or not found.is_own:
        return found
    here = services.kinds.find(kind)
    options = None if here is None else here.options_schema
    return KindSeen(kind=kind, is_own=True, versions=found.versions, failed=found.failed, options=options)


async def _workers(services: Services, who: Principal) -> list[NodeRow]:
    """Live workers that may run jobs of the token's namespace and group, the newest first (SEC-05)."""
    rows = await services.store.lookups.nodes()
    workers = [row for row in rows if row.kind != "server" and _serves(row, who)]
    return sorted(workers, key=_started, reverse=True)


def _serves(row: NodeRow, who: Principal) -> bool:
    is_for_namespace = who.namespace is None or row.namespace in (None, who.namespace)
    return is_for_namespace and who.group in (None, row.group)


def _started(row: NodeRow) -> int:
    return row.started_at


class _Gathered:
    """What workers say of one kind."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, None]] = {}  # by version
        self.options: dict[str, Mapping[str, Any] | None] = {}
        self.failed: list[FailedAt] = []

    def add(self, node: str, stated: KindOffer) -> None:
        self.nodes.setdefault(stated.version, {})[node] = None
        self.options.setdefault(stated.version, stated.options)

    def seen(self, kind: str, services: Services) -> KindSeen:
        versions = [
            KindVersion(version=version, nodes=sorted(names), options=self.options[version])
            for version, names in self.nodes.items()
        ]
        described = next((one.options for one in versions if one.options is not None), None)
        is_own = services.kinds.is_own(kind)
        return KindSeen(kind=kind, is_own=is_own, versions=versions, failed=self.failed, options=described)
