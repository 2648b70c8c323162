"""Servers of an older version: what they do not know must not stand in a job while they live.

A server that cannot read a definition starts no run of it. It puts off the fires and the runs that it meets, so they
come late although nothing else is wrong. docs/reference/compatibility.md.
"""

from foliot.domain.errors import InvalidInput
from foliot.domain.job import Definition
from foliot.operations.services import Services
from foliot.ports.store.node_row import NodeRow


class RoutesUnknown(InvalidInput):
    """A job with a route or wishes, and a live server that does not know them."""

    code = "FOL-1240"

    def __init__(self, server: str, version: str) -> None:
        super().__init__(
            f"{server} (foliot {version}) knows no routes and would put off the runs of this job.",
            hint=f"upgrade or stop {server}, or leave out route, prefer, avoid and spread of place",
            server=server,
            version=version,
        )


async def server_without_routes(services: Services) -> NodeRow | None:
    """A live server that does not know routes and wishes."""
    nodes = await services.store.lookups.nodes()
    older = [node for node in nodes if node.ignores_routes]
    if not older:
        return None
    now = await services.store.lookups.now()
    return next((node for node in older if node.until > now), None)


def check_routes_known(definition: Definition, older: NodeRow | None) -> None:
    """`RoutesUnknown` for what such a server cannot read."""
    if older is not None and definition.is_routed:
        raise RoutesUnknown(older.name, older.version)
