"""SQLite is a file of one machine: two that share it over a network would each believe in locks of their own."""

import socket
from collections.abc import Sequence

from foliot.domain.errors import StorageTrouble
from foliot.operations.services import Services

SQLITE = "sqlite"


class SqliteInCluster(StorageTrouble):
    """A SQLite store that servers of several machines would use."""

    code = "FOL-7002"

    def __init__(self, hosts: Sequence[str]) -> None:
        super().__init__(
            f"SQLite serves one machine; this store is served by {', '.join(hosts)} already.",
            hint="--db postgresql://… or mysql://… (MariaDB, Galera)",
            hosts=list(hosts),
        )


async def check_one_machine(services: Services) -> None:
    """Refuse a SQLite store that a live server of another machine uses."""
    cluster = await services.store.lookups.cluster()
    if cluster.store != SQLITE:
        return
    here = socket.gethostname()
    nodes = await services.store.lookups.nodes()
    others = {node.host for node in nodes if node.kind == "server" and node.host != here and node.until > cluster.now}
    if others:
        raise SqliteInCluster(sorted(others))
