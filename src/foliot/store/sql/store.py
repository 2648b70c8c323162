"""The SQL store as a whole: opened on a URL, checked, and split into the stores of the port."""

from collections.abc import Callable
from functools import cached_property
from typing import Self

from foliot.domain.instants import Instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.store.sql import schema
from foliot.store.sql.connect import open_database
from foliot.store.sql.database import Database


class SqlStore:
    """`ports.store.Store` on a SQL database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        clock: Clock,
        chance: Chance,
        wall: Callable[[], Instant] | None = None,
    ) -> Self:
        """Open the store behind a URL; refuse it when its schema does not fit."""
        database = open_database(url, clock=clock, chance=chance, wall=wall)
        try:
            await schema.check(database)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def close(self) -> None:
        """Close every connection."""
        await self.database.close()
