"""A replica of the SQL store: the same verbs on a database that follows the store's own, for reads alone."""

from dataclasses import replace
from typing import Final

import sqlalchemy as sa

from foliot.domain.errors import InvalidInput
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.store.replica import Freshness
from foliot.store.sql.kernel.connect import open_database, redacted, scheme_of
from foliot.store.sql.kernel.database import Database
from foliot.store.sql.kernel.dialects import DIALECTS
from foliot.store.sql.kernel.replica import ReadOnlyRunner, freshness
from foliot.store.sql.store import SqlStore

WITHOUT: Final = "sqlite"
"""The kind of store that has no replicas: its database is a file."""


class BadReplica(InvalidInput):
    """A replica that the store cannot have."""

    code = "FOL-1210"

    def __init__(self, url: str, why: str) -> None:
        shown = redacted(url)
        super().__init__(
            f'"{shown}" cannot be a replica of the store: {why}.',
            hint="name another host of the same kind of database, or leave --replica out",
            url=shown,
            why=why,
        )


class SqlReplica:
    """`ports.store.replica.Replica` on a SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = replace(database, runner=ReadOnlyRunner(database.runner))
        self.store = SqlStore(self._database)

    @classmethod
    def open(cls, url: str, *, of: str, clock: Clock, chance: Chance) -> "SqlReplica":
        """Open the replica at `url` of the store at `of`. Nothing is connected yet: a replica may be away."""
        _check(url, of)
        return cls(open_database(url, clock=clock, chance=chance, reads_only=True))

    async def freshness(self) -> Freshness:
        try:
            return await self._database.read(freshness)
        except sa.exc.DBAPIError as error:  # such as no table of Foliot's
            raise StoreUnavailable(f"The replica holds no store of Foliot's: {error.orig}.") from error

    async def close(self) -> None:
        """Close every connection."""
        await self._database.close()


def _check(url: str, of: str) -> None:
    kind = DIALECTS.get(scheme_of(url))
    if scheme_of(of) == WITHOUT:
        raise BadReplica(url, "SQLite has no replicas")
    if kind is None or kind != DIALECTS.get(scheme_of(of)):
        raise BadReplica(url, "it is not the same kind of database")
    if url == of:
        raise BadReplica(url, "it is the store itself")
